/**
 * Holds back items, so that other items are sent before them. Policies decide which items are held, for which reason and until when: `send-at.ts`
 * (not before the time in the request), `restricted.ts` (the network restricts the account), the policies of send safety (`safety/`), and `later.ts`
 * (the network has not decided yet).
 *
 * The policies are asked in a fixed order, and the first hold counts. To save time, they are asked only about the item that would be sent next. If an
 * item is held, it moves to a list of the policy, in the order of `until`. The policy is asked about it again when that time has come, or when the
 * policy reports a change. A hold is never stored: after a restart the policies are asked again.
 */
import { type Clock, MINUTE } from '../../../../src/domain/clock.ts'
import type { WaitingReason } from '../../../../src/domain/waiting-reason.ts'
import type { Waiting } from '../item.ts'
import { createSortedList, type SortedList } from './sorted-list.ts'

export interface Hold {
  /** The value of `waiting_reason` in the list of the queue. */
  reason: WaitingReason
  /**
   * Time at which the policy is asked again, on the policy's clock; the list of the queue shows it as `send_after`. If it has passed, the policy is
   * asked again a minute later. If it is null, the policy is asked again only after it has reported a change or after a clock was set.
   */
  until: number | null
  /** Whether the item does not age while it is held, so that it cannot expire because of this hold. */
  stopsAge?: boolean
}

export interface HoldPolicy {
  /**
   * The clock that `until` refers to: the monotonic clock `steady` if `until` is the end of a duration, the clock of the epoch if it is a date or a
   * time of day.
   */
  readonly clock: Clock
  /**
   * Returns the hold of an item; undefined if the policy lets the item be sent. It is called for the item that would be sent next, also while another
   * item is in flight, and for every item in a list. So it must be synchronous and fast, and must change no state that others see.
   */
  holding(item: Waiting): Hold | undefined
  /**
   * Registers a listener that is called when held items may be sent before their `until`: the items that `concerns` accepts, or all items. A hold
   * that begins need not be reported.
   */
  onChange?(listener: ChangeListener): void
}

export type ChangeListener = (concerns?: (item: Waiting) => boolean) => void

/** The clocks are read at least this often, in ms, because a timer does not fire earlier when a clock is set forward. */
const LONGEST_SLEEP = MINUTE
/** If the difference between the two clocks changes by more than this, in ms, one of them was set. A smaller change is a normal adjustment. */
const ADJUSTMENT = MINUTE

export interface Holds {
  /** Adds an item that waits. It is ready to be sent until a policy holds it. */
  add(item: Waiting): void
  /** Removes an item that no longer waits. */
  remove(item: Waiting): void
  /** Returns the hold of a waiting item, with `until` in epoch ms; undefined if it may be sent. */
  of(item: Waiting): Hold | undefined
  /** Returns the next item to send: the first item that no policy holds. */
  next(): Waiting | undefined
  /** Returns the number of ms after which an item that is held now may be allowed; Infinity if no hold ends at a known time. */
  nextIn(): number
  /** Registers the listener, which is called when a policy has reported a change. */
  onChange(listener: () => void): void
}

interface Held {
  item: Waiting
  hold: Hold
  /** Time at which the policy is asked again; Infinity if none is known. */
  askAt: number
}

interface Group {
  policy: HoldPolicy
  held: SortedList<Held>
}

const isBefore = (one: Waiting, other: Waiting) => one.place < other.place

export interface Clocks {
  /** The clock that shows epoch time. */
  clock: Clock
  steady: Clock
}

export function createHolds(policies: readonly HoldPolicy[], { clock: epoch, steady }: Clocks): Holds {
  const ready = createSortedList<Waiting>(isBefore)
  const groups = policies.map((policy): Group => ({ policy, held: createSortedList(isAskedBefore) }))
  const heldIn = new Map<string, { group: Group; held: Held }>()
  const listeners: (() => void)[] = []
  const difference = () => epoch.now() - steady.now()
  /** Difference between the two clocks. It is updated when a clock was set. */
  let seen = difference()

  function askedFirst(item: Waiting): { group: Group; hold: Hold } | undefined {
    for (const group of groups) {
      const hold = group.policy.holding(item)
      if (hold) return { group, hold }
    }
    return undefined
  }

  function hold(item: Waiting, { group, hold }: { group: Group; hold: Hold }) {
    const now = group.policy.clock.now()
    const until = hold.until ?? Number.POSITIVE_INFINITY
    const askAt = until > now ? until : now + LONGEST_SLEEP
    const held = { item, hold, askAt }
    ready.remove(item)
    group.held.insert(held)
    heldIn.set(item.svcId, { group, held })
  }

  function remove(item: Waiting) {
    const found = heldIn.get(item.svcId)
    if (found === undefined) return ready.remove(item)
    found.group.held.remove(found.held)
    heldIn.delete(item.svcId)
  }

  function release({ item }: Held) {
    remove(item)
    ready.insert(item)
  }

  function releaseDue({ policy, held }: Group) {
    if (held.values.length === 0) return
    const now = policy.clock.now()
    for (let first = held.values[0]; first !== undefined && first.askAt <= now; first = held.values[0]) release(first)
  }

  /** Asks all policies again after the clock of the machine was set, because the times of the holds are then wrong. */
  function releaseIfClockWasSet() {
    const now = difference()
    if (Math.abs(now - seen) <= ADJUSTMENT) return
    seen = now
    for (const { held } of groups) for (const each of [...held.values]) release(each)
  }

  for (const { policy, held } of groups)
    policy.onChange?.((concerns = () => true) => {
      for (const each of held.values.filter(({ item }) => concerns(item))) release(each)
      for (const listener of listeners) listener()
    })

  return {
    add: ready.insert,
    remove,
    of(item) {
      const found = heldIn.get(item.svcId)
      const { group, hold } = found ? { group: found.group, hold: found.held.hold } : (askedFirst(item) ?? {})
      if (hold === undefined || hold.until === null) return hold
      return { ...hold, until: epoch.now() + hold.until - group!.policy.clock.now() }
    },
    next() {
      releaseIfClockWasSet()
      groups.forEach(releaseDue)
      for (;;) {
        const head = ready.values[0]
        const found = head && askedFirst(head)
        if (!found) return head
        hold(head, found)
      }
    },
    nextIn() {
      let soonest = Number.POSITIVE_INFINITY
      for (const { policy, held } of groups) {
        const askAt = held.values[0]?.askAt ?? Number.POSITIVE_INFINITY
        if (askAt < Number.POSITIVE_INFINITY) soonest = Math.min(soonest, askAt - policy.clock.now(), LONGEST_SLEEP)
      }
      return soonest
    },
    onChange: (listener) => void listeners.push(listener),
  }
}

const isAskedBefore = (one: Held, other: Held) =>
  one.askAt === other.askAt ? isBefore(one.item, other.item) : one.askAt < other.askAt
