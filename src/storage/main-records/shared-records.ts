/**
 * A copy of records that several services change. The store counts the changes, and this copy has all of them up to
 * `version`. A change is stored only at the version on which it was decided, so a decision on an old copy changes nothing
 * and is repeated.
 *
 * The memory changes only in the order of versions: an answer of the store that arrives late is not applied.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Mutex } from 'async-mutex'
import { Failure } from '../../domain/failures.ts'
import type { Log } from '../../domain/log.ts'
import { StorageFailure } from '../../domain/storage-failure.ts'
import type { ChangeFeed, Op, StateStore } from '../contract.ts'
import { FAMILIES, type FollowedFamily } from './families.ts'
import type { MainRecords, RecordChange } from './main-records.ts'
import { createMemories } from './memories.ts'

/** Every refused change means that another service has stored one, so many in a row are improbable. */
const ATTEMPTS = 20
/** Longest pause in ms before a refused change is decided again. */
const PAUSE = 20
/** Milliseconds that a change waits for earlier changes of this service, for example while the database is away. */
const PATIENCE = 10_000

export interface SharedRecordsDeps {
  store: Pick<StateStore, 'range'>
  changes: ChangeFeed
  log: Log
}

export function sharedRecords({ store, changes, log }: SharedRecordsDeps): MainRecords {
  const memories = createMemories()
  /** The keys of each loaded family, to find those that were removed while the feed no longer has all changes. */
  const loaded = new Map<FollowedFamily, Set<string>>()
  const own = new Mutex()
  let version = Number.POSITIVE_INFINITY

  function pass(key: string, value: Uint8Array | null, isOwn = false) {
    for (const [family, of] of loaded) {
      if (!key.startsWith(FAMILIES[family].prefix)) continue
      if (value === null) of.delete(key)
      else of.add(key)
    }
    try {
      memories.pass(key, value, isOwn)
    } catch (err) {
      log.error({ err, key }, 'a record that another service has stored could not be read')
    }
  }

  async function readAll(): Promise<void> {
    // The version is read first. Changes during the ranges are then read again, which has no effect.
    const before = version
    const current = await changes.version()
    const found = new Map<string, Uint8Array | null>()
    for (const [family, of] of loaded) {
      for (const key of of) found.set(key, null)
      for await (const [key, bytes] of store.range(FAMILIES[family].prefix)) found.set(key, bytes)
    }
    for (const [key, value] of found) pass(key, value)
    // `load` lowers the version if it adds a family while this function reads.
    version = version < before ? version : current
  }

  async function readChanges(): Promise<void> {
    if (loaded.size === 0) return
    const from = version
    const found = await changes.since(from)
    if (version < from) return readChanges()
    if (found.changed === undefined) return readAll()
    if (found.version <= version) return
    for (const [key, bytes] of found.changed) pass(key, bytes ?? null)
    version = found.version
  }

  let reading: Promise<void> | undefined
  let next: Promise<void> | undefined
  /** A read that already runs may have begun before the change that the caller asks for, so the caller gets the next one. */
  function catchUp(): Promise<void> {
    if (reading === undefined) {
      reading = readChanges().finally(() => {
        reading = undefined
      })
      return reading
    }
    next ??= reading
      .catch(() => {})
      .then(() => {
        next = undefined
        return catchUp()
      })
    return next
  }

  function accept(decidedAt: number, ops: readonly Op[]) {
    // A catch-up has already brought this change, and perhaps newer ones of the same records.
    if (version > decidedAt) return
    for (const [key, value] of ops) pass(key, value, true)
    if (version === decidedAt) version++
  }

  async function attempt(decide: () => RecordChange | Promise<RecordChange>): Promise<boolean> {
    await catchUp()
    const decidedAt = version
    const { ops, committed } = await decide()
    if (ops.length === 0) return true
    if (!(await changes.commit(decidedAt, ops))) return false
    accept(decidedAt, ops)
    committed?.()
    return true
  }

  return {
    async load(family, memory, fill) {
      const from = await changes.version()
      const found: [string, Uint8Array][] = []
      for await (const entry of store.range(FAMILIES[family].prefix)) found.push([...entry])
      memories.add(family, memory)
      loaded.set(family, new Set(found.map(([key]) => key)))
      // Changes that were read during the range did not reach this family, so they are read once more.
      version = Math.min(version, from)
      fill(found)
    },
    change(decide) {
      const askedAt = performance.now()
      return own.runExclusive(async () => {
        if (performance.now() - askedAt > PATIENCE)
          throw new StorageFailure('Earlier changes still wait for the database, so nothing was stored.')
        for (let tries = 1; tries <= ATTEMPTS; tries++) {
          if (await attempt(decide)) return
          await pause(Math.random() * PAUSE)
        }
        throw new Failure('internal', { message: 'Other services are changing the same records; try again.' })
      })
    },
    catchUp,
    refresh: catchUp,
    follow(everyMs) {
      // An error is not reported, because reads and commits report that the database cannot be reached.
      const timer = setInterval(() => void catchUp().catch(() => {}), everyMs).unref()
      return () => clearInterval(timer)
    },
  }
}
