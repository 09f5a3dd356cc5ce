/**
 * Entries of one kind, found by any of their jids. All entries are in memory. On disk they are in a fixed number of sealed records, so that thousands
 * of entries are loaded in some milliseconds. A change of an entry writes only the record that contains it. The number is limited: the least recently
 * used entry is evicted.
 *
 * A change is made in memory first. `changed` must be called for every changed entry, and `ops` returns the records of all changes since, in the turn
 * in which they are committed.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as v from 'valibot'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { repository } from '../../../src/storage/repository.ts'
import type { Context } from '../context/instance-context.ts'

export interface TableOptions<T extends object> {
  /** Name of the records, for example `chat`. */
  name: string
  schema: v.GenericSchema<unknown, T>
  /** Number of records on disk, which is a power of two and at most 4,096. */
  parts: number
  max: number
  /** All jids of an entry, without a device part. */
  jidsOf(entry: T): readonly (string | null)[]
  /** Time of the last use of an entry. When the table is full, the least recently used entry is evicted. */
  usedAt(entry: T): number
}

export interface Table<T extends object> {
  /** Loads all entries from disk, in slices; later calls do nothing. Rejects if the store cannot be read; a later call then reads again. */
  load(): Promise<void>
  /** Finds an entry by any of the jids. If they have different entries, the entry of the first jid is returned. */
  find(jids: readonly (string | null | undefined)[]): T | undefined
  add(entry: T): void
  /** Must be called when any field of an entry has changed, including its jids. */
  changed(entry: T): void
  remove(entry: T): void
  values(): Iterable<T>
  has(entry: T): boolean
  readonly size: number
  /** A number that changes with every change of an entry. */
  readonly revision: number
  /** Returns the records that have changed and are not written yet. If there are many, returns only a part of them. */
  ops(): Op[]
  /** Like `ops`, but returns the records that changed last. */
  newestOps(): Op[]
  /** Whether there are changed records that no call of `ops` has returned yet. */
  readonly hasChanged: boolean
  /** Reports that the records were not written, so the next call of `ops` returns them again. */
  notWritten(ops: readonly Op[]): void
  /** Removes all entries from memory. The caller removes the records from disk. */
  clear(): void
}

/** Share of the limit that is evicted at once. Without it, every new entry would have to scan all entries. */
const SLACK = 1 / 32
/** Number of records that are read or created in one turn of the loop. */
const SLICE = 64
/**
 * The most records of this table that are added to one commit of other data. Messages that arrive at the same time change fewer records than this.
 */
const NEWEST = 32

