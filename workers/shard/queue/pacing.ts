/** When the next item may leave. Pure: the moments and the random number are given. */
import { SECOND } from '../../../src/domain/clock.ts'
import type { InstanceSettings } from '../../../src/domain/instance.ts'

/** Rest after `connected`, in ms: the network first hands over what came meanwhile. */
export const RESUME_DELAY = 2 * SECOND

type Delays = Pick<InstanceSettings, 'delay_message_min_ms' | 'delay_message_max_ms'>

/** The wait between two items, in whole ms, both ends included. */
export function drawWait({ delay_message_min_ms: least, delay_message_max_ms: most }: Delays, random: () => number): number {
  return least + Math.floor(random() * (Math.max(most, least) - least + 1))
}

export interface Turn {
  queuedAt: number
  /** Seconds, as requested; null: the drawn wait applies. */
  delayMessage: number | null
  drawnMs: number
  /** End of the item before; null while none was sent since the start. */
  previousDoneAt: number | null
  connectedAt: number
}

/**
 * Epoch ms of the earliest sending. The drawn wait lies between two items, so the first one does not wait. A wait asked for by the item
 * replaces it and always counts, from the end of the item before or, when the line was empty, from its own arrival.
 */
export function sendAt({ queuedAt, delayMessage, drawnMs, previousDoneAt, connectedAt }: Turn): number {
  const resumed = connectedAt + RESUME_DELAY
  if (delayMessage !== null) return Math.max(resumed, Math.max(queuedAt, previousDoneAt ?? 0) + delayMessage * SECOND)
  return Math.max(resumed, queuedAt, previousDoneAt === null ? 0 : previousDoneAt + drawnMs)
}
