/**
 * The engine over the shards. It places instances on shards and handles the end of a shard. A thread that dies takes only its own sessions with it:
 * its calls fail immediately with `engine_unavailable`, the other shards are not affected, and its instances are booted from storage in the next
 * thread run. The placement is only in memory, because any shard can host any instance.
 */
import { type Clock, SECOND, steadyClock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceConfig, RuntimeState, Status } from '../domain/instance.ts'
import type { Log } from '../domain/log.ts'
import { inlineMedia } from '../domain/media.ts'
import type { MediaJob } from '../domain/media-job.ts'
import type { ShardSurvey } from '../domain/readings.ts'
import type { ShardReport } from '../metrics/tally.ts'
import type { Engine, EngineEvent, Result, ShardNeed, ShardSetup, StartHow } from './engine.ts'
import type { CrashHow } from './protocol.ts'
import { createShardSupervisor, respawnDelay, type Shard } from './shard-supervisor.ts'
import { createStartGate, type StartGate } from './start-gate.ts'
import { threadModule } from './thread.ts'

/**
 * Number of sessions per second that resume, per network route (our own address, or a proxy); the operator may change it. A boot starts no other
 * sessions: an instance without an account waits for its caller.
 */
const STARTS_PER_SECOND = 25
/** V8 heap of one thread in MB; buffers are additional. */
const HEAP_MB = 512
/** Time that a scrape waits for a shard in ms; then the last report is used. */
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
  /** Another main module of the thread, and its ping interval, for tests of the supervision. */
  worker?: URL
  watchEveryMs?: number
  startLimitMs?: number
  sayEveryMs?: number
  /** Aborts the start: every shard that is not up yet is ended, and the promise rejects. */
  signal?: AbortSignal
}

export interface PooledEngine extends Engine {
  /** Generation of every shard that answers; undefined for one that does not. */
  generations(): (number | undefined)[]
  shardOf(instance: string): number | undefined
  /** Surveys of all shards in their order; undefined for one that does not answer within a second. */
  survey(): Promise<(ShardSurvey | undefined)[]>
  /** Requests a report of every shard. Resolves when all have reported, or after one second. */
  refreshReports(): Promise<void>
  /** Test hook (`allowCrash`): crashes the thread. Resolves when its run has ended. */
  crashShard(shard: number, how?: CrashHow): Promise<void>
}

/** An instance on its shard, where it runs now or from the next thread run on. */
interface Placed {
  shard: Shard
  config: InstanceConfig
  /** Generation that its start was sent to; undefined while it waits. */
  generation: number | undefined
  /** Generation that has announced a state of the instance. */
  heardIn: number | undefined
  /** The creation failed, or the instance is being deleted: its records are erased, at the latest in the next thread run. */
  isDoomed: boolean
}

/** Statuses without a session: booting such an instance takes no start slot. */
const NOT_RUNNING: ReadonlySet<Status> = new Set(['created', 'logged_out', 'banned', 'stopped'])

const isUnavailable = (error: unknown) => error instanceof Failure && error.code === 'engine_unavailable'

/** Buffers of inline media that can be transferred. A view of a larger buffer is excluded, because the rest would be transferred too. */
function movable(input: unknown): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = []
  for (const { bytes } of inlineMedia(input))
    if (bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength) buffers.push(bytes.buffer)
  return buffers
}

