import { SECOND } from '../../../../src/domain/clock.ts'
import type { InstanceSettings } from '../../../../src/domain/instance.ts'

/**
 * Delay in ms of the first message after the connection has opened. During this time, the network delivers the messages
 * that arrived while the instance was offline.
 */
export const RESUME_DELAY = 2 * SECOND

type Delays = Pick<InstanceSettings, 'delay_message_min_ms' | 'delay_message_max_ms'>

/** Draws a whole number of ms between the two limits, which are included. */
export function drawWait({ delay_message_min_ms: least, delay_message_max_ms: most }: Delays, random: () => number): number {
  return least + Math.floor(random() * (Math.max(most, least) - least + 1))
}

export interface Turn {
  arrivedAt: number
  /** Delay in seconds that the request gave; null if the random interval applies. */
  delayMessage: number | null
  drawnMs: number
  /** Time at which the sending of the previous item ended; null if none has ended since the start. */
  previousDoneAt: number | null
  connectedAt: number
}

/**
 * Returns the time of the monotonic clock at which the item may be sent. Its interval begins when the previous item
 * ends or when this item arrives, whichever is later.
 */
export function turnAt({ arrivedAt, delayMessage, drawnMs, previousDoneAt, connectedAt }: Turn): number {
  const interval = delayMessage === null ? drawnMs : delayMessage * SECOND
  return Math.max(connectedAt + RESUME_DELAY, Math.max(arrivedAt, previousDoneAt ?? arrivedAt) + interval)
}
