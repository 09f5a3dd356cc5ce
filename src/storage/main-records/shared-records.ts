/**
 * A copy of records that several services change. The store counts the changes, and this copy has all of them up to
 * `version`. A change is stored only at the version on which it was decided, and otherwise decided again.
 *
 * The memory changes only in the order of versions: an answer of the store that arrives late is not applied.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Mutex } from 'async-mutex'
import { Failure } from '../../domain/failures.ts'
import type { Log } from '../../domain/log.ts'
import { StorageFailure } from '../../domain/storage-failure.ts'
import { orLate } from '../../lib/deadline.ts'
import type { ChangeFeed, Op, StateStore } from '../contract.ts'
import { FAMILIES } from './families.ts'
import type { MainRecords, RecordChange } from './main-records.ts'
import { createRecordCopy } from './record-copy.ts'

/**
 * Maximum number of attempts for a change. A refused one means that another service or a command has stored a change,
 * so many in a row are improbable.
 */
const ATTEMPTS = 20
/** Longest pause in ms before a refused change is decided again. */
const PAUSE = 20
/**
 * Milliseconds within which a change must be sent to the database. In this time it waits for earlier changes, reads the
 * store, and is decided again if necessary.
 */
const PATIENCE = 10_000
/**
 * Maximum time in ms for which a read of the store waits for the answer to this service's own last change, because the
 * read may already contain this change.
 */
const OWN_ANSWER = 300

export interface SharedRecordsDeps {
  store: Pick<StateStore, 'range'>
  changes: ChangeFeed
  log: Log
  patienceMs?: number
}

const tooLate = () =>
  new StorageFailure('The database did not answer in time, or earlier changes still wait for it, so nothing was stored.')

/** Calls `late` and rejects if the work has not ended at `until`, a value of `performance.now`. */
const inTime = <T>(work: Promise<T>, until: number, late = () => {}): Promise<T> =>
  orLate(work, until - performance.now(), () => {
    late()
    throw tooLate()
  })

export function sharedRecords({ store, changes, log, patienceMs = PATIENCE }: SharedRecordsDeps): MainRecords {
  const copy = createRecordCopy(log)
  const own = new Mutex()
  /** Settles when this service has handled the answer to the change that it is sending. */
  let answered: Promise<unknown> | undefined
  let version = Number.POSITIVE_INFINITY
  let loads = 0

  async function readAll(): Promise<void> {
    // The version is read first. Changes during the ranges are then read again, which has no effect.
    const before = version
    const loadsBefore = loads
    const current = await changes.version()
    const found = new Map<string, Uint8Array | null>()
    for (const { prefix, keys } of copy.families()) {
      for (const key of keys) found.set(key, null)
      for await (const [key, bytes] of store.range(prefix)) found.set(key, bytes)
    }
    // If this service stored a change during the read, some of these records may be old, so all are read again.
    if (version > before) return readAll()
    for (const [key, value] of found) copy.pass(key, value, false)
    // A family that was loaded during this read is not in it. The version then stays old, so that the next read has it.
    if (loads === loadsBefore) version = current
  }

  async function readChanges(): Promise<void> {
    if (copy.isEmpty()) return
    const from = version
    const found = await changes.since(from)
    // The store may have a change of this service whose answer is still on its way.
    if (found.version > from && answered) await orLate(answered, OWN_ANSWER, () => {})
    if (version >= from && found.version <= version) return
    if (version !== from) return readChanges()
    if (found.changed === undefined) return readAll()
    for (const [key, bytes] of found.changed) copy.pass(key, bytes ?? null, false)
    version = found.version
  }

  let reading: Promise<void> | undefined
  let next: Promise<void> | undefined
  /** A read that runs may have begun before the change that the caller needs, so the caller gets the next read. */
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
    // A catch-up has already read this change, and perhaps newer changes of the same records.
    if (version > decidedAt) return
    for (const [key, value] of ops) copy.pass(key, value, true)
    if (version === decidedAt) version++
  }

  async function send(decidedAt: number, ops: readonly Op[], until: number): Promise<boolean> {
    const isStored = await changes.commit(decidedAt, ops, until)
    if (isStored) accept(decidedAt, ops)
    return isStored
  }

  async function attempt(decide: () => RecordChange | Promise<RecordChange>, until: number): Promise<boolean> {
    await inTime(catchUp(), until)
    const decidedAt = version
    const { ops, committed } = await inTime(Promise.resolve(decide()), until)
    if (ops.length === 0) return true
    const sent = send(decidedAt, ops, until)
    answered = sent.catch(() => {})
    const isStored = await sent.finally(() => {
      answered = undefined
    })
    if (isStored) committed?.()
    return isStored
  }

  return {
    isShared: true,
    async load(family, memory, fill) {
      const from = await changes.version()
      const found: [string, Uint8Array][] = []
      for await (const entry of store.range(FAMILIES[family].prefix)) found.push([...entry])
      copy.add(family, memory, found)
      loads++
      // Changes that were read during the range did not reach this family, so they are read once more.
      version = Math.min(version, from)
      fill(found)
    },
    async change(decide) {
      const until = performance.now() + patienceMs
      const turn = own.acquire()
      const release = await inTime(turn, until, () => void turn.then((later) => later()))
      try {
        for (let tries = 1; tries <= ATTEMPTS; tries++) {
          if (await attempt(decide, until)) return
          await pause(Math.random() * PAUSE)
        }
        throw new Failure('internal', { message: 'Other services are changing the same records; try again.' })
      } finally {
        release()
      }
    },
    catchUp,
    refresh: catchUp,
    follow(everyMs) {
      // An error is not reported, because reads and commits report that the database cannot be reached.
      const timer = setInterval(() => void catchUp().catch(() => {}), everyMs).unref()
      return () => clearInterval(timer)
    },
    idle: () => own.runExclusive(() => {}),
  }
}
