/**
 * Records that are valid for some minutes. They are read from the store, so a restart or another process does not lose
 * them. Memory has only the end and the labels of each, which limit their number without a read.
 */
import { type Clock, MINUTE } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import type { Batch, Op, StateStore } from '../storage/contract.ts'
import type { Repository } from '../storage/repository.ts'
import type { Ending } from './oauth.ts'

const PRUNE_EVERY = MINUTE

/** Part of a commit. `undo` must be called if that commit stored nothing. */
export interface Part {
  ops: readonly Op[]
  undo(): void
}

export interface Found<T> {
  value: T
  /** Condition of a commit: the record was not changed since it was read. */
  guard: NonNullable<Batch['guard']>
}

interface Timed {
  /** End in epoch ms. */
  until: number
}

export interface ShortLivedOptions<T extends Timed, L extends { owner: string }> {
  store: Pick<StateStore, 'get' | 'commit' | 'range'>
  records: Repository<T>
  prefix: string
  clock: Clock
  log: Log
  lifeMs: number
  /** If there are too many records, the oldest of the owner with the most records is removed. */
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

  return {
    async load(): Promise<void> {
      const onUnreadable = (err: unknown) => log.error({ err }, 'a record of an OAuth request could not be read')
      for await (const { key, value } of records.list(store, prefix, { onUnreadable })) hold(key.slice(prefix.length), value)
      // A record whose end is too far away was written while the clock was ahead, so nobody knows how old it is.
      const latest = clock.now() + lifeMs
      await remove([...held].flatMap(([id, { until }]) => (until > latest ? id : [])))
      await prune()
      timer = setInterval(() => {
        prune().catch((err: unknown) => log.error({ err }, 'records of ended OAuth requests could not be removed'))
      }, PRUNE_EVERY).unref()
    },

    /** Undefined if the record has ended. */
    async find(id: string): Promise<Found<T> | undefined> {
      const key = keyOf(id)
      const equals = await store.get(key)
      if (equals === undefined) return undefined
      const value = records.decode(key, equals)
      return isOver(value) ? undefined : { value, guard: { key, equals } }
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

    /** The end and the labels must stay the same. */
    changing: (id: string, value: T): Op => records.encode(keyOf(id), value),

    removing: (id: string): Part => removing([id]),

    ending(isMeant: (labels: L) => boolean): Ending {
      const ids = [...held].flatMap(([id, { labels }]) => (isMeant(labels) ? id : []))
      return { ops: ids.map((id) => records.remove(keyOf(id))), committed: () => ids.forEach((id) => void held.delete(id)) }
    },

    stop: () => clearInterval(timer),
  }
}

/** Resolves with false if the guard refused the commit. */
export async function commitParts(
  store: Pick<StateStore, 'commit'>,
  parts: readonly Part[],
  guard?: Batch['guard'],
): Promise<boolean> {
  let isStored = false
  try {
    isStored = await store.commit({ ...(guard && { guard }), ops: parts.flatMap(({ ops }) => ops) })
    return isStored
  } finally {
    if (!isStored) for (const part of parts.toReversed()) part.undo()
  }
}
