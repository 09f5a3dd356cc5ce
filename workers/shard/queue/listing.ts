/** Where each item stands and when it can leave at the earliest. Pure. */
import { SECOND } from '../../../src/domain/clock.ts'
import type { InstanceSettings } from '../../../src/domain/instance.ts'
import type { Place, Waiting } from './item.ts'

export interface Standing {
  line: readonly Waiting[]
  inFlight: { item: Waiting; since: number } | undefined
  /** Moment of the head; null while the instance is not connected. */
  headAt: number | null
  /** End of the restriction, epoch ms; null while there is none. */
  restrictedUntil: number | null
  settings: Pick<InstanceSettings, 'delay_message_min_ms' | 'queue_max_age_hours'>
}

export function places({ line, inFlight, headAt, restrictedUntil, settings }: Standing): { item: Waiting; place: Place }[] {
  const maxAgeHours = settings.queue_max_age_hours
  const isRestricted = restrictedUntil !== null
  let at = headAt ?? 0
  const waiting = line.map((item, index) => {
    // Nothing is drawn yet behind the head: the earliest moment is after the least waits.
    if (index > 0) at += item.delayMessage === null ? settings.delay_message_min_ms : item.delayMessage * SECOND
    const position = index + (inFlight ? 2 : 1)
    const place: Place = { status: 'waiting', position, sendAfter: headAt === null ? null : at, isRestricted, maxAgeHours }
    return { item, place }
  })
  if (inFlight === undefined) return waiting
  return [
    { item: inFlight.item, place: { status: 'processing', position: 1, sendAfter: inFlight.since, isRestricted, maxAgeHours } },
    ...waiting,
  ]
}
