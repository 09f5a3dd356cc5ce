/**
 * Stores when credentials were last used, in one record (a note) per credential. Notes are not changed through
 * `MainRecords`. So writing a note waits for no other change, and makes no other service decide a change again.
 */
import * as v from 'valibot'
import type { Op, StateStore } from './contract.ts'
import { repository } from './repository.ts'
import type { Sealer } from './sealer.ts'

export interface Use {
  /** Time of the use in epoch ms. */
  at: number
  ip: string | null
}

const UseRecord = v.object({ at: v.number(), ip: v.nullable(v.string()) })

export interface LatestUsesDeps {
  store: Pick<StateStore, 'range' | 'commit'>
  prefix: string
  sealer: Sealer
}

export interface LatestUses {
  /** Reads the notes of all services. Calls during a read share this read. */
  read(): Promise<void>
  of(id: string): Use | undefined
  note(id: string, use: Use): void
  /** Resolves when the latest note of this credential is stored. */
  write(id: string): Promise<void>
  /** Returns the operation that removes the note. It must be part of the change that removes the credential. */
  removal(id: string): Op
  /** Removes a note that was stored after its credential had been removed. */
  remove(id: string): Promise<void>
  /** Drops the note from memory, because the credential no longer exists. */
  forget(id: string): void
  /** Removes the notes of credentials that no longer exist. */
  removeOthers(isThere: (id: string) => boolean): Promise<void>
}

export function createLatestUses({ store, prefix, sealer }: LatestUsesDeps): LatestUses {
  const records = repository<Use>({ name: 'last use', schema: UseRecord, version: 1, sealed: sealer })
  const uses = new Map<string, Use>()
  const removal = (id: string) => records.remove(prefix + id)
  let reading: Promise<void> | undefined

  async function readAll(): Promise<void> {
    // A note that cannot be read is replaced by the next one.
    for await (const { key, value } of records.list(store, prefix, { onUnreadable: () => {} })) {
      const id = key.slice(prefix.length)
      const known = uses.get(id)
      if (known === undefined || known.at < value.at) uses.set(id, value)
    }
  }

  return {
    read() {
      reading ??= readAll().finally(() => {
        reading = undefined
      })
      return reading
    },
    of: (id) => uses.get(id),
    note: (id, use) => void uses.set(id, use),
    async write(id) {
      const use = uses.get(id)
      if (use) await store.commit({ ops: [records.encode(prefix + id, use)] })
    },
    removal,
    remove: async (id) => void (await store.commit({ ops: [removal(id)] })),
    forget: (id) => void uses.delete(id),
    async removeOthers(isThere) {
      const removed = [...uses.keys()].filter((id) => !isThere(id))
      for (const id of removed) uses.delete(id)
      if (removed.length > 0) await store.commit({ ops: removed.map(removal) })
    },
  }
}
