/** Builds the list of a queue: the position of each item, and the earliest time at which it can be sent. */
import { HOUR, SECOND } from '../../../../src/domain/clock.ts'
import type { InstanceSettings } from '../../../../src/domain/instance.ts'
import { onPage } from '../../../../src/domain/page.ts'
import type { WaitingReason } from '../../../../src/domain/waiting-reason.ts'
import type { Queue, QueueOptions } from '../contract.ts'
import { type Place, type QueueEntry, toEntry, type Waiting, waitsFrom } from '../item.ts'
import type { ItemStore } from '../item-store.ts'
import { inFlight, type Modes } from '../modes.ts'
import type { Hold, HoldPolicy, Holds } from './holds.ts'
import type { QueueLine } from './queue-line.ts'
import type { Schedule } from './schedule.ts'

export interface Standing {
  line: readonly Waiting[]
  inFlight: { item: Waiting; since: number } | undefined
  headAt: number | null
  holdOf(item: Waiting): Hold | undefined
  now: number
  epoch(at: number): number
  settings: Pick<InstanceSettings, 'delay_message_min_ms' | 'queue_max_age_hours'>
}

type Listed = { item: Waiting; place: Place }

const comesBefore = (one: Waiting, other: Waiting) => (one.place < other.place ? -1 : 1)

/**
 * Returns each item with its position. Held items are last, in the order of the ends of their holds. All times in
 * the result are in epoch ms.
 */
export function places({ line, inFlight, headAt, holdOf, now, epoch, settings }: Standing): Listed[] {
  const isConnected = headAt !== null
  const inOrder = line.toSorted(comesBefore).map((item) => ({ item, hold: holdOf(item) }))
  const free = inOrder.flatMap(({ item, hold }) => (hold ? [] : [item]))
  const held = inOrder
    .flatMap(({ item, hold }) => (hold ? [{ item, hold, end: hold.until ?? Number.POSITIVE_INFINITY }] : []))
    .sort((one, other) => (one.end === other.end ? 0 : one.end - other.end))
  let position = inFlight ? 1 : 0
  let at = headAt ?? 0

  const expiryOf = (item: Waiting, hold?: Hold) => {
    const stillHeld = hold?.stopsAge ? Math.max(0, (hold.until ?? now) - now) : 0
    return waitsFrom(item) + item.heldMs + stillHeld + settings.queue_max_age_hours * HOUR
  }
  const waiting = (item: Waiting, sendAfter: number | null, reason: Place['reason'], hold?: Hold): Listed => {
    position++
    return { item, place: { status: 'waiting', position, sendAfter, reason, expiresAt: expiryOf(item, hold) } }
  }
  const freeOnes = free.map((item, index) => {
    if (!isConnected) return waiting(item, null, 'instance_not_connected')
    // Later random intervals are not known yet, so the shortest one is used.
    const interval = item.delayMessage === null ? settings.delay_message_min_ms : item.delayMessage * SECOND
    if (index > 0) at = Math.max(at, item.arrivedAt) + interval
    return waiting(item, epoch(at), 'pacing')
  })
  const heldOnes = held.map(({ item, hold }) => waiting(item, hold.until, hold.reason, hold))
  if (inFlight === undefined) return [...freeOnes, ...heldOnes]
  const processing: Place = {
    status: 'processing',
    position: 1,
    sendAfter: epoch(inFlight.since),
    reason: null,
    expiresAt: expiryOf(inFlight.item),
  }
  return [{ item: inFlight.item, place: processing }, ...freeOnes, ...heldOnes]
}

export interface ListingDeps extends Pick<QueueOptions, 'clock' | 'steady' | 'settings'> {
  items: Pick<ItemStore, 'get'>
  line: Pick<QueueLine, 'rows'>
  modes: Modes
  schedule: Schedule
  holds: Holds
  sendAt: Pick<HoldPolicy, 'holding'>
}

export function createListing(deps: ListingDeps): Pick<Queue, 'list' | 'find' | 'waitingFor'> {
  const { clock, steady, settings, items, line, modes, schedule, holds, sendAt } = deps

  function standing() {
    const now = clock.now()
    const offset = now - steady.now()
    return places({
      line: line.rows,
      inFlight: inFlight(modes.now),
      headAt: schedule.isConnected ? schedule.timeOf(holds.next()) : null,
      // Without a connection only `send_at` is checked, because a restriction would have to look up who wrote to the
      // account.
      holdOf: schedule.isConnected ? holds.of : sendAt.holding,
      now,
      epoch: (at) => at + offset,
      settings: settings(),
    })
  }

  return {
    waitingFor<R extends WaitingReason>(reasons: readonly R[]) {
      const all = standing().map(({ place }) => place.reason)
      const counts = reasons.map((reason) => [reason, all.filter((each) => each === reason).length])
      return Object.fromEntries(counts) as Record<R, number>
    },
    async find(id) {
      const found = standing().find(({ item }) => item.svcId === id || item.messageId === id)
      const stored = found && (await items.get(found.item.svcId))
      return stored && toEntry(stored, found.place)
    },
    async list({ page, pageSize, phone }) {
      const all = standing()
      const found = phone === undefined ? all : all.filter(({ item }) => item.phone === phone)
      const data: QueueEntry[] = []
      for (const { item, place } of onPage(found, { page, page_size: pageSize })) {
        const stored = await items.get(item.svcId)
        // An item that was sent or removed while the page was read is left out.
        if (stored !== undefined) data.push(toEntry(stored, place))
      }
      return { data, page, page_size: pageSize, total: found.length }
    },
  }
}
