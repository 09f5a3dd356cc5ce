/**
 * Keeps rows on disk, each under its own key, and returns them in the order of their ids. The queues of messages and of
 * webhook events use it. The owner adds and removes the rows on disk in its own commits.
 *   a row is    when                                        then it is
 *   absent      coming(value), before its commit            coming
 *   coming      committed(id)                               waiting
 *   coming      its commit fails: nothing is called         coming, until later rows need the memory; it is not on disk
 *   waiting     first() returns it, take(id)                taken: no longer the first, still on disk
 *   waiting     pass(id), because its owner holds it        aside: on disk, and later rows overtake it
 *   aside       again()                                     waiting
 *   taken       back(value)                                 waiting, in its old place
 *   taken       forget(), because its attempt failed        waiting, read from disk
 *   any         ended(id): its outcome is committed, or     absent, also for reads
 *               waits in `outcomes.ts` for its commit
 *   any         a kill                                      waiting, if it is on disk
 */
import type { StateStore } from '../../../src/storage/contract.ts'
import { createLineMemory, type LineMemoryOptions } from './line-memory.ts'
import { createLinePositions } from './line-positions.ts'

export interface DurableLineOptions<V> extends LineMemoryOptions<V> {
  store: Pick<StateStore, 'range'>
  prefix: string
  /** Returns undefined if the value cannot be read; the row then stays on disk, and later rows overtake it. */
  decode(id: string, bytes: Uint8Array): V | undefined
  settled?(): Promise<void>
  readAtOnce?: number
}

export interface DurableLine<V> {
  readonly rows: readonly V[]
  coming(value: V): void
  /** Call this for each row after its commit, even if the row was already on disk. */
  committed(id: string): void
  /** Returns the oldest waiting row; a promise if the disk must be read. The next call must wait for this promise. */
  first(): V | undefined | Promise<V | undefined>
  all(): Promise<void>
  take(id: string): void
  back(value: V): void
  /** Lets later rows overtake this one. Does nothing if another row is the first one now. */
  pass(id: string): void
  again(): void
  ended(id: string): void
  /**
   * Makes the taken rows wait again. All rows are read from disk again, because the owner may have changed them there.
   */
  forget(): void
  oldest(): Promise<string | undefined>
  newest(): Promise<string | undefined>
  /**
   * Yields the rows on disk after this id, in any state. The read skips the ids before the oldest row, because removed
   * rows would make it slow.
   */
  after(id: string, limit: number): AsyncIterable<readonly [id: string, bytes: Uint8Array]>
}

export function createDurableLine<V extends {}>(options: DurableLineOptions<V>): DurableLine<V> {
  const { idOf, decode, settled, readAtOnce = 128 } = options
  const memory = createLineMemory(options)
  const range = rangeOf(options)
  const positions = createLinePositions()
  const taken = new Set<string>()
  /** Rows that were committed during the current read, which may have missed them. */
  let arrived: { id: string; value: V | undefined }[] | undefined

  let reports = 0

  function reread(...ids: string[]) {
    const [head] = memory.rows
    positions.readAgain(head === undefined ? ids : [...ids, idOf(head)])
    memory.clear()
  }

  async function read() {
    await settled?.()
    const from = positions.known
    const found: (readonly [string, Uint8Array])[] = []
    arrived = []
    for await (const row of range(from, readAtOnce)) found.push(row)
    const during = arrived
    arrived = undefined
    // The position up to which all rows are known has changed during this read, so the caller reads again.
    if (positions.known !== from) return
    positions.knownUpTo(found.length < readAtOnce ? undefined : found.at(-1)![0])
    for (const [id, stored] of found) {
      if (taken.has(id)) continue
      const value = memory.drop(id) ?? decode(id, stored)
      if (value !== undefined) memory.insert(value)
      else positions.aside(id)
    }
    const isRead = new Set(found.map(([id]) => id))
    for (const { id, value } of during) {
      if (id > positions.known || isRead.has(id)) continue
      if (value === undefined) return reread()
      memory.insert(value)
    }
  }

  async function firstOnDisk(): Promise<V | undefined> {
    while (memory.rows.length === 0 && !positions.isAllKnown) await read()
    return memory.rows[0]
  }

  return {
    get rows() {
      return memory.rows
    },
    coming(value) {
      const last = memory.coming(value)
      if (last !== undefined) positions.knownUpTo(last)
    },
    committed(id) {
      reports++
      const value = memory.drop(id)
      positions.stored(id)
      if (id > positions.known) arrived?.push({ id, value })
      else if (value === undefined) reread(id)
      else memory.insert(value)
    },
    async all() {
      while (!positions.isAllKnown) await read()
    },
    first: () => (memory.rows.length === 0 && !positions.isAllKnown ? firstOnDisk() : memory.rows[0]),
    take(id) {
      memory.remove(id)
      taken.add(id)
    },
    back(value) {
      const id = idOf(value)
      taken.delete(id)
      // Only a row up to the position `known` is put into memory. A later row is read from disk when its turn comes.
      if (id <= positions.known) memory.insert(value)
    },
    pass(id) {
      const [head] = memory.rows
      if (head === undefined || idOf(head) !== id) return
      memory.remove(id)
      positions.passedBy(id)
    },
    again() {
      positions.noneAside()
      reread()
    },
    ended(id) {
      memory.remove(id)
      memory.drop(id)
      taken.delete(id)
      const [head] = memory.rows
      if ((head !== undefined && idOf(head) < id) || [...taken].some((other) => other < id)) return
      positions.ended(id)
    },
    forget() {
      reread(...taken)
      taken.clear()
    },
    async oldest() {
      const seen = reports
      for await (const [id] of range(positions.gone, 1)) {
        // If rows were committed during the read, one of them may be older than the row that was found. Then the found
        // row is not recorded as the oldest.
        if (seen === reports) positions.oldest(id)
        return id
      }
      return undefined
    },
    async newest() {
      for await (const [id] of range(undefined, 1)) return id
      return undefined
    },
    after: (id, limit) => range(id > positions.gone ? id : positions.gone, limit),
  }
}

/** Yields the rows on disk after an id; without an id, all rows, the newest first. */
const rangeOf = ({ store, prefix }: Pick<DurableLineOptions<unknown>, 'store' | 'prefix'>) =>
  async function* range(after: string | undefined, limit: number) {
    const from = after === undefined ? { reverse: true } : { after: prefix + after }
    for await (const [key, bytes] of store.range(prefix, { limit, ...from })) yield [key.slice(prefix.length), bytes] as const
  }
