/**
 * The keys of the store as rows, each with the two places that a file has (`key-files.ts`). A row that is removed stays in dead pages, in the log and in
 * backups until these go, sealed under the secret key; rotating the secret key makes it unreadable at once.
 *
 * Each question may be asked again without harm, which the connection for reads does when it breaks.
 */
import { randomBytes } from 'node:crypto'
import type { KeyFiles } from '../../key-files.ts'
import { type KeyFile, openPlaces, sealPlace } from '../../key-place.ts'
import { createSealer, RING_KEY_BYTES } from '../../sealer.ts'
import type { Question } from './link.ts'

const PLACES = ['first', 'second'] as const

export function openKeyRows(ask: (question: Question) => Promise<unknown[][]>, where: string, secretKey: Uint8Array): KeyFiles {
  const sealer = createSealer(secretKey)
  const whereIs = (name: string) => `${name} in ${where}`

  async function read(name: string): Promise<KeyFile | null | undefined> {
    const [row] = await ask({ text: 'SELECT first, second FROM svc_key WHERE name = $1', values: [name] })
    if (row === undefined) return undefined
    const [first, second] = row as (Uint8Array | null)[]
    return openPlaces(sealer, name, [first ?? undefined, second ?? undefined])
  }

  async function found(name: string): Promise<KeyFile> {
    const row = await read(name)
    if (!row) throw new Error(`The key ${whereIs(name)} cannot be opened.`)
    return row
  }

  async function writeOther(name: string, value: Uint8Array | null): Promise<void> {
    const { place } = await found(name)
    const other = PLACES[place === 0 ? 1 : 0]
    await ask({ text: `UPDATE svc_key SET ${other} = $2 WHERE name = $1`, values: [name, value] })
  }

  return {
    where,
    whereIs,
    read,
    names: async () => (await ask({ text: 'SELECT name FROM svc_key' })).map(([name]) => name as string),
    async make(name, key = Uint8Array.from(randomBytes(RING_KEY_BYTES))) {
      const values = [name, sealPlace(sealer, name, key)]
      await ask({ text: 'INSERT INTO svc_key (name, first) VALUES ($1, $2) ON CONFLICT DO NOTHING', values })
      // An existing key is never replaced, because records that are sealed with it would be lost.
      return (await found(name)).key
    },
    async sealAlso(name, nextKey) {
      const { key } = await found(name)
      await writeOther(name, sealPlace(createSealer(nextKey), name, key))
    },
    clearOther: (name) => writeOther(name, null),
    destroy: async (name) => void (await ask({ text: 'DELETE FROM svc_key WHERE name = $1', values: [name] })),
    removeDrafts: async () => {},
  }
}
