import { type Clock, SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceConfig, RuntimeState } from '../domain/instance.ts'
import type { Log } from '../domain/log.ts'
import type { ShardSurvey } from '../domain/readings.ts'
import { orLate } from '../lib/deadline.ts'
import { createBoots, logNotStarted } from './boots.ts'
import type { Engine, StartHow } from './engine.ts'
import type { Placed, Placement } from './placement.ts'
import type { Shard } from './shard-supervisor.ts'
import { isUnavailable } from './unavailable.ts'

export interface HostingDeps {
  placement: Placement
  /**
   * Makes the store refuse the commits of earlier runs of a shard thread that are not stored yet. If it is absent, the
   * store refuses them only when the next run begins.
   */
  endWriter?: ((shard: number) => Promise<void>) | undefined
  /** Milliseconds that a stop waits for the next run; 5,000 by default. */
  runsWithinMs?: number | undefined
  /** Returns the key that encrypts the records of an instance. Throws if there is none. */
  keyOf(instance: string): Uint8Array
  startsPerSecond: number
  clock: Clock
  log: Log
}

export interface Hosting extends Pick<Engine, 'start' | 'configure' | 'stop'> {
  bootAll(shard: Shard, generation: number): void
  close(): void
}

/** Milliseconds that a stop waits for the next run of a thread, which normally begins within a second. */
const RUNS_WITHIN = 5 * SECOND

export function createHosting(deps: HostingDeps): Hosting {
  const { placement, endWriter, runsWithinMs = RUNS_WITHIN, keyOf, startsPerSecond, clock, log } = deps
  const clearing = new Map<Shard, Promise<boolean>>()
  const boots = createBoots({ placement, keyOf, startsPerSecond, clock, log })
  let isClosed = false

  async function bootNow(entry: Placed): Promise<RuntimeState> {
    const state = await boots.boot(entry, entry.shard.generation())
    if (state === undefined) throw new Failure('engine_unavailable')
    return state
  }

  async function start(config: InstanceConfig, how: StartHow): Promise<RuntimeState> {
    const entry = isClosed ? undefined : placement.place(config, how)
    if (entry === undefined) throw new Failure('engine_unavailable')
    if (how !== 'create') return bootNow(entry)
    try {
      return await boots.send(entry, how)
    } catch (error) {
      // The creation has failed, so the instance is deleted. If its thread has died, the thread cannot erase the
      // instance now, so its next run must not start the instance.
      entry.isDoomed = true
      entry.generation = undefined
      throw error
    }
  }

  async function configure(config: InstanceConfig): Promise<void> {
    const entry = placement.find(config.id)
    entry.config = config
    // The start will contain the new configuration, so nothing is sent while it waits or the thread is down.
    if (entry.generation === undefined || entry.generation !== entry.shard.generation()) return
    try {
      await entry.shard.run({ type: 'configure', config })
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
  }

  async function stop(instance: string, how: Parameters<Engine['stop']>[1]): Promise<void> {
    const entry = placement.find(instance)
    if (how === 'erase') return stopNow(instance, entry, how)
    entry.isStopping = true
    try {
      await stopNow(instance, entry, how)
    } catch (error) {
      entry.isStopping = false
      startIfDue(entry)
      throw error
    }
  }

  /**
   * Must be called after a stop that failed. Starts the instance if its turn in the line of starts came during the
   * stop.
   */
  function startIfDue(entry: Placed) {
    const generation = entry.shard.generation()
    if (generation === undefined || entry.generation === generation || entry.inLine !== undefined) return
    boots.boot(entry, generation).catch(logNotStarted(log, entry))
  }

  async function stopNow(instance: string, entry: Placed, how: Parameters<Engine['stop']>[1]): Promise<void> {
    const generation = entry.shard.generation()
    // From now on, no run of the thread starts the instance.
    if (how === 'erase') {
      entry.isDoomed = true
      entry.inLine?.leave()
    }
    if (generation === undefined && entry.isDoomed) return
    // To log out and erase an instance, its thread must run it, even if its start still waits.
    if (how === 'erase' && generation !== undefined && entry.generation !== generation) {
      await boots.send(entry, 'boot').catch((error) => {
        if (isUnavailable(error)) throw error
        log.warn({ err: error, instance }, 'an instance to be erased could not be started, so it is erased without logging out')
      })
    }
    let hasDied = false
    try {
      await entry.shard.run({ type: 'stop', instance, how })
    } catch (error) {
      // With `keep` the session ends without a logout. If the thread has died, its sessions have ended like this.
      if (how === 'erase' || !isUnavailable(error)) throw error
      hasDied = generation === undefined || entry.shard.generation() !== generation
      if (!hasDied && (await runsIn(entry.shard, instance))) throw error
    }
    if (hasDied) await noneWrites(entry.shard)
    placement.remove(instance)
    entry.inLine?.leave()
  }

  /**
   * Resolves when the database can no longer carry out a commit of the run that died: the next run has begun, or the
   * store refuses writes of the old one.
   */
  async function noneWrites(shard: Shard): Promise<void> {
    if (endWriter === undefined) return shard.running()
    const runs = shard.running().then(() => true)
    if (await orLate(runs, runsWithinMs, () => false)) return
    const ended = clearing.get(shard) ?? shard.betweenRuns(() => endWriter(shard.index)).finally(() => clearing.delete(shard))
    clearing.set(shard, ended)
    if (!(await ended)) await shard.running()
  }

  return {
    start,
    configure,
    stop,
    bootAll(shard, generation) {
      for (const entry of placement.on(shard)) {
        const comeBack = entry.isDoomed ? stop(entry.config.id, 'erase') : boots.boot(entry, generation)
        comeBack.catch(logNotStarted(log, entry))
      }
    },
    close() {
      isClosed = true
      boots.close()
    },
  }
}

async function runsIn(shard: Shard, instance: string): Promise<boolean> {
  const { instances } = (await shard.run({ type: 'survey' })) as ShardSurvey
  return instances.some((each) => each.instance === instance)
}
