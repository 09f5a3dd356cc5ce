/** Starts, configures and stops instances, each on the shard that hosts it. */
import type { Clock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceConfig, RuntimeState } from '../domain/instance.ts'
import type { Log } from '../domain/log.ts'
import { createBoots, logNotStarted } from './boots.ts'
import type { Engine, StartHow } from './engine.ts'
import type { Placed, Placement } from './placement.ts'
import type { Shard } from './shard-supervisor.ts'
import { isUnavailable } from './unavailable.ts'

export interface HostingDeps {
  placement: Placement
  /** Key that seals the records of an instance. Throws if it is missing. */
  keyOf(instance: string): Uint8Array
  /** Maximum number of boots of instances per second and network route. */
  startsPerSecond: number
  clock: Clock
  log: Log
}

export interface Hosting extends Pick<Engine, 'start' | 'configure' | 'stop'> {
  /** Boots the instances of a shard whose thread run has begun. */
  bootAll(shard: Shard, generation: number): void
  /** Refuses further starts, and ends those that wait for a slot. */
  close(): void
}

export function createHosting({ placement, keyOf, startsPerSecond, clock, log }: HostingDeps): Hosting {
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
    if (how === 'boot') return bootNow(entry)
    try {
      return await boots.send(entry, how)
    } catch (error) {
      // The caller removes its record of the instance and then asks to erase the rest. A shard that died cannot erase it now, so its next run must
      // not boot the instance.
      entry.isDoomed = true
      entry.generation = undefined
      throw error
    }
  }

  async function configure(config: InstanceConfig): Promise<void> {
    const entry = placement.find(config.id)
    entry.config = config
    // While the start waits or the shard is down, nothing is sent: the start command will contain the new configuration.
    if (entry.generation === undefined || entry.generation !== entry.shard.generation()) return
    try {
      await entry.shard.run({ type: 'configure', config })
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
  }

  async function stop(instance: string, how: Parameters<Engine['stop']>[1]): Promise<void> {
    const entry = placement.find(instance)
    const generation = entry.shard.generation()
    // No later thread run boots the instance again.
    if (how === 'erase') entry.isDoomed = true
    if (generation === undefined && entry.isDoomed) return
    // To log out and erase an instance the shard must host it, even if its start still waits.
    if (how === 'erase' && generation !== undefined && entry.generation !== generation) {
      await boots.send(entry, 'boot').catch((error) => {
        if (isUnavailable(error)) throw error
        log.warn({ err: error, instance }, 'an instance to be erased could not be started, so it is erased without logging out')
      })
    }
    try {
      await entry.shard.run({ type: 'stop', instance, how })
    } catch (error) {
      // If the shard died, its session ended without a logout, which is what `keep` requires.
      if (how === 'erase' || !isUnavailable(error)) throw error
    }
    placement.remove(instance)
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
