/**
 * Caches the devices of each person, as the network last listed them. The library queries a list before a send and
 * stores the answer here, under the number or LID it used. The library's own cache is not used, because a notice that
 * outdates a list may use the person's other jid; the lists under both jids are then dropped.
 */
import type { JidServer, PossiblyExtendedCacheStore } from '@whiskeysockets/baileys'
import { type Clock, MINUTE } from '../../../src/domain/clock.ts'
import { jidUser } from '../wire/jid.ts'

/** Age after which a list is queried again, as in the library. */
const MAX_AGE = 5 * MINUTE
const MAX_PEOPLE = 20_000

/** All devices that receive a message to a group, except the sending one. */
export interface GroupDevices {
  readonly jids: readonly string[]
  /** The `phash` of a message to these devices; null if it cannot be computed. */
  readonly hash: string | null
}

/** A device as in the library's list. */
export interface Device {
  user: string
  server: JidServer
  device: number
}

export interface DeviceLists {
  /** Cache for the library's socket. */
  readonly cache: PossiblyExtendedCacheStore
  /** Returns the devices of a person by the queried number or LID; undefined if the network must be queried. */
  known(user: string): readonly Device[] | undefined
  /** Drops a person's lists, by any of their jids. */
  drop(jids: readonly string[]): void
  /**
   * Returns the result of `make` for the lists of a group's members, cached while none of these lists changes. `group`
   * is compared by identity; `own` is everything else that the result depends on.
   */
  ofGroup(
    group: { participants: readonly { id: string }[] },
    own: string,
    make: (people: string[]) => Promise<GroupDevices>,
  ): Promise<GroupDevices>
  /** Returns the same result, only if it is cached. */
  knownOfGroup(group: object, own: string): GroupDevices | undefined
}

/** A cached result for a group, with the lists it was created from. */
interface Made {
  users: string[]
  own: string
  lists: unknown[]
  result: GroupDevices
  /** The last check of the lists: none had changed at that count of changes, and none expires before that time. */
  checked: { changes: number; until: number }
}

export function createDeviceLists(clock: Clock): DeviceLists {
  const lists = new Map<string, { at: number; devices: unknown }>()
  const made = new WeakMap<object, Made>()
  /** Counts changes of any list, so that a group of a thousand people is not scanned for each message. */
  let changes = 0

  function fresh(user: string): unknown {
    const entry = lists.get(user)
    return entry && clock.now() - entry.at < MAX_AGE ? entry.devices : undefined
  }

  const check = (users: readonly string[]): Made['checked'] => ({
    changes,
    until: users.reduce((until, user) => Math.min(until, (lists.get(user)?.at ?? 0) + MAX_AGE), Number.POSITIVE_INFINITY),
  })

  function knownOfGroup(group: object, own: string): GroupDevices | undefined {
    const known = made.get(group)
    if (known?.own !== own) return undefined
    const { users, checked } = known
    if (checked.changes === changes && clock.now() < checked.until) return known.result
    if (!users.every((user, index) => fresh(user) === known.lists[index])) return undefined
    known.checked = check(users)
    return known.result
  }

  function remove(user: string) {
    changes++
    lists.delete(user)
  }

  return {
    cache: {
      get: <T>(user: string) => fresh(user) as T | undefined,
      // Without this method, the library awaits the list of each member of a group separately.
      async mget<T>(users: string[]) {
        const found: Record<string, T> = Object.create(null)
        for (const user of users) {
          const devices = fresh(user)
          if (devices !== undefined) found[user] = devices as T
        }
        return found
      },
      set(user: string, devices: unknown) {
        remove(user)
        lists.set(user, { at: clock.now(), devices })
        for (const oldest of lists.keys()) {
          if (lists.size <= MAX_PEOPLE) break
          remove(oldest)
        }
      },
      del: remove,
      flushAll() {
        changes++
        lists.clear()
      },
    },
    known: (user) => fresh(user) as readonly Device[] | undefined,
    drop(jids) {
      for (const jid of jids) remove(jidUser(jid))
    },
    async ofGroup(group, own, make) {
      const known = knownOfGroup(group, own)
      if (known) return known
      const people = group.participants.map(({ id }) => id)
      const result = await make(people)
      const users = people.map(jidUser)
      const all = users.map(fresh)
      if (all.every((list) => list !== undefined)) made.set(group, { users, own, lists: all, result, checked: check(users) })
      else made.delete(group)
      return result
    },
    knownOfGroup,
  }
}
