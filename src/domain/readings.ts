/**
 * Measurements of instances (waiting messages, events, deliveries), which the main thread requests from their shard
 * threads. They are plain data.
 */

export const ATTEMPT_RESULTS = ['delivered', 'retry', 'failed', 'discarded'] as const
export type AttemptResults = Record<(typeof ATTEMPT_RESULTS)[number], number>

export interface InstanceWork {
  /** Time in epoch ms at which the thread began to host the instance and the counts began at 0. */
  since: number
  cpuMs: number
  /** Number of queued messages that WhatsApp accepted. */
  sent: number
  received: number
  reconnects: number
  /** Time of the last sent message in epoch ms; null if none was sent since `since`. */
  lastSentAt: number | null
  lastReceivedAt: number | null
  heldBytes: number
}

export interface InstanceReading {
  instance: string
  waiting: number
  backlog: number
  /** Time of the last stanza in epoch ms; null if the instance is not connected. */
  lastInboundAt: number | null
  attempts: AttemptResults
  /**
   * Time in epoch ms since which all attempts to deliver events of one type have failed; null if there is no such type.
   */
  refusedSince: number | null
  work: InstanceWork
}

export interface ShardSurvey {
  instances: InstanceReading[]
  heapBytes: number
  /** Share of the time since the last measurement in which the thread was busy, 0 to 1. */
  busy: number
}

export interface Readings {
  /**
   * Returns the latest measurement of an instance; undefined if there is none, for example because its thread hangs.
   */
  of(instance: string): InstanceReading | undefined
  /** Measurements of the instances of all services on the store. */
  all(): readonly InstanceReading[]
  /** Measurements of the instances that run in this service. */
  own(): readonly InstanceReading[]
  /** Measurements of the shard threads, in their order; undefined for a thread that does not answer. */
  shards(): readonly (ShardSurvey | undefined)[]
  /** Measures again, unless the last measurement is younger than `maxAgeMs`. */
  look(maxAgeMs: number): Promise<void>
  /** Measures this service only, with the same `maxAgeMs`, so it never waits for another service. */
  lookHere(maxAgeMs: number): Promise<void>
}
