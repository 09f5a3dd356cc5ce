/**
 * The engine with shard threads. A thread that dies takes only its own sessions with it. Its calls fail with
 * `engine_unavailable`, and its instances are started again in the next thread.
 */
import { type Clock, SECOND, steadyClock } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import { inlineMedia } from '../domain/media.ts'
import type { MediaJob } from '../domain/media-job.ts'
import type { ShardSurvey } from '../domain/readings.ts'
import { STARTS_PER_SECOND } from '../domain/starts-per-second.ts'
import type { ShardReport } from '../metrics/tally.ts'
import type { Engine, EngineEvent, Result, ShardNeed, ShardSetup } from './engine.ts'
import { createHosting } from './hosting.ts'
import { createPlacement } from './placement.ts'
import type { CrashHow } from './protocol.ts'
import { createShardSupervisor, type Shard } from './shard-supervisor.ts'
import { createStartWait } from './start-wait.ts'
import { threadModule } from './thread.ts'
import { isUnavailable } from './unavailable.ts'
import type { WarmThread } from './warm-thread.ts'

/** V8 heap of one thread in MB; buffers are additional. */
const HEAP_MB = 512
/**
 * Milliseconds that the metrics and a survey wait for a shard thread. After that, the metrics use its previous report.
 */
const REPORT_LIMIT = SECOND
export const THREAD = threadModule('../../workers/shard/main', import.meta.url)

export interface PoolSetup extends Omit<ShardSetup, 'shard'> {
  shards: number
  log: Log
  /** Returns the key that encrypts the records of an instance. Throws if there is none. */
  keyOf: (instance: string) => Uint8Array
  prepareMedia: (job: MediaJob) => Promise<Result>
  /**
   * Makes the store refuse the commits of earlier runs of a shard thread that are not stored yet
   * (`OpenParts.endThreads`).
   */
  endWriter?: ((shard: number) => Promise<void>) | undefined
  runsWithinMs?: number | undefined
  onReport?: (shard: number, generation: number, report: ShardReport) => void
  clock?: Clock
  allowCrash?: boolean
  heapMb?: number | undefined
  startsPerSecond?: number | undefined
  worker?: URL
  /** Threads that were started earlier, one for each shard. */
  warm?: readonly WarmThread[] | undefined
  watchEveryMs?: number
  startLimitMs?: number
  sayEveryMs?: number
  /** Aborts the start: threads that are not up yet are ended, and the promise rejects. */
  signal?: AbortSignal
}

export interface PooledEngine extends Engine {
  /** Numbers of the current runs, in the order of the shard threads; undefined for a thread that is not up. */
  generations(): (number | undefined)[]
  shardOf(instance: string): number | undefined
  /**
   * Milliseconds since starts of the instance began to fail, or since its thread stopped running. Undefined if neither
   * happened, or if no thread has the instance.
   */
  failingFor(instance: string): number | undefined
  /**
   * Returns the state of each shard thread, in their order; undefined for a thread that does not answer within a
   * second.
   */
  survey(): Promise<(ShardSurvey | undefined)[]>
  /** Resolves when each shard thread has reported or cannot report, or after one second. */
  refreshReports(): Promise<void>
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
 * Resolves when every shard thread answers. If one fails with an error that a retry cannot fix, all threads are ended
 * and the promise rejects.
 */
export async function createPooledEngine(setup: PoolSetup): Promise<PooledEngine> {
  const {
    shards: count,
    log,
    keyOf,
    prepareMedia,
    endWriter,
    runsWithinMs,
    onReport = () => {},
    clock = steadyClock,
    allowCrash = false,
    heapMb = HEAP_MB,
    startsPerSecond = STARTS_PER_SECOND,
    worker = THREAD,
    warm = [],
    watchEveryMs,
    startLimitMs,
    sayEveryMs,
    signal,
    ...common
  } = setup
  const listeners: ((event: EngineEvent) => void)[] = []
  const shards: Shard[] = []
  const placement = createPlacement(shards)
  const hosting = createHosting({ placement, endWriter, runsWithinMs, keyOf, startsPerSecond, clock, log })
  const startOf = createStartWait(placement)
  let isClosed = false

  for (let index = 0; index < count; index++) {
    const shard: Shard = createShardSupervisor({
      worker,
      setup: { ...common, startsPerSecond, shard: index },
      allowCrash,
      warm: warm[index],
      heapMb,
      clock,
      watchEveryMs,
      startLimitMs,
      sayEveryMs,
      log,
      onEvent(event) {
        if (event.type === 'prepare') void serve(shard, event, { prepareMedia, log })
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

  const engine: PooledEngine = {
    start: hosting.start,
    configure: hosting.configure,
    stop: hosting.stop,

    async call(instance, call, origin = {}, patience = {}) {
      const placed = placement.find(instance)
      const { shard } = placed.inLine === undefined ? placed : await startOf(instance, patience)
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

    failingFor(instance) {
      const { failingSince, shard } = placement.get(instance) ?? {}
      return failingSince === undefined ? shard?.startingFor() : clock.now() - failingSince
    },

    crashShard: (index, how = 'exit') => crash(shards[index]!, how),
  }

  await allBegun(engine, shards, signal)
  return engine
}

/** Carries out a media job of a shard, and sends the result to the shard. Never rejects. */
async function serve(shard: Shard, { id, job }: ShardNeed, { prepareMedia, log }: Pick<PoolSetup, 'prepareMedia' | 'log'>) {
  try {
    await shard.run({ type: 'prepared', id, result: await prepareMedia(job) })
  } catch (error) {
    // If the thread died during the job, its next run sends the message again.
    if (!isUnavailable(error)) log.error({ err: error, shard: shard.index }, 'a shard did not accept the result of a media job')
  }
}

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
 * Resolves when every shard thread has answered once. If one cannot start, or if the signal is aborted, it closes the
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
