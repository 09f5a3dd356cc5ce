/**
 * Decides which items must wait while other items are sent before them. The policies are called in a fixed order, and
 * the first hold counts.
 */
import { type Clock, MINUTE } from '../../../../src/domain/clock.ts'
import type { WaitingReason } from '../../../../src/domain/waiting-reason.ts'
import type { Waiting } from '../item.ts'
import { createSortedList, type SortedList } from './sorted-list.ts'

export interface Hold {
  reason: WaitingReason
  /**
   * Time on the policy's clock at which the policy is called again. If null, it is called again only after it has
   * reported a change or a clock was set.
   */
  until: number | null
  /** Whether the item does not age while it is held. */
  stopsAge?: boolean
}

export interface HoldPolicy {
  /**
   * Clock of `until`: the monotonic clock if a duration ends, the wall clock if a date or a time of day is reached.
   */
  readonly clock: Clock
  /**
   * Returns why the item must wait, or undefined if it may be sent now. Must be fast, because a list of the queue may
   * call it for each item.
   */
  holding(item: Waiting): Hold | undefined
  /**
   * Adds a listener. The policy calls it when held items must be checked again before their `until`: those that
   * `concerns` accepts, or all without `concerns`.
   */
  onChange?(listener: ChangeListener): void
}

export type ChangeListener = (concerns?: (item: Waiting) => boolean) => void

/**
 * Maximum time in ms between two readings of the clocks while the end of a hold is known. A timer does not notice that
 * a clock was set forward.
 */
const LONGEST_SLEEP = MINUTE
/**
 * If the difference of the two clocks changes by more ms than this, one of them was set. A smaller change is a normal
 * adjustment.
 */
const ADJUSTMENT = MINUTE

export interface Holds {
  add(item: Waiting): void
  remove(item: Waiting): void
  /** Returns why the item is held, with `until` in epoch ms. Returns undefined if the item may be sent now. */
  of(item: Waiting): Hold | undefined
  next(): Waiting | undefined
  /** Returns the ms until the policies must be called again, at most a minute. Infinity if no hold has a known end. */
  nextIn(): number
  onChange(listener: () => void): void
}

interface Held {
  item: Waiting
  hold: Hold
  askAt: number
}

interface Group {
  policy: HoldPolicy
  held: SortedList<Held>
}

const isBefore = (one: Waiting, other: Waiting) => one.place < other.place

export interface Clocks {
  clock: Clock
  steady: Clock
}

export function createHolds(policies: readonly HoldPolicy[], { clock: epoch, steady }: Clocks): Holds {
  const ready = createSortedList<Waiting>(isBefore)
  const groups = policies.map((policy): Group => ({ policy, held: createSortedList(isAskedBefore) }))
  const heldIn = new Map<string, { group: Group; held: Held }>()
  const listeners: (() => void)[] = []
  const difference = () => epoch.now() - steady.now()
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

  /**
   * Releases all held items if the clock of the machine was set, because the times of their holds are wrong. The
   * policies are then called again.
   */
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