/** Resolves when every shard answers. If a shard fails with an error that a retry cannot fix, it rejects and leaves no thread behind. */
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
  /** Start gates by proxy; null for our own address. */
  const gates = new Map<string | null, StartGate>()
  const placed = new Map<string, Placed>()
  const listeners: ((event: EngineEvent) => void)[] = []
  let isClosed = false

  const shards = Array.from({ length: count }, (_, index): Shard => {
    const shard = createShardSupervisor({
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
      onUp: (generation) => bootAll(shard, generation),
      onReport: (generation, report) => onReport(index, generation, report),
    })
    return shard
  })

  function heardOf(instance: string) {
    const entry = placed.get(instance)
    if (entry) entry.heardIn = entry.shard.generation()
  }

  function gateOf({ config }: Placed): StartGate {
    const way = config.settings.proxy_url
    const known = gates.get(way)
    if (known) return known
    const gate = createStartGate(startsPerSecond, clock)
    gates.set(way, gate)
    if (isClosed) gate.open()
    return gate
  }

  async function serve(shard: Shard, { id, job }: ShardNeed) {
    try {
      await shard.run({ type: 'prepared', id, result: await prepareMedia(job) })
    } catch (error) {
      // A shard that died in the meantime sends the item again in its next run.
      if (!isUnavailable(error)) log.error({ err: error, shard: shard.index }, 'a shard did not accept the result of a media job')
    }
  }

  /** The shard with the fewest instances. A new instance needs a shard that answers; a boot can wait for the next thread run. */
  function roomiest(how: StartHow): Shard | undefined {
    const load = new Map(shards.map((shard) => [shard, 0]))
    for (const { shard } of placed.values()) load.set(shard, load.get(shard)! + 1)
    const byLoad = [...shards].sort((a, b) => load.get(a)! - load.get(b)!)
    return byLoad.find((shard) => shard.generation() !== undefined) ?? (how === 'boot' ? byLoad[0] : undefined)
  }

  async function sendStart(entry: Placed, how: StartHow): Promise<RuntimeState> {
    entry.generation = entry.shard.generation()
    return (await entry.shard.run({ type: 'start', config: entry.config, how, key: keyOf(entry.config.id) })) as RuntimeState
  }

  /** Boots one instance when a slot is free. Undefined if a death, a stop or an earlier start made it unnecessary. */
  async function boot(entry: Placed, generation: number | undefined, failed = 0): Promise<RuntimeState | undefined> {
    const gate = gateOf(entry)
    const giveBack = await gate.slot()
    const isStale = isClosed || entry.isDoomed || placed.get(entry.config.id) !== entry || entry.shard.generation() !== generation
    if (isStale || (generation !== undefined && entry.generation === generation)) {
      giveBack()
      return undefined
    }
    let state: RuntimeState
    try {
      state = await sendStart(entry, 'boot')
    } catch (error) {
      giveBack()
      if (!isUnavailable(error)) bootAgain(entry, generation, failed)
      throw error
    }
    if (NOT_RUNNING.has(state.status)) giveBack()
    return state
  }

  /** Retries on a running shard that could not start the instance (its disk was full), because nothing else would. */
  function bootAgain(entry: Placed, generation: number | undefined, failed: number) {
    entry.generation = undefined
    const again = () =>
      boot(entry, generation, failed + 1).catch((error) => {
        log.error({ err: error, instance: entry.config.id, shard: entry.shard.index }, 'the instance could not be started')
      })
    setTimeout(again, respawnDelay(failed)).unref()
  }

  function bootAll(shard: Shard, generation: number) {
    for (const entry of placed.values()) {
      if (entry.shard !== shard) continue
      const comeBack = entry.isDoomed ? engine.stop(entry.config.id, 'erase') : boot(entry, generation)
      comeBack.catch((error) => {
        log.error({ err: error, instance: entry.config.id, shard: shard.index }, 'the instance could not be started')
      })
    }
  }

  function find(instance: string): Placed {
    const entry = placed.get(instance)
    if (entry === undefined) throw new Failure('engine_unavailable')
    return entry
  }

  const engine: PooledEngine = {
    async start(config, how) {
      const shard = placed.get(config.id)?.shard ?? roomiest(how)
      if (shard === undefined || isClosed) throw new Failure('engine_unavailable')
      const entry: Placed = { shard, config, generation: undefined, heardIn: undefined, isDoomed: false }
      placed.set(config.id, entry)
      if (how === 'boot') {
        const state = await boot(entry, shard.generation())
        if (state === undefined) throw new Failure('engine_unavailable')
        return state
      }
      try {
        return await sendStart(entry, how)
      } catch (error) {
        // The caller drops its record and asks to erase the rest. A shard that died cannot do it, so its next run must not boot the instance.
        entry.isDoomed = true
        entry.generation = undefined
        throw error
      }
    },

    async configure(config) {
      const entry = find(config.id)
      entry.config = config
      // While the start waits or the shard is down, the later start includes the configuration.
      if (entry.generation === undefined || entry.generation !== entry.shard.generation()) return
      try {
        await entry.shard.run({ type: 'configure', config })
      } catch (error) {
        if (!isUnavailable(error)) throw error
      }
    },

    async stop(instance, how) {
      const entry = find(instance)
      const generation = entry.shard.generation()
      // No later thread run boots the instance again.
      if (how === 'erase') entry.isDoomed = true
      if (generation === undefined && entry.isDoomed) return
      // To log out and erase an instance the shard must host it, even if its start still waits.
      if (how === 'erase' && generation !== undefined && entry.generation !== generation) {
        await sendStart(entry, 'boot').catch((error) => {
          if (isUnavailable(error)) throw error
          log.warn({ err: error, instance }, 'an instance to be erased could not be started, so it is erased without logging out')
        })
      }
      try {
        await entry.shard.run({ type: 'stop', instance, how })
      } catch (error) {
        // A session that died with its shard is closed without logging out, as `keep` requires.
        if (how === 'erase' || !isUnavailable(error)) throw error
      }
      placed.delete(instance)
    },

    async call(instance, call, origin = {}) {
      const { shard } = find(instance)
      return shard.run({ type: 'call', instance, call, origin }, undefined, movable(call.input)) as Promise<never>
    },

    onEvent(listener) {
      listeners.push(listener)
    },

    hasTold(instance) {
      const { shard, heardIn, isDoomed } = placed.get(instance) ?? {}
      return heardIn !== undefined && !isDoomed && shard!.generation() === heardIn && shard!.hasToldAll()
    },

    problem() {
      const [slow] = shards.flatMap((shard) => {
        const ms = shard.startingFor()
        return ms === undefined ? [] : { shard: shard.index, ms }
      })
      return slow && `Shard ${slow.shard} has been starting for ${Math.round(slow.ms / SECOND)} s.`
    },

    isReady: () => !isClosed && shards.every((shard) => shard.generation() !== undefined),

    async close(deadlineMs) {
      isClosed = true
      for (const gate of gates.values()) gate.open()
      await Promise.all(shards.map((shard) => shard.close(deadlineMs)))
    },

    generations: () => shards.map((shard) => shard.generation()),

    async refreshReports() {
      await Promise.all(shards.map((shard) => shard.refreshReport(REPORT_LIMIT)))
    },

    survey: () =>
      Promise.all(
        shards.map((shard) =>
          (shard.run({ type: 'survey' }, REPORT_LIMIT) as Promise<ShardSurvey>).catch((error) => {
            if (!isUnavailable(error)) log.warn({ err: error, shard: shard.index }, 'the state of a shard could not be read')
            return undefined
          }),
        ),
      ),

    shardOf: (instance) => placed.get(instance)?.shard.index,

    async crashShard(index, how = 'exit') {
      await shards[index]!.run({ type: 'crash', how }).then(
        () => {
          throw new Error('The shard did not crash as requested.')
        },
        (error) => {
          if (!isUnavailable(error)) throw error
        },
      )
    },
  }

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
  return engine
}
