/**
 * Lists a queue: the position of each item, and the earliest time at which it can be sent. Times are of the steady
 * clock, except those of places.
 */
import { SECOND } from '../../../../src/domain/clock.ts'
import type { InstanceSettings } from '../../../../src/domain/instance.ts'
import { onPage } from '../../../../src/domain/page.ts'
import type { Queue, QueueOptions } from '../contract.ts'
import { type Place, type QueueEntry, type QueueLine, toEntry, type Waiting } from '../item.ts'
import type { ItemStore } from '../item-store.ts'
import { inFlight, type Modes } from '../modes.ts'
import type { Hold, Holds } from './holds.ts'
import type { Schedule } from './schedule.ts'

export interface Standing {
  line: readonly Waiting[]
  inFlight: { item: Waiting; since: number } | undefined
  /** Time of the next item; null while the instance is not connected. */
  headAt: number | null
  holdOf(item: Waiting): Hold | undefined
  /** Converts a time to epoch ms. */
  epoch(at: number): number
  settings: Pick<InstanceSettings, 'delay_message_min_ms' | 'queue_max_age_hours'>
}

type Listed = { item: Waiting; place: Place }

/** Returns the places of all items in the order of sending: items that others overtake come last. Pure. */
export function places({ line, inFlight, headAt, holdOf, epoch, settings }: Standing): Listed[] {
  const maxAgeHours = settings.queue_max_age_hours
  const isConnected = headAt !== null
  const held = line.flatMap((item) => {
    const hold = isConnected ? holdOf(item) : undefined
    return hold ? [{ item, hold }] : []
  })
  const isHeld = new Set(held.map(({ item }) => item))
  const free = line.filter((item) => !isHeld.has(item))
  let position = inFlight ? 1 : 0
  let at = headAt ?? 0

  const waiting = (item: Waiting, sendAfter: number | null, reason: Place['reason']): Listed => {
    position++
    return { item, place: { status: 'waiting', position, sendAfter, reason, maxAgeHours } }
  }
  const freeOnes = free.map((item, index) => {
    if (!isConnected) return waiting(item, null, 'instance_not_connected')
    // No wait is drawn yet for items behind the head: the earliest time assumes the shortest waits.
    const interval = item.delayMessage === null ? settings.delay_message_min_ms : item.delayMessage * SECOND
    if (index > 0) at = Math.max(at, item.arrivedAt) + interval
    return waiting(item, epoch(at), 'pacing')
  })
  const heldOnes = held.map(({ item, hold: { until, reason } }) =>
    waiting(item, until === null ? null : epoch(until), reason === 'restricted' ? 'restricted' : 'pacing'),
  )
  if (inFlight === undefined) return [...freeOnes, ...heldOnes]
  const processing: Place = { status: 'processing', position: 1, sendAfter: epoch(inFlight.since), reason: null, maxAgeHours }
  return [{ item: inFlight.item, place: processing }, ...freeOnes, ...heldOnes]
}

export interface ListingDeps extends Pick<QueueOptions, 'clock' | 'steady' | 'settings'> {
  items: Pick<ItemStore, 'get'>
  line: Pick<QueueLine, 'rows'>
  modes: Modes
  schedule: Schedule
  holds: Holds
}

export function createListing(deps: ListingDeps): Pick<Queue, 'list' | 'find'> {
  const { clock, steady, settings, items, line, modes, schedule, holds } = deps

  function standing() {
    const offset = clock.now() - steady.now()
    return places({
      line: line.rows,
      inFlight: inFlight(modes.now),
      // Without a connection nothing is asked about the items: a restriction would look up who wrote to the account.
      headAt: schedule.isConnected ? schedule.timeOf(holds.next()) : null,
      holdOf: holds.of,
      epoch: (at) => at + offset,
      settings: settings(),
    })
  }

  return {
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
        // The item was sent or removed while the page was read.
        if (stored !== undefined) data.push(toEntry(stored, place))
      }
      return { data, page, page_size: pageSize, total: found.length }
    },
  }
}
