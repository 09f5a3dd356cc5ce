import { createHash } from 'node:crypto'
import { node, randomId, seconds } from '../wire/node.ts'
import { enqueue } from './delivery.ts'
import type { Companion, Network, Person } from './model.ts'
import { jidOf } from './people.ts'

export function pictureId(picture: string): string {
  return String(createHash('sha256').update(picture).digest().readUInt32BE(0))
}

export function picturePath(picture: string): string {
  return `/pps/${pictureId(picture)}.jpg`
}

export const pictureUrl = (network: Network, picture: string) =>
  picture.startsWith('http') ? picture : `https://${network.mediaHost ?? '127.0.0.1'}${picturePath(picture)}`

/**
 * Sets or removes a person's picture; an empty text removes it. Strangers are notified too, because no simulated person
 * hides the picture. `by`: the linked device that changed it.
 */
export function setPersonPicture(network: Network, person: Person, picture: string | undefined, by?: Companion) {
  person.picture = picture || undefined
  const from = jidOf(person, network.settings.addressing)
  const change =
    person.picture === undefined ? node('delete', { jid: from }) : node('set', { jid: from, id: pictureId(person.picture) })
  for (const { companions } of network.people.values()) {
    for (const companion of companions.values()) {
      if (companion === by) continue
      enqueue(network, companion, node('notification', { from, type: 'picture', id: randomId(), t: seconds() }, [change]))
    }
  }
  network.changed()
}

export function findPicture(network: Network, path: string): { type: string; bytes: Uint8Array } | undefined {
  for (const { picture } of [...network.people.values(), ...network.groups.values(), ...network.newsletters.values()]) {
    if (picture === undefined || picturePath(picture) !== path) continue
    const [, type = 'image/jpeg', data = picture] = /^data:([^;]+);base64,(.*)$/s.exec(picture) ?? []
    return { type, bytes: Buffer.from(data, 'base64') }
  }
  return undefined
}
