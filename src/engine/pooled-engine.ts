/**
 * The engine over the shards. It places instances on shards and handles the end of a shard. A thread that dies takes only its own sessions with it:
 * its calls fail immediately with `engine_unavailable`, the other shards are not affected, and its instances are booted from storage in the next
 * thread run (`placement.ts`, `boots.ts`).
 */
import { type Clock, SECOND, steadyClock } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import { inlineMedia } from '../domain/media.ts'
import type { MediaJob } from '../domain/media-job.ts'
import type { ShardSurvey } from '../domain/readings.ts'
import type { ShardReport } from '../metrics/tally.ts'
import type { Engine, EngineEvent, Result, ShardNeed, ShardSetup } from './engine.ts'
import { createHosting } from './hosting.ts'
import { createPlacement } from './placement.ts'
import type { CrashHow } from './protocol.ts'
import { createShardSupervisor, type Shard } from './shard-supervisor.ts'
import { threadModule } from './thread.ts'
import { isUnavailable } from './unavailable.ts'

/**
 * The most sessions that resume per second and network route (our own address, or a proxy); the operator may change it. Only sessions with an account
 * are started at a boot: an instance without an account waits until a caller requests a QR code or a phone code.
 */
const STARTS_PER_SECOND = 25
/** V8 heap of one thread in MB; buffers are additional. */
const HEAP_MB = 512
/** Time in ms that a scrape of the metrics waits for the report of a shard. After that the previous report is used. */
const REPORT_LIMIT = SECOND
const THREAD = threadModule('../../workers/shard/main', import.meta.url)

export interface PoolSetup extends Omit<ShardSetup, 'shard'> {
  shards: number
  log: Log
  /** Key that seals the records of an instance. Throws if it is missing. */
  keyOf: (instance: string) => Uint8Array
  /** Examines and converts a file that a shard is about to send. */
  prepareMedia: (job: MediaJob) => Promise<Result>
  /** Receives the report of a thread run, every 10 s and on request. */
  onReport?: (shard: number, generation: number, report: ShardReport) => void
  clock?: Clock
  /** Enables `crashShard`, for tests. */
  allowCrash?: boolean
  /** V8 heap of one shard in MB. */
  heapMb?: number | undefined
  startsPerSecond?: number | undefined
  /** Main module of the threads, in place of the usual one, and next the interval of the pings. Both are for tests of the supervision. */
  worker?: URL
  watchEveryMs?: number
  startLimitMs?: number
  sayEveryMs?: number
  /** Aborts the start: every shard that is not up yet is ended, and the promise rejects. */
  signal?: AbortSignal
}

export interface PooledEngine extends Engine {
  /** Returns the generation of every shard that answers; undefined for one that does not. */
  generations(): (number | undefined)[]
  shardOf(instance: string): number | undefined
  /** Returns surveys of all shards in their order; undefined for one that does not answer within a second. */
  survey(): Promise<(ShardSurvey | undefined)[]>
  /** Requests a report of every shard. Resolves when all have reported, or after one second. */
  refreshReports(): Promise<void>
  /** Test hook (`allowCrash`): crashes the thread. Resolves when its run has ended. */
  crashShard(shard: number, how?: CrashHow): Promise<void>
}

/**
 * Returns the buffers of inline media that can be transferred. A view of a larger buffer is excluded, because the rest
 * would be transferred too.
 */
function movable(input: unknown): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = []
  for (const { bytes } of inlineMedia(input))
    if (bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength) buffers.push(bytes.buffer)
  return buffers
}

/**
 * Creates the engine. Resolves when every shard answers. Rejects if a shard fails with an error that a retry cannot fix; all threads are then ended.
 */
