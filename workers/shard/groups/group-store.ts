/**
 * Stores groups with their members, so that sending to a group needs no query even after a restart. A changed group is
 * removed when its notice arrives. If a notice was lost, the answer to the next message or the expiry of the record
 * corrects this.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as v from 'valibot'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import { repository } from '../../../src/storage/repository.ts'
import type { Context } from '../context/instance-context.ts'
import type { Group } from '../wire/groups.ts'
import { FACETS } from './facets.ts'

/** Maximum number of groups per commit. A group of a thousand members takes 100 KB. */
const SLICE = 8

const Kept = v.object({
  /** Epoch ms at which the network sent the group. */
  at: v.number(),
  group: v.custom<Group>((value) => typeof value === 'object' && value !== null && Array.isArray((value as Group).participants)),
})

export interface GroupStore {
  read(jid: string): Promise<Group | null>
  keep(group: Group): void
  drop(jid: string): void
  /** Resolves when all changes so far are on disk. Rejects if they could not be written. */
  settled(): Promise<void>
  forget(): Promise<void>
}

export function createGroupStore({
  id: instance,
  store,
  sealer,
  clock,
  log,
}: Context<'id' | 'store' | 'sealer' | 'clock' | 'log'>): GroupStore {
  const records = repository({ name: 'group', schema: Kept, version: 1, sealed: sealer })
  const keyOf = (jid: string) => keys.keptGroup(instance, sealer.blind(jid))
  /** Changes that are not on disk yet; null if the group is removed. */
  const open = new Map<string, v.InferOutput<typeof Kept> | null>()
  let writing: Promise<void> | null = null

  async function write() {
    try {
      await nextTurn()
      while (open.size > 0) {
        const taken = [...open].slice(0, SLICE)
        const ops = taken.map(([jid, kept]) => (kept ? records.encode(keyOf(jid), kept) : records.remove(keyOf(jid))))
        await store.commit({ ops })
        // A change that came during the commit is newer than what was written, so it stays in the map.
        for (const [jid, kept] of taken) if (open.get(jid) === kept) open.delete(jid)
        await nextTurn()
      }
    } finally {
      // This assignment is in the same turn of the event loop as the last check of `open`, so that a later change
      // starts another write.
      writing = null
    }
  }

  async function settled(): Promise<void> {
    if (open.size > 0) writing ??= write()
    await writing
  }

  function put(jid: string, kept: v.InferOutput<typeof Kept> | null) {
    // The entry is removed first, so that the newest change is the last one in the order of writing.
    open.delete(jid)
    open.set(jid, kept)
    settled().catch((error) => log.error({ err: error }, 'a group could not be written to disk'))
  }

  const holds = ({ at, group }: v.InferOutput<typeof Kept>) =>
    Math.abs(clock.now() - at) < FACETS.storedMetadata.ms ? group : null

  return {
    async read(jid) {
      const fresh = open.get(jid)
      if (fresh !== undefined) return fresh && holds(fresh)
      const key = keyOf(jid)
      const bytes = await store.get(key)
      try {
        return bytes ? holds(records.decode(key, bytes)) : null
      } catch (error) {
        log.error({ err: error }, 'a stored group could not be decoded')
        return null
      }
    },
    keep: (group) => put(group.id, { at: clock.now(), group }),
    drop: (jid) => put(jid, null),
    settled,
    async forget() {
      open.clear()
      await writing?.catch(() => {})
      await removeAll(store, keys.keptGroups(instance))
    },
  }
}
