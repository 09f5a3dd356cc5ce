/** Position of each item, and the earliest time at which it can be sent. Pure. Times are of the steady clock, except those of places. */
import { SECOND } from '../../../src/domain/clock.ts'
import type { InstanceSettings } from '../../../src/domain/instance.ts'
import type { Hold } from './holds.ts'
import type { Place, Waiting } from './item.ts'

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

/** In the order of sending: items that others overtake come last. */
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
