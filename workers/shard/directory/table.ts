/**
 * Keeps all entries of one kind in memory, found by any of their jids. On disk they share a fixed number of records, so
 * that thousands load in some milliseconds. If there are too many entries, the least recently used ones are evicted.
 * Call `changed` for every changed entry. `ops` returns at most 64 records that are not written yet, and must be called
 * in the turn of the event loop in which they are committed.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as v from 'valibot'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { repository } from '../../../src/storage/repository.ts'
import type { Context } from '../context/instance-context.ts'

export interface TableOptions<T extends object> {
  name: string
  schema: v.GenericSchema<unknown, T>
  /** Number of records on disk: a power of two, at most 4,096. */
  parts: number
  max: number
  jidsOf(entry: T): readonly (string | null)[]
  usedAt(entry: T): number
}

export interface Table<T extends object> {
  /** Reads the records, once. If the store cannot be read, this rejects, and the next call reads again. */
  load(): Promise<void>
  /** Returns the entry of any of these jids. If they have different entries, the entry of the first jid is returned. */
  find(jids: readonly (string | null | undefined)[]): T | undefined
  add(entry: T): void
  /** Must be called when any field of an entry has changed. The jids are fields, too. */
  changed(entry: T): void
  remove(entry: T): void
  values(): Iterable<T>
  has(entry: T): boolean
  readonly size: number
  readonly revision: number
  ops(): Op[]
  newestOps(): Op[]
  readonly hasChanged: boolean
  /** Must be called if the records could not be written. The next `ops` returns them again. */
  notWritten(ops: readonly Op[]): void
  clear(): void
}

/**
 * Share of the limit that is evicted at once. If only one entry were evicted, every new entry would have to scan all
 * entries.
 */
const SLACK = 1 / 32
const SLICE = 64
/** Maximum number of records of the table that are added to a commit of other data. */
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
  let generation = 0

  const keyOf = (part: number) => keys.directoryPart(instance, name, part)
  const partFor = (entry: T) => Buffer.from(sealer.blindOnce(names(entry)[0] ?? ''), 'base64url').readUInt16BE(0) & (parts - 1)

  function touch(part: number) {
    // The changed part is moved to the end of the set, because the last part must be the one that changed last.
    dirty.delete(part)
    dirty.add(part)
    revision += 1
  }

  function remove(entry: T) {
    const part = unplace(entry)
    if (part !== undefined) touch(part)
  }

  /**
   * Evicts the oldest entries if there are too many. The added entry stays, because its time of use may not be set yet.
   */
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

/**
 * Removes empty fields from an entry, because most fields of most entries have no value. The schema adds their
 * defaults.
 */
function sparse<T extends object>(entry: T): T {
  const kept: Partial<T> = {}
  for (const field in entry) {
    const value = entry[field]
    if (value && !(Array.isArray(value) && value.length === 0)) kept[field] = value
  }
  return kept as T
}