export function createTable<T extends object>(
  { id: instance, store, sealer, log }: Context<'id' | 'store' | 'sealer' | 'log'>,
  options: TableOptions<T>,
): Table<T> {
  const { name, parts, max, jidsOf, usedAt } = options
  const prefix = keys.directoryOf(instance, name)
  const records = repository({
    name: `directory of ${name}s`,
    schema: v.object({ entries: v.array(options.schema) }),
    version: 1,
    sealed: sealer,
  })
  const { byJid, places, membersOf, names, place, unplace, clear } = createPlaces(jidsOf)
  const dirty = new Set<number>()
  let revision = 0
  let loading: Promise<void> | null = null
  /** Number that changes when another account is linked. A read that started before this change found records of the previous account. */
  let generation = 0

  const keyOf = (part: number) => keys.directoryPart(instance, name, part)
  /** The number of the record comes from a blind hash, which reveals nothing about the jid. */
  const partFor = (entry: T) => Buffer.from(sealer.blindOnce(names(entry)[0] ?? ''), 'base64url').readUInt16BE(0) & (parts - 1)

  function touch(part: number) {
    // The part (one record on disk) is removed and added again, so that the last part in the set is the one that changed last.
    dirty.delete(part)
    dirty.add(part)
    revision += 1
  }

  function remove(entry: T) {
    const part = unplace(entry)
    if (part !== undefined) touch(part)
  }

  /** Evicts the least recently used entries, but not the entry that was just added: its time of use may not be written yet. */
  function makeRoom(added: T) {
    if (places.size <= max) return
    const enough = max - Math.floor(max * SLACK)
    const oldestFirst = [...places.keys()].filter((entry) => entry !== added).sort((one, other) => usedAt(one) - usedAt(other))
    for (const entry of oldestFirst.slice(0, places.size - enough)) remove(entry)
  }

  function take(part: number): Op {
    dirty.delete(part)
    const entries = [...membersOf(part)]
    return entries.length === 0 ? records.remove(keyOf(part)) : records.encode(keyOf(part), { entries: entries.map(sparse) })
  }

  async function read() {
    const current = generation
    let count = 0
    const unreadable = (error: unknown) =>
      log.error({ err: error }, 'a stored part of the list of chats and contacts could not be decoded')
    for await (const { key, value } of records.list(store, prefix, { onUnreadable: unreadable })) {
      if (++count % SLICE === 0) await nextTurn()
      if (generation !== current) return
      const part = Number.parseInt(key.slice(prefix.length), 16)
      for (const entry of value.entries) place(entry, part)
    }
    revision += 1
  }

  return {
    load() {
      loading ??= read().catch((error) => {
        loading = null
        throw error
      })
      return loading
    },
    find(jids) {
      for (const jid of jids) {
        const entry = jid ? byJid.get(jid) : undefined
        if (entry) return entry
      }
      return undefined
    },
    add(entry) {
      const part = partFor(entry)
      place(entry, part)
      touch(part)
      makeRoom(entry)
    },
    changed(entry) {
      const known = places.get(entry)
      if (!known) return
      const jids = names(entry)
      if (jids.length !== known.jids.length || jids.some((jid) => !known.jids.includes(jid))) {
        for (const jid of known.jids) if (byJid.get(jid) === entry) byJid.delete(jid)
        place(entry, known.part)
      }
      touch(known.part)
    },
    remove,
    values: () => places.keys(),
    has: (entry) => places.has(entry),
    get size() {
      return places.size
    },
    get revision() {
      return revision
    },
    ops: () => [...dirty].slice(0, SLICE).map(take),
    newestOps: () => [...dirty].slice(-NEWEST).map(take),
    get hasChanged() {
      return dirty.size > 0
    },
    notWritten(ops) {
      for (const [key] of ops) if (key.startsWith(prefix)) dirty.add(Number.parseInt(key.slice(prefix.length), 16))
    },
    clear() {
      generation += 1
      clear()
      dirty.clear()
      revision += 1
      loading = Promise.resolve()
    },
  }
}

/** Holds the entries of each record on disk, and the jids by which each entry is found. */
function createPlaces<T extends object>(jidsOf: TableOptions<T>['jidsOf']) {
  const byJid = new Map<string, T>()
  const places = new Map<T, { part: number; jids: readonly string[] }>()
  const members = new Map<number, Set<T>>()
  const names = (entry: T) => [...new Set(jidsOf(entry).filter((jid) => jid !== null))]

  function membersOf(part: number): Set<T> {
    const known = members.get(part) ?? new Set<T>()
    members.set(part, known)
    return known
  }

  return {
    byJid,
    places,
    membersOf,
    names,
    place(entry: T, part: number) {
      const jids = names(entry)
      places.set(entry, { part, jids })
      membersOf(part).add(entry)
      for (const jid of jids) byJid.set(jid, entry)
    },
    unplace(entry: T): number | undefined {
      const known = places.get(entry)
      if (!known) return undefined
      for (const jid of known.jids) if (byJid.get(jid) === entry) byJid.delete(jid)
      places.delete(entry)
      membersOf(known.part).delete(entry)
      return known.part
    },
    clear() {
      for (const map of [byJid, places, members]) map.clear()
    },
  }
}

/** Omits fields without a value, to save space: most fields of most entries have none. The schema has their defaults. */
function sparse<T extends object>(entry: T): T {
  const kept: Partial<T> = {}
  for (const field in entry) {
    const value = entry[field]
    if (value && !(Array.isArray(value) && value.length === 0)) kept[field] = value
  }
  return kept as T
}