export async function createPooledEngine(setup: PoolSetup): Promise<PooledEngine> {
  const {
    shards: count,
    log,
    keyOf,
    prepareMedia,
    onReport = () => {},
    clock = steadyClock,
    allowCrash = false,
    heapMb = HEAP_MB,
    startsPerSecond = STARTS_PER_SECOND,
    worker = THREAD,
    watchEveryMs,
    startLimitMs,
    sayEveryMs,
    signal,
    ...common
  } = setup
  const listeners: ((event: EngineEvent) => void)[] = []
  const shards: Shard[] = []
  const placement = createPlacement(shards)
  const hosting = createHosting({ placement, keyOf, startsPerSecond, clock, log })
  let isClosed = false

  for (let index = 0; index < count; index++) {
    const shard: Shard = createShardSupervisor({
      worker,
      data: { ...common, shard: index, allowCrash },
      heapMb,
      clock,
      watchEveryMs,
      startLimitMs,
      sayEveryMs,
      log,
      onEvent(event) {
        if (event.type === 'prepare') void serve(shard, event)
        else {
          if (event.type === 'state') heardOf(event.instance)
          for (const listener of listeners) listener(event)
        }
      },
      onUp: (generation) => hosting.bootAll(shard, generation),
      onReport: (generation, report) => onReport(index, generation, report),
    })
    shards.push(shard)
  }

  function heardOf(instance: string) {
    const entry = placement.get(instance)
    if (entry) entry.heardIn = entry.shard.generation()
  }

  async function serve(shard: Shard, { id, job }: ShardNeed) {
    try {
      await shard.run({ type: 'prepared', id, result: await prepareMedia(job) })
    } catch (error) {
      // If the shard died in the meantime, its next run sends the item again.
      if (!isUnavailable(error)) log.error({ err: error, shard: shard.index }, 'a shard did not accept the result of a media job')
    }
  }

  const engine: PooledEngine = {
    start: hosting.start,
    configure: hosting.configure,
    stop: hosting.stop,

    async call(instance, call, origin = {}) {
      const { shard } = placement.find(instance)
      return shard.run({ type: 'call', instance, call, origin }, undefined, movable(call.input)) as Promise<never>
    },

    onEvent(listener) {
      listeners.push(listener)
    },

    hasTold(instance) {
      const { shard, heardIn, isDoomed } = placement.get(instance) ?? {}
      return heardIn !== undefined && !isDoomed && shard!.generation() === heardIn && shard!.hasToldAll()
    },

    problem() {
      const slow = shards.find((shard) => shard.startingFor() !== undefined)
      return slow && `Shard ${slow.index} has been starting for ${Math.round(slow.startingFor()! / SECOND)} s.`
    },

    isReady: () => !isClosed && shards.every((shard) => shard.generation() !== undefined),

    async close(deadlineMs) {
      isClosed = true
      hosting.close()
      await Promise.all(shards.map((shard) => shard.close(deadlineMs)))
    },

    generations: () => shards.map((shard) => shard.generation()),

    async refreshReports() {
      await Promise.all(shards.map((shard) => shard.refreshReport(REPORT_LIMIT)))
    },

    survey: () => Promise.all(shards.map((shard) => surveyOf(shard, log))),

    shardOf: (instance) => placement.get(instance)?.shard.index,

    crashShard: (index, how = 'exit') => crash(shards[index]!, how),
  }

  await allBegun(engine, shards, signal)
  return engine
}

/** Returns the survey of a shard; undefined if it does not answer in time. */
async function surveyOf(shard: Shard, log: Log): Promise<ShardSurvey | undefined> {
  try {
    return (await shard.run({ type: 'survey' }, REPORT_LIMIT)) as ShardSurvey
  } catch (error) {
    if (!isUnavailable(error)) log.warn({ err: error, shard: shard.index }, 'the state of a shard could not be read')
    return undefined
  }
}

async function crash(shard: Shard, how: CrashHow): Promise<void> {
  try {
    await shard.run({ type: 'crash', how })
  } catch (error) {
    if (!isUnavailable(error)) throw error
    return
  }
  throw new Error('The shard did not crash as requested.')
}

/**
 * Waits for the start. Resolves when every shard has answered once. If a shard cannot start, or if the signal is aborted, the function closes the
 * engine and rejects.
 */
async function allBegun(engine: Engine, shards: readonly Shard[], signal: AbortSignal | undefined): Promise<void> {
  const abort = () => void engine.close(0)
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  try {
    await Promise.all(shards.map((shard) => shard.begun))
  } catch (cause) {
    await engine.close(0)
    throw new Error('The engine did not start: a shard thread failed to start.', { cause })
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}
