/** What the folders of an older version owe, as `make.ts` wrote it beside them. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Ack } from '../../harness/gateway.ts'

export interface Story {
  /** Epoch ms. */
  madeAt: number
  me: string
  contact: string
  adminKey: string
  apiKey: string
  instance: { id: string; token: string; secret: string }
  /** Ids of messages that came, whose webhooks nobody has taken. */
  events: string[]
  /** Sends that were acknowledged, and have not left. */
  queued: (Pick<Ack, 'message_id' | 'svc_id'> & { text: string })[]
  /** Of the last of them. */
  idempotency: { key: string; phone: string; message: string }
  /** Id of a message that was sent while the service was stopped. */
  away: string
}

/** As it lay on the disk. */
export async function unpack(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const place = join(to, path.slice(from.length + 1, -'.gz'.length))
    await mkdir(dirname(place), { recursive: true, mode: 0o700 })
    await writeFile(place, gunzipSync(await readFile(path)), { mode: 0o600 })
  }
}
