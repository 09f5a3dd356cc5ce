import { createHash } from 'node:crypto'
import type { Network } from './model.ts'

/** A picture is an URL, or a data URL, or bare base64 of a JPEG. Its own text names it. */
export function pictureId(picture: string): string {
  return String(createHash('sha256').update(picture).digest().readUInt32BE(0))
}

export function picturePath(picture: string): string {
  return `/pps/${pictureId(picture)}.jpg`
}

/** The picture behind a path, for the media host to serve. */
export function findPicture(network: Network, path: string): { type: string; bytes: Uint8Array } | undefined {
  for (const { picture } of [...network.people.values(), ...network.groups.values()]) {
    if (picture === undefined || picturePath(picture) !== path) continue
    const [, type = 'image/jpeg', data = picture] = /^data:([^;]+);base64,(.*)$/s.exec(picture) ?? []
    return { type, bytes: Buffer.from(data, 'base64') }
  }
  return undefined
}
