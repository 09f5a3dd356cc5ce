/**
 * Consent pages, which are valid for some minutes. Each use reads them from the store, so they survive a restart.
 * Memory has only the expiry time and the labels of each page, to limit the number of pages.
 */
import { type Clock, MINUTE } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import type { Op, StateStore } from '../storage/contract.ts'
import type { Repository } from '../storage/repository.ts'

const PRUNE_EVERY = MINUTE
/**
 * Maximum difference in ms between clocks: another service's clock may be ahead, or this clock may have been ahead
 * before it was corrected.
 */
const MAX_LEAD = MINUTE

/** Part of a commit. `undo` must be called if the commit stored nothing. */
export interface Part {
  ops: readonly Op[]
  undo(): void
}

interface Timed {
  /** Time at which the record ends, in epoch ms. */
  until: number
}

export interface ShortLivedOptions<T extends Timed, L extends { owner: string }> {
  store: Pick<StateStore, 'get' | 'commit' | 'range'>
  records: Repository<T>
  prefix: string
  clock: Clock
  log: Log
  lifeMs: number
  /**
   * Maximum number of records that one service has in memory. If there are more, the oldest record of the owner with
   * the most records is removed.
   */
  max: number
  labelsOf(value: T): L
}

export function createShortLived<T extends Timed, L extends { owner: string }>({
  store,
  records,
  prefix,
  clock,
  log,
  lifeMs,
  max,
  labelsOf,
}: ShortLivedOptions<T, L>) {
  const held = new Map<string, { until: number; labels: L }>()
  let timer: NodeJS.Timeout | undefined

  const isOver = ({ until }: Timed) => until <= clock.now()
  const keyOf = (id: string) => prefix + id
  const hold = (id: string, value: T) => void held.set(id, { until: value.until, labels: labelsOf(value) })

  function removing(ids: readonly string[]): Part {
    const removed = ids.flatMap((id) => {
      const entry = held.get(id)
      held.delete(id)
      return entry === undefined ? [] : [[id, entry] as const]
    })
    return {
      ops: ids.map((id) => records.remove(keyOf(id))),
      undo: () => removed.forEach(([id, entry]) => void held.set(id, entry)),
    }
  }

  const ended = () => [...held].flatMap(([id, entry]) => (isOver(entry) ? id : []))

  function oldestOfMost(): string | undefined {
    const byOwner = new Map<string, { id: string; until: number }[]>()
    for (const [id, { until, labels }] of held) {
      const own = byOwner.get(labels.owner) ?? []
      byOwner.set(labels.owner, own)
      own.push({ id, until })
    }
    const [most = []] = [...byOwner.values()].sort((one, other) => other.length - one.length)
    return most.sort((one, other) => one.until - other.until)[0]?.id
  }

  async function remove(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await commitParts(store, [removing(ids)])
  }
  const prune = () => remove(ended())
  const notRemoved = (err: unknown) => log.error({ err }, 'records of ended OAuth requests could not be removed')

  return {
    async load(): Promise<void> {
      const useless: string[] = []
      for await (const [key, bytes] of store.range(prefix)) {
        const id = key.slice(prefix.length)
        try {
          hold(id, records.decode(key, bytes))
        } catch (err) {
          log.error({ err }, 'a record of an OAuth request could not be read; the request cannot be continued')
          useless.push(id)
        }
      }
      // A record whose end is too far away was written while a clock was ahead, so its age is unknown.
      const latest = clock.now() + lifeMs + MAX_LEAD
      useless.push(...[...held].flatMap(([id, { until }]) => (until > latest ? id : [])))
      await remove([...useless, ...ended()]).catch(notRemoved)
      timer = setInterval(() => {
        prune().catch(notRemoved)
      }, PRUNE_EVERY).unref()
    },

    /** Returns a record; undefined if there is none or it has ended. */
    async find(id: string): Promise<T | undefined> {
      const value = await records.get(store, keyOf(id))
      return value === undefined || isOver(value) ? undefined : value
    },

    adding(id: string, value: T): Part {
      const removed = removing(ended())
      const oldest = held.size < max ? undefined : oldestOfMost()
      const evicted = removing(oldest === undefined ? [] : [oldest])
      hold(id, value)
      return {
        ops: [...removed.ops, ...evicted.ops, records.encode(keyOf(id), value)],
        undo() {
          held.delete(id)
          evicted.undo()
          removed.undo()
        },
      }
    },

    removing: (id: string): Part => removing([id]),

    removal: (id: string): Op => records.remove(keyOf(id)),
    /** Drops a record from memory. Must be called after a commit with its removal. */
    forget: (id: string) => void held.delete(id),

    stop: () => clearInterval(timer),
  }
}

export async function commitParts(store: Pick<StateStore, 'commit'>, parts: readonly Part[]): Promise<void> {
  let isStored = false
  try {
    isStored = await store.commit({ ops: parts.flatMap(({ ops }) => ops) })
  } finally {
    if (!isStored) for (const part of parts.toReversed()) part.undo()
  }
}
