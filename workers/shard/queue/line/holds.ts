/**
 * Holds back items that others overtake. Which items, for which reason and until when is decided by policies: `send-at.ts` (not before the time that
 * the request gave), `restricted.ts` (the network restricts the account), `later.ts` (the network has not decided yet).
 *
 * Policies are asked in their order, and the first hold counts. They are asked about the item that would leave next, and not about all items at each
 * look: an item that is held moves to a list of its policy in the order of `until`, and is asked about again when that time has come, or when the
 * policy reports a change. A hold is never stored: after a restart the policies are asked again.
 */
import { type Clock, MINUTE } from '../../../../src/domain/clock.ts'
import type { WaitingReason } from '../../../../src/domain/waiting-reason.ts'
import type { Waiting } from '../item.ts'
import { createSortedList, type SortedList } from './sorted-list.ts'

export interface Hold {
  /** `waiting_reason` in the list of the queue. */
  reason: WaitingReason
  /**
   * Time of the policy's clock at which the policy is asked again; `send_after` in the list. If it is null or has passed, the policy is asked again
   * only after it has reported a change.
   */
  until: number | null
  /** Whether the item does not age while it is held: it cannot become too old by waiting for this. */
  stopsAge?: boolean
}

export interface HoldPolicy {
  /** Clock of `until`: `steady` for a length of time, the clock of the epoch for a date or a time of day. */
  readonly clock: Clock
  /**
   * Asked about the item that would leave next, also while another is in flight, and about every item that is listed. It is synchronous and cheap,
   * and has no effects that others notice. Undefined if the policy lets the item leave.
   */
  holding(item: Waiting): Hold | undefined
  /**
   * The listener is called when held items may leave before their `until`: those that `concerns` accepts, or all of them. A hold that begins need not
   * be reported.
   */
  onChange?(listener: ChangeListener): void
}

export type ChangeListener = (concerns?: (item: Waiting) => boolean) => void

/** Longest time in ms until the clocks are read again, because a clock that was set forward wakes nobody. */
const LONGEST_SLEEP = MINUTE

export interface Holds {
  /** The item waits: it is ready until a policy holds it. */
  add(item: Waiting): void
  /** The item no longer waits. */
  remove(item: Waiting): void
  /** Returns the hold of a waiting item, with `until` in epoch ms; undefined if it may be sent. */
  of(item: Waiting): Hold | undefined
  /** Returns the next item to send: the first that no policy holds. */
  next(): Waiting | undefined
  /** Returns the ms after which `next` may return an item that is held now; Infinity if no item is held until a time. */
  nextIn(): number
  /** The listener is called when a policy has reported a change. */
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

export function createHolds(policies: readonly HoldPolicy[], epoch: Clock): Holds {
  const ready = createSortedList<Waiting>(isBefore)
  const groups = policies.map((policy): Group => ({ policy, held: createSortedList(isAskedBefore) }))
  const heldIn = new Map<string, { group: Group; held: Held }>()
  const listeners: (() => void)[] = []

  function askedFirst(item: Waiting): { group: Group; hold: Hold } | undefined {
    for (const group of groups) {
      const hold = group.policy.holding(item)
      if (hold) return { group, hold }
    }
    return undefined
  }

  function hold(item: Waiting, { group, hold }: { group: Group; hold: Hold }) {
    const { until } = hold
    const askAt = until !== null && until > group.policy.clock.now() ? until : Number.POSITIVE_INFINITY
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
