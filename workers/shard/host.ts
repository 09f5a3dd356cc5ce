/**
 * Runs the commands of a shard thread. Each run of the thread has a number, which the command `hello` sets. A command
 * for another run is refused.
 */

import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import * as v from 'valibot'
import { Failure } from '../../src/domain/failures.ts'
import type { InstanceConfig } from '../../src/domain/instance.ts'
import type { Log } from '../../src/domain/log.ts'
import type { ShardSurvey } from '../../src/domain/readings.ts'
import type { Result, ShardSetup, StopHow } from '../../src/engine/engine.ts'
import { type CrashHow, ShardCommand } from '../../src/engine/protocol.ts'
import type { ShardReport } from '../../src/metrics/tally.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { commandFailure } from './command-failure.ts'
import { eraseInstance } from './erase.ts'
import { createHostedInstances } from './hosted-instances.ts'
import type { HostedInstance } from './instance.ts'
import type { OpenShard } from './open-shard.ts'
import type { ShardDeps } from './shard-deps.ts'

export interface HostOptions {
  log: Log
  open(setup: ShardSetup): Promise<OpenShard>
  createInstance(deps: ShardDeps, config: InstanceConfig, key: Uint8Array): HostedInstance
  crash(how: CrashHow): Promise<never>
}

export interface Host {
  run(command: unknown): Promise<Result>
}

export function createHost({ log, open, createInstance, crash }: HostOptions): Host {
  const hosted = createHostedInstances(log)
  let generation: number | undefined
  let shard: OpenShard | undefined

  const start = ({ deps }: OpenShard, { config, how, key }: Extract<ShardCommand, { type: 'start' }>) =>
    hosted.start(config, how, () => createInstance(deps, config, key))

  async function stop({ deps }: OpenShard, id: string, how: StopHow): Promise<null> {
    // Another service may change the keys before the instance is started here again, so the cached keys are dropped.
    const forgetKeys = () => deps.keyCache.forget(keys.signals(id))
    if (await hosted.stop(id, how, forgetKeys)) return null
    if (how !== 'erase') throw new Failure('engine_unavailable')
    // An instance that cannot be started cannot be logged out, but it can still be deleted.
    await eraseInstance(id, deps)
    return null
  }

  async function close(deadlineMs: number) {
    await hosted.stopAll(deadlineMs)
    const last = shard
    shard = undefined
    await last?.close()
  }

  function report({ deps }: OpenShard): ShardReport {
    const instances = hosted.all().map(([, instance]) => instance)
    const readings = instances.map((instance) => instance.reading())
    return {
      numbers: deps.tally.numbers(),
      waiting: readings.reduce((total, { waiting }) => total + waiting, 0),
      backlog: readings.reduce((total, { backlog }) => total + backlog, 0),
      lastInboundAt: readings.flatMap(({ lastInboundAt }) => lastInboundAt ?? []),
      aheadMs: Math.max(deps.clock.ahead(), ...instances.map((instance) => instance.aheadMs())),
      clockAheadMs: deps.clock.contradicted(),
    }
  }

  let lookedAt = performance.eventLoopUtilization()

  function survey({ deps }: OpenShard): ShardSurvey {
    deps.meter.settle()
    const { utilization } = performance.eventLoopUtilization(lookedAt)
    lookedAt = performance.eventLoopUtilization()
    return {
      instances: hosted.all().map(([id, instance]) => ({ instance: id, ...instance.reading() })),
      heapBytes: getHeapStatistics().used_heap_size,
      busy: utilization,
    }
  }

  async function answer(command: ShardCommand): Promise<unknown> {
    if (command.type === 'loaded') return null
    if (command.type === 'hello') {
      if (generation !== undefined) throw new Failure('engine_unavailable')
      shard = await open(command.setup)
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
        return start(shard, command)
      case 'configure':
        return (await hosted.find(command.config.id)).configure(command.config)
      case 'call':
        return (await hosted.find(command.instance)).call(command.call, command.origin)
      case 'stop':
        return stop(shard, command.instance, command.how)
      case 'prepared':
        return shard.prepared(command.id, command.result)
      case 'close':
        return close(command.deadlineMs)
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
        return { err: commandFailure(error, parsed.output, log) }
      }
    },
  }
}
