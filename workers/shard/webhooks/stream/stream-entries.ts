/** Reads the events on disk after an id, a page at a time, in the order of their ids, from several key ranges. */
import { EVENT_TYPES, type EventType } from '../../../../src/domain/events.ts'
import { MB } from '../../../../src/domain/media.ts'
import type { StateStore } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'

/** Maximum number of events of a page. There is also a limit of bytes, which a single event may exceed. */
export const PAGE_EVENTS = 100
export const PAGE_BYTES = MB / 4

export interface StreamEntry {
  id: string
  /** Undefined if the type is only in the body. */
  type: EventType | undefined
  key: string
  bytes: Uint8Array
}

interface Entries {
  found: StreamEntry[]
  isAll: boolean
}

type NameOf = (rest: string) => Pick<StreamEntry, 'id' | 'type'>

const isType = (text: string | undefined): text is EventType => (EVENT_TYPES as readonly (string | undefined)[]).includes(text)

/** Returns the id and type of a kept event. `rest` is its key without the prefix: `<event>:<type>`. */
export const keptNameOf: NameOf = (rest) => {
  const [id = '', type] = rest.split(':')
  return { id, type: isType(type) ? type : undefined }
}

const outboxNameOf: NameOf = (id) => ({ id, type: undefined })

/** Reads entries from one key range, up to the size of a page. */
async function entriesOf(store: Pick<StateStore, 'range'>, range: string, after: string, nameOf: NameOf): Promise<Entries> {
  const found: StreamEntry[] = []
  let size = 0
  // `~` sorts after the other characters of the keys, so the range begins after all keys that begin with this id.
  for await (const [key, bytes] of store.range(range, { limit: PAGE_EVENTS, after: `${range}${after}~` })) {
    found.push({ ...nameOf(key.slice(range.length)), key, bytes })
    size += bytes.byteLength
    if (size >= PAGE_BYTES) break
  }
  return { found, isAll: found.length < PAGE_EVENTS && size < PAGE_BYTES }
}

/**
 * The page ends at the lowest of the last ids that were read from ranges with more events, because the next ids of that
 * range are unknown. `floor`: id up to which events are no longer kept for streams.
 */
export async function streamEntries(
  store: Pick<StateStore, 'range'>,
  instanceId: string,
  { after, floor }: { after: string; floor: string },
): Promise<Entries> {
  const older = after < floor ? [keys.outbox(instanceId), keys.parked(instanceId)] : []
  const parts = await Promise.all([
    entriesOf(store, keys.keptEvents(instanceId), after, keptNameOf),
    ...older.map((range) => entriesOf(store, range, after, outboxNameOf)),
  ])
  const known = parts.flatMap(({ found, isAll }) => (isAll ? [] : found.at(-1)!.id)).sort()[0]
  const byId = new Map(parts.toReversed().flatMap(({ found }) => found.map((entry) => [entry.id, entry] as const)))
  const found = [...byId.values()].filter(({ id }) => known === undefined || id <= known).sort((a, b) => (a.id < b.id ? -1 : 1))
  return { found, isAll: known === undefined }
}
