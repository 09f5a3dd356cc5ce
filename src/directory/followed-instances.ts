/** Keeps the instances in memory equal to their records, which other services of the same store change too. */
import { setTimeout as pause } from 'node:timers/promises'
import { MINUTE, SECOND } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import type { Engine } from '../engine/engine.ts'
import type { KeyedMutex } from '../lib/keyed-mutex.ts'
import type { KeyRing } from '../storage/key-ring.ts'
import type { MainRecords, Memory, StoredRecords } from '../storage/main-records/main-records.ts'
import { keys } from '../storage/record-keys.ts'
import type { HeldInstances } from './held-instances.ts'
import type { InstanceRecord } from './instance-object.ts'
import type { instanceRecords } from './record.ts'
import type { createStates } from './states.ts'

export interface FollowedInstancesDeps {
  main: Pick<MainRecords, 'load' | 'catchUp'>
  records: ReturnType<typeof instanceRecords>
  held: HeldInstances
  states: Pick<ReturnType<typeof createStates>, 'forget' | 'event'>
  keyRing: Pick<KeyRing, 'learn' | 'forget'>
  /** Mutexes with one name per instance: its id. */
  mutex: KeyedMutex
  /** Passes the configuration on to the shard of the instance. */
  configure(record: InstanceRecord): Promise<void>
  engine: Pick<Engine, 'stateOf'>
  isElsewhere(instance: string): boolean
  /** Schedules the erasure of a deleted instance. Undefined if no other service has instances. */
  eraseLater: ((instance: string) => void) | undefined
  log: Log
}

/** Milliseconds before the key of an instance is read again. */
const FIRST_WAIT = SECOND
const LONGEST_WAIT = MINUTE

const NO_KEY = 'the key of an instance that another service has created could not be read; the service tries again'
const NOT_CONFIGURED = 'a changed configuration could not be passed on to its shard'

export function createFollowedInstances(deps: FollowedInstancesDeps) {
  const { main, records, held, states, keyRing, mutex, configure, engine, isElsewhere, eraseLater, log } = deps
  const deleted: ((instance: string) => void)[] = []

  /**
   * Passes the configuration on after earlier changes of the instance, so that an older configuration never follows a
   * newer one.
   */
  function configureLater(instance: string) {
    mutex
      .run(instance, async () => {
        const record = held.find(instance)
        if (record) await configure(record)
      })
      .catch((err: unknown) => log.error({ err, instance_id: instance }, NOT_CONFIGURED))
  }

  /** Reads the key of a new instance. Tries again until the key is read, or the instance is deleted. */
  async function learnKey(instance: string): Promise<void> {
    for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        await keyRing.learn(instance)
        break
      } catch (err) {
        // The other service may have deleted the instance.
        await main.catchUp().catch(() => {})
        if (!held.find(instance)) break
        if (wait === FIRST_WAIT) log.error({ err, instance_id: instance }, NO_KEY)
        await pause(wait, undefined, { ref: false })
      }
    }
    if (!held.find(instance)) keyRing.forget(instance)
  }

  /**
   * Takes the state that another service has reported. The report may have come before this service knew the instance.
   */
  function learnState(instance: string) {
    const state = engine.stateOf?.(instance)
    if (state !== undefined) states.event(instance, state)
  }

  const memory: Memory = {
    put(key, bytes, isOwn) {
      const record = records.decode(key, bytes)
      const isKnown = held.find(record.id) !== undefined
      held.hold(record)
      if (isOwn) return
      if (isKnown) return configureLater(record.id)
      learnState(record.id)
      void learnKey(record.id)
    },
    remove(key, isOwn) {
      const instance = key.slice(keys.configs.length)
      // If this service erases the instance, its key is destroyed after its data.
      if (!isOwn && eraseLater !== undefined && !isElsewhere(instance)) eraseLater(instance)
      else if (!isOwn) keyRing.forget(instance)
      if (held.find(instance) === undefined) return
      held.forget(instance)
      states.forget(instance)
      for (const listener of deleted) listener(instance)
    },
    // The record cannot be read, but the instance still exists, so its links and streams stay.
    unreadable(key) {
      held.forget(key.slice(keys.configs.length))
    },
  }

  function fill(found: StoredRecords) {
    const stored = found.map(([key, bytes]) => records.decode(key, bytes))
    for (const record of stored.sort((one, other) => one.createdAt - other.createdAt)) {
      held.hold(record)
      learnState(record.id)
    }
  }

  return {
    load: () => main.load('configs', memory, fill),
    onDeleted: (listener: (instance: string) => void) => void deleted.push(listener),
  }
}
