/** When the next item may leave. Pure: the moments and the random number are given. All moments are of the clock that does not step. */
import { SECOND } from '../../../src/domain/clock.ts'
import type { InstanceSettings } from '../../../src/domain/instance.ts'

/** Rest after `connected`, in ms: the network first hands over what came meanwhile. */
export const RESUME_DELAY = 2 * SECOND

type Delays = Pick<InstanceSettings, 'delay_message_min_ms' | 'delay_message_max_ms'>

/** The interval before an item, in whole ms, both ends included. */
export function drawWait({ delay_message_min_ms: least, delay_message_max_ms: most }: Delays, random: () => number): number {
  return least + Math.floor(random() * (Math.max(most, least) - least + 1))
}

export interface Turn {
  /** When it came into the queue. */
  arrivedAt: number
  /** Seconds, as requested; null: the drawn wait applies. */
  delayMessage: number | null
  drawnMs: number
  /** End of the item before; null while none was sent since the start. */
  previousDoneAt: number | null
  connectedAt: number
}

/**
 * The earliest moment of sending. Every item waits its interval, the one that was drawn or the one it asks for, from the end of the item before or
 * from its own arrival, whichever is later: a text to an idle queue waits, too.
 */
export function sendAt({ arrivedAt, delayMessage, drawnMs, previousDoneAt, connectedAt }: Turn): number {
  const interval = delayMessage === null ? drawnMs : delayMessage * SECOND
  return Math.max(connectedAt + RESUME_DELAY, Math.max(arrivedAt, previousDoneAt ?? arrivedAt) + interval)
}
