/** Backlog and deliveries of instances, which their shards report while somebody watches: plain data that crosses threads. */

/** Outcomes of attempts to deliver events. */
export const ATTEMPT_RESULTS = ['delivered', 'retry', 'failed', 'discarded'] as const
export type AttemptResults = Record<(typeof ATTEMPT_RESULTS)[number], number>

/** Backlog and deliveries of an instance, as its shard reports them. */
export interface InstanceReading {
  instance: string
  /** Messages in its queue, and events in its outbox. */
  waiting: number
  backlog: number
  /** When its last stanza came in, epoch ms; null: it is not connected. */
  lastInboundAt: number | null
  /** Attempts to deliver its events since it was started. */
  attempts: AttemptResults
}

/** A reading of a shard, separate from its metrics. */
export interface ShardSurvey {
  instances: InstanceReading[]
  heapBytes: number
  /** Share of the time since the last survey that the thread worked, 0 to 1. */
  busy: number
}

/** Looked at at most once in a while, however many watch, and by nobody while nobody does. */
export interface Readings {
  /** As of the last look; undefined: its shard does not answer. */
  of(instance: string): InstanceReading | undefined
  all(): readonly InstanceReading[]
  /** Of the threads, in their order; undefined for one that does not answer. */
  shards(): readonly (ShardSurvey | undefined)[]
  /** Looks, unless that was done less than `maxAgeMs` ago. */
  look(maxAgeMs: number): Promise<void>
}
