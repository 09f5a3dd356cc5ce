/**
 * Caches the devices of each person, under the queried number or LID. A notice of a change may name the person by the
 * other jid, so both entries are dropped.
 */
import { type Clock, MINUTE } from '../../../src/domain/clock.ts'
import type { Device } from '../wire/device-list.ts'
import { jidUser } from '../wire/jid.ts'

const MAX_AGE = 5 * MINUTE
const MAX_PEOPLE = 20_000

export interface GroupDevices {
  readonly jids: readonly string[]
  /** The `phash` of a message to these devices; null if it cannot be computed. */
  readonly hash: string | null
}

export interface DeviceLists {
  /** Returns the devices of a person. Undefined if the list must be queried from the network. */
  known(user: string): readonly Device[] | undefined
  keep(user: string, devices: readonly Device[]): void
  drop(jids: readonly string[]): void
  /**
   * If the device lists of all members are known, caches the result of `make` until one of them changes or expires.
   * `group` is compared by identity; `own` is another text on which the result depends.
   */
  ofGroup(
    group: { participants: readonly { id: string }[] },
    own: string,
    make: (people: string[]) => Promise<GroupDevices>,
  ): Promise<GroupDevices>
}

interface Made {
  users: string[]
  own: string
  lists: (readonly Device[] | undefined)[]
  result: GroupDevices
  /**
   * The last check of the lists. They are unchanged while the number of changes is `changes` and the time is before
   * `until`.
   */
  checked: { changes: number; until: number }
}

export function createDeviceLists(clock: Clock): DeviceLists {
  const lists = new Map<string, { at: number; devices: readonly Device[] }>()
  const made = new WeakMap<object, Made>()
  /**
   * Counts changes of all lists, so that the lists of a group with a thousand members are not compared for each
   * message.
   */
  let changes = 0

  function known(user: string): readonly Device[] | undefined {
    const entry = lists.get(user)
    return entry && clock.now() - entry.at < MAX_AGE ? entry.devices : undefined
  }

  const check = (users: readonly string[]): Made['checked'] => ({
    changes,
    until: users.reduce((until, user) => Math.min(until, (lists.get(user)?.at ?? 0) + MAX_AGE), Number.POSITIVE_INFINITY),
  })

  function madeBefore(group: object, own: string): GroupDevices | undefined {
    const earlier = made.get(group)
    if (earlier?.own !== own) return undefined
    const { users, checked } = earlier
    if (checked.changes === changes && clock.now() < checked.until) return earlier.result
    if (!users.every((user, index) => known(user) === earlier.lists[index])) return undefined
    earlier.checked = check(users)
    return earlier.result
  }

  function remove(user: string) {
    changes++
    lists.delete(user)
  }

  return {
    known,
    keep(user, devices) {
      remove(user)
      lists.set(user, { at: clock.now(), devices })
      for (const oldest of lists.keys()) {
        if (lists.size <= MAX_PEOPLE) break
        remove(oldest)
      }
    },
    drop(jids) {
      for (const jid of jids) remove(jidUser(jid))
    },
    async ofGroup(group, own, make) {
      const earlier = madeBefore(group, own)
      if (earlier) return earlier
      const people = group.participants.map(({ id }) => id)
      const result = await make(people)
      const users = people.map(jidUser)
      const all = users.map(known)
      if (all.every((list) => list !== undefined)) made.set(group, { users, own, lists: all, result, checked: check(users) })
      else made.delete(group)
      return result
    },
  }
}
