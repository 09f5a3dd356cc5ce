/**
 * Readings of instances (waiting messages, events and deliveries), which their shards report while somebody watches.
 * Plain data.
 */

/** Outcomes of attempts to deliver events. */
export const ATTEMPT_RESULTS = ['delivered', 'retry', 'failed', 'discarded'] as const
export type AttemptResults = Record<(typeof ATTEMPT_RESULTS)[number], number>

/** Work that an instance has done since its shard thread began to host it. */
export interface InstanceWork {
  /** Time in epoch ms at which the thread began to host the instance. It distinguishes the counts of this thread from the counts of the next one. */
  since: number
  /** CPU time that the instance has used in its shard, in ms. */
  cpuMs: number
  /** Number of queued messages that the network accepted; next, number of messages that the network delivered to us. */
  sent: number
  received: number
  reconnects: number
  /** Time of the last sent message in epoch ms, and then of the last received one; null if there was none. */
  lastSentAt: number | null
  lastReceivedAt: number | null
  /** Bytes of messages and events that the instance holds in memory now. */
  heldBytes: number
}

/** Reading of one instance, as its shard reports it. */
export interface InstanceReading {
  instance: string
  /** Number of messages in its queue and of events in its outbox. */
  waiting: number
  backlog: number
  /** Time of the last received stanza in epoch ms; null if the instance is not connected. */
  lastInboundAt: number | null
  /** Attempts to deliver events since the instance started. */
  attempts: AttemptResults
  work: InstanceWork
}

/** Reading of a shard, separate from its metrics. */
export interface ShardSurvey {
  instances: InstanceReading[]
  heapBytes: number
  /** Share of the time since the last survey in which the thread was busy, 0 to 1. */
  busy: number
}

/** Readings of the instances. They are taken only while somebody watches, and at a limited rate, however many people watch. */
export interface Readings {
  /** Returns the last reading of an instance; undefined if its shard does not answer. */
  of(instance: string): InstanceReading | undefined
  all(): readonly InstanceReading[]
  /** Returns the last surveys of the shards, in the order of the shards; undefined for a shard that does not answer. */
  shards(): readonly (ShardSurvey | undefined)[]
  /** Takes new readings, unless the last readings are younger than `maxAgeMs`. */
  look(maxAgeMs: number): Promise<void>
}
