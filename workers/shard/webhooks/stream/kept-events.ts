/**
 * The newest events, which are kept for stream readers. The commit that removes the oldest also records which events
 * are missing.
 */
import type { Logger } from 'pino'
import type { EventType } from '../../../../src/domain/events.ts'
import { MB } from '../../../../src/domain/media.ts'
import type { Op, StateStore } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import type { Interest } from './interest.ts'
import { keptNameOf } from './stream-entries.ts'

export const MAX_KEPT_EVENTS = 5_000
export const MAX_KEPT_BYTES = 8 * MB
const SLICE = 200

interface Kept {
  type: EventType
  bytes: number
}

export interface KeptEventsDeps {
  instanceId: string
  store: Pick<StateStore, 'range' | 'commit'>
  interest: Interest
  log: Pick<Logger, 'error'>
  maxEvents: number
}

export function createKeptEvents({ instanceId, store, interest, log, maxEvents }: KeptEventsDeps) {
  const prefix = keys.keptEvents(instanceId)
  /** Kept events by id, oldest first. */
  const kept = new Map<string, Kept>()
  let keptBytes = 0
  let newest = ''
  let tidying: Promise<void> | undefined

  function add(id: string, event: Kept) {
    kept.set(id, event)
    keptBytes += event.bytes
  }

  const isTooMuch = () => kept.size > maxEvents || keptBytes > MAX_KEPT_BYTES

  async function drop(): Promise<void> {
    const ops: Op[] = []
    const gone: [id: string, event: Kept][] = []
    for (const [id, event] of kept) {
      // A few more events are removed than necessary, so that not every new event causes a removal.
      const isEnough = kept.size <= maxEvents - Math.floor(maxEvents / 50) && keptBytes <= MAX_KEPT_BYTES
      if (isEnough || ops.length === SLICE) break
      kept.delete(id)
      keptBytes -= event.bytes
      interest.gone(event.type, id)
      gone.push([id, event])
      ops.push([keys.keptEvent(instanceId, id, event.type), null])
    }
    try {
      await store.commit({ ops: [...ops, interest.op()] })
    } catch (error) {
      // The removal failed, so the next one includes these events.
      const newer = [...kept]
      kept.clear()
      for (const [id, event] of [...gone, ...newer]) kept.set(id, event)
      for (const [, { bytes }] of gone) keptBytes += bytes
      throw error
    }
  }

  async function removeAll(isWanted: () => boolean): Promise<boolean> {
    while (isWanted()) {
      const ops: Op[] = []
      for await (const [key] of store.range(prefix, { limit: SLICE })) ops.push([key, null])
      if (ops.length === 0) break
      await store.commit({ ops })
    }
    if (!isWanted()) return false
    kept.clear()
    keptBytes = 0
    newest = ''
    return true
  }

  async function dropAll(): Promise<void> {
    if (await removeAll(interest.isOver)) await store.commit({ ops: [interest.forget()] })
  }

  return {
    async load(): Promise<void> {
      for await (const [key, bytes] of store.range(prefix)) {
        const { id, type } = keptNameOf(key.slice(prefix.length))
        if (type) add(id, { type, bytes: bytes.byteLength })
        newest = id
      }
    },
    add,
    removeAll,
    /** Id of the newest event that was kept before the start; empty if there is none. New ids are greater. */
    newest: () => newest,
    /** Removes events in the background. The next event repeats a removal that failed. */
    tidy(): void {
      if (tidying || !(isTooMuch() || interest.isOver())) return
      tidying = (interest.isOver() ? dropAll() : drop())
        .catch((err) => log.error({ instance_id: instanceId, err }, 'stored stream events could not be removed'))
        .finally(() => {
          tidying = undefined
        })
    },
    idle: async () => void (await tidying),
  }
}
