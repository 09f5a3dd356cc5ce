/**
 * The devices of each person, as the network last listed them: the library asks before a send and caches the answer here, under the number or LID it
 * asked for. Our own cache, because a notice that outdates a list may use the person's other name (BAILEYS.md): both entries are dropped.
 */
import type { PossiblyExtendedCacheStore } from '@whiskeysockets/baileys'
import { type Clock, MINUTE } from '../../../src/domain/clock.ts'
import { jidUser } from '../wire/jid.ts'

/** As the library keeps them. */
const MAX_AGE = 5 * MINUTE
const MAX_PEOPLE = 20_000

export interface DeviceLists {
  /** For the library's socket. */
  readonly cache: PossiblyExtendedCacheStore
  /** By any jid of the person. */
  drop(jids: readonly string[]): void
  /**
   * What `make` makes of the lists of a group's people, remembered while each of them has the list it was made of. `group` and `people` are
   * compared by identity; `own` is whatever else it depends on.
   */
  remembered<T>(group: object, people: readonly string[], own: string, make: () => Promise<T>): Promise<T>
}

export function createDeviceLists(clock: Clock): DeviceLists {
  const lists = new Map<string, { at: number; devices: unknown }>()
  const made = new WeakMap<object, { users: string[]; own: string; lists: unknown[]; result: unknown }>()

  function fresh(user: string): unknown {
    const entry = lists.get(user)
    return entry && clock.now() - entry.at < MAX_AGE ? entry.devices : undefined
  }

  return {
    cache: {
      get: <T>(user: string) => fresh(user) as T | undefined,
      // Without it the library awaits the list of each member of a group.
      async mget<T>(users: string[]) {
        const found: Record<string, T> = Object.create(null)
        for (const user of users) {
          const devices = fresh(user)
          if (devices !== undefined) found[user] = devices as T
        }
        return found
      },
      set(user: string, devices: unknown) {
        lists.delete(user)
        lists.set(user, { at: clock.now(), devices })
        for (const oldest of lists.keys()) {
          if (lists.size <= MAX_PEOPLE) break
          lists.delete(oldest)
        }
      },
      del: (user: string) => void lists.delete(user),
      flushAll: () => lists.clear(),
    },
    drop(jids) {
      for (const jid of jids) lists.delete(jidUser(jid))
    },
    async remembered<T>(group: object, people: readonly string[], own: string, make: () => Promise<T>): Promise<T> {
      const known = made.get(group)
      if (known?.own === own && known.users.every((user, index) => fresh(user) === known.lists[index])) return known.result as T
      const result = await make()
      const users = people.map(jidUser)
      const all = users.map(fresh)
      if (all.every((list) => list !== undefined)) made.set(group, { users, own, lists: all, result })
      else made.delete(group)
      return result
    },
  }
}
