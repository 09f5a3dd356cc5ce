/**
 * Runs the commands of a shard thread: hosts its instances, passes each command to the named instance, and converts every error to data. One thread
 * run has one number, its generation, which `hello` sets; a command of another run, or before `hello`, is refused.
 */

import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import * as v from 'valibot'
import { Failure, type FailureData } from '../../src/domain/failures.ts'
import type { InstanceConfig, RuntimeState } from '../../src/domain/instance.ts'
import type { Log } from '../../src/domain/log.ts'
import type { ShardSurvey } from '../../src/domain/readings.ts'
import { isStorageFailure, noStorage } from '../../src/domain/storage-failure.ts'
import type { Result, StartHow, StopHow } from '../../src/engine/engine.ts'
import { type CrashHow, ShardCommand } from '../../src/engine/protocol.ts'
import { orLate } from '../../src/lib/deadline.ts'
import type { ShardReport } from '../../src/metrics/tally.ts'
import { eraseInstance } from './erase.ts'
import type { HostedInstance } from './instance.ts'
import type { OpenShard } from './open-shard.ts'
import type { ShardDeps } from './shard-deps.ts'

export interface HostOptions {
  log: Log
  /** Opens the resources that all instances share; called once, by `hello`. */
  open(): Promise<OpenShard>
  createInstance(deps: ShardDeps, config: InstanceConfig, key: Uint8Array): HostedInstance
  crash(how: CrashHow): Promise<never>
}

export interface Host {
  run(command: unknown): Promise<Result>
}

/** An instance and its start, for which every other command to it waits. */
interface Hosted {
  instance: HostedInstance
  started: Promise<RuntimeState>
}

export function createHost({ log, open, createInstance, crash }: HostOptions): Host {
  const hosted = new Map<string, Hosted>()
  let generation: number | undefined
  let shard: OpenShard | undefined

  async function find(id: string): Promise<HostedInstance> {
    const entry = hosted.get(id)
    if (entry === undefined) throw new Failure('engine_unavailable')
    await entry.started
    return entry.instance
  }

  function start(config: InstanceConfig, how: StartHow, key: Uint8Array): Promise<RuntimeState> {
    const running = hosted.get(config.id)
    if (running !== undefined) return running.started
    const instance = createInstance(shard!.deps, config, key)
    const started = instance.start(how)
    hosted.set(config.id, { instance, started })
    started.catch(() => hosted.delete(config.id))
    return started
  }

  async function stop({ deps }: OpenShard, id: string, how: StopHow): Promise<null> {
    const entry = hosted.get(id)
    const isStarted = await entry?.started.then(
      () => true,
      () => false,
    )
    if (entry && isStarted) {
      await entry.instance.stop(how)
      hosted.delete(id)
      return null
    }
    if (how !== 'erase') throw new Failure('engine_unavailable')
    // An instance that cannot be started cannot log out either, but it can still be deleted.
    await eraseInstance(id, deps)
    return null
  }

  async function stopAll(deadlineMs: number) {
    const stops = [...hosted].map(async ([id, { instance, started }]) => {
      try {
        await started
        await instance.stop('keep')
      } catch (error) {
        log.warn({ instance: id, err: error }, 'instance did not stop cleanly')
      }
    })
    await orLate(Promise.all(stops), deadlineMs, () => {})
    hosted.clear()
    const last = shard
    shard = undefined
    await last?.close()
  }

  /** Builds the answer to `ping`, for the watchdog and for a scrape of the metrics. */
  function report({ deps }: OpenShard): ShardReport {
    const readings = [...hosted.values()].map(({ instance }) => instance.reading())
    return {
      numbers: deps.tally.numbers(),
      waiting: readings.reduce((total, { waiting }) => total + waiting, 0),
      backlog: readings.reduce((total, { backlog }) => total + backlog, 0),
      lastInboundAt: readings.flatMap(({ lastInboundAt }) => lastInboundAt ?? []),
      aheadMs: Math.max(deps.clock.ahead(), ...[...hosted.values()].map(({ instance }) => instance.aheadMs())),
      clockAheadMs: deps.clock.contradicted(),
    }
  }

  let lookedAt = performance.eventLoopUtilization()

  function survey({ deps }: OpenShard): ShardSurvey {
    deps.meter.settle()
    const { utilization } = performance.eventLoopUtilization(lookedAt)
    lookedAt = performance.eventLoopUtilization()
    return {
      instances: [...hosted].map(([id, { instance }]) => ({ instance: id, ...instance.reading() })),
      heapBytes: getHeapStatistics().used_heap_size,
      busy: utilization,
    }
  }

  async function answer(command: ShardCommand): Promise<unknown> {
    if (command.type === 'hello') {
      if (generation !== undefined) throw new Failure('engine_unavailable')
      shard = await open()
      generation = command.generation
      return null
    }
    if (command.generation !== generation || shard === undefined) throw new Failure('engine_unavailable')
    switch (command.type) {
      case 'ping':
        return report(shard)
      case 'survey':
        return survey(shard)
      case 'crash':
        return crash(command.how)
      case 'start':
        return start(command.config, command.how, command.key)
      case 'configure':
        return (await find(command.config.id)).configure(command.config)
      case 'call':
        return (await find(command.instance)).call(command.call, command.origin)
      case 'stop':
        return stop(shard, command.instance, command.how)
      case 'prepared':
        return shard.prepared(command.id, command.result)
      case 'close':
        return stopAll(command.deadlineMs)
      default:
        return command satisfies never
    }
  }

  return {
    async run(input) {
      const parsed = v.safeParse(ShardCommand, input)
      if (!parsed.success) {
        log.error({ issues: v.flatten(parsed.issues) }, 'the engine sent a malformed command')
        return { err: new Failure('internal').toData() }
      }
      try {
        return { ok: await answer(parsed.output) }
      } catch (error) {
        return { err: toData(error, parsed.output) }
      }
    },
  }

  function toData(error: unknown, command: ShardCommand): FailureData {
    const about = {
      command: command.type,
      instance: 'instance' in command ? command.instance : 'config' in command ? command.config.id : undefined,
      operation: command.type === 'call' ? command.call.operation : undefined,
    }
    // The engine retries a start that the disk prevents. It interprets `engine_unavailable` as a shard that is gone.
    if (isStorageFailure(error) && !(command.type === 'start' && command.how === 'boot')) {
      log.error({ ...about, err: error }, 'an operation on an instance failed because of the disk')
      return noStorage().toData()
    }
    if (!(error instanceof Failure)) {
      log.error(
        { ...about, err: error },
        'an operation on an instance failed because of a defect in the service; please report it',
      )
      return new Failure('internal').toData()
    }
    // The network's error is kept as the cause and logged; only the code and the message leave the thread.
    if (error.cause !== undefined)
      log.warn({ ...about, code: error.code, err: error.cause }, 'an operation on an instance failed')
    return error.toData()
  }
}
