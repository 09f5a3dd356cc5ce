/**
 * Groups with their members as the network last sent them, on disk: after a restart, and with more groups than memory holds, a text needs no query
 * about its group. A notice of a change removes the group from here before it is acked, so the stored metadata is current; after a lost notice the
 * answer to the next text corrects it (`send/targets.ts`), or its age does, at the latest.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import * as v from 'valibot'
import { type Clock, DAY } from '../../../src/domain/clock.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import { repository } from '../../../src/storage/repository.ts'
import type { Sealer } from '../../../src/storage/seal.ts'
import type { Group } from '../wire/groups.ts'

/** Notices wait for us as long as the device stays linked while it is away: of what is older one may have been lost. As for `group-roles.ts`. */
const MAX_AGE = 14 * DAY
/** Groups that are written in one commit, and sealed in one turn: of a thousand members each has 100 KB. */
const SLICE = 8

const Kept = v.object({
  /** When the network sent it, epoch ms. */
  at: v.number(),
  group: v.custom<Group>((value) => typeof value === 'object' && value !== null && Array.isArray((value as Group).participants)),
})

export interface GroupStore {
  /** Null: nothing that still holds. */
  read(jid: string): Promise<Group | null>
  keep(group: Group): void
  drop(jid: string): void
  /** All changes until now are on disk. Rejects where they could not be written. */
  settled(): Promise<void>
  /** Another account comes. After the session has ended. */
  forget(): Promise<void>
}

export interface GroupStoreOptions {
  instance: string
  store: Pick<StateStore, 'get' | 'range' | 'commit'>
  sealer: Sealer
  clock: Clock
  log: Pick<Logger, 'error'>
}

export function createGroupStore({ instance, store, sealer, clock, log }: GroupStoreOptions): GroupStore {
  const records = repository({ name: 'group', schema: Kept, version: 1, sealed: sealer })
  const keyOf = (jid: string) => keys.keptGroup(instance, sealer.blind(jid))
  /** Changes not on disk yet: the newest of each group. */
  const open = new Map<string, v.InferOutput<typeof Kept> | null>()
  let writing: Promise<void> | null = null

  async function write() {
    try {
      // Those that come in one turn share a commit.
      await nextTurn()
      while (open.size > 0) {
        const taken = [...open].slice(0, SLICE)
        const ops = taken.map(([jid, kept]) => (kept ? records.encode(keyOf(jid), kept) : records.remove(keyOf(jid))))
        await store.commit({ ops })
        // Not what has changed meanwhile.
        for (const [jid, kept] of taken) if (open.get(jid) === kept) open.delete(jid)
        await nextTurn()
      }
    } finally {
      // In the turn of the last look: a change that comes right behind it begins to write again.
      writing = null
    }
  }

  async function settled(): Promise<void> {
    if (open.size > 0) writing ??= write()
    await writing
  }

  function put(jid: string, kept: v.InferOutput<typeof Kept> | null) {
    // Behind those that were there before.
    open.delete(jid)
    open.set(jid, kept)
    settled().catch((error) => log.error({ err: error }, 'a group could not be written to disk'))
  }

  const holds = ({ at, group }: v.InferOutput<typeof Kept>) => (Math.abs(clock.now() - at) < MAX_AGE ? group : null)

  return {
    async read(jid) {
      const fresh = open.get(jid)
      if (fresh !== undefined) return fresh && holds(fresh)
      const key = keyOf(jid)
      const bytes = await store.get(key)
      try {
        return bytes ? holds(records.decode(key, bytes)) : null
      } catch (error) {
        // Changed on disk: unknown until the network sends it again.
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
