/**
 * Chooses the next event of the queue: the oldest one whose URL is not held. The position after the skipped events is remembered, so that during an
 * outage of one receiver each of its events is only examined once, in slices.
 */
import { urlField, type WebhookSettings } from '../../../src/domain/instance.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import type { LogRow } from '../../../src/webhooks/log.ts'
import type { Hold, ReceiverHolds } from './receiver-holds.ts'

/** Number of events that are examined per turn. */
const SLICE = 500
/** Number of events that are read at once while nothing is held. */
const AHEAD = 128

export interface Waiting {
  id: string
  key: string
  bytes: Uint8Array
}

export interface DeliveryQueueOptions {
  instanceId: string
  store: Pick<StateStore, 'range'>
  webhooks: () => WebhookSettings
  holds: ReceiverHolds
  /** Undefined for an unreadable row. */
  readRow(eventId: string): Promise<LogRow | undefined>
  /** Called before the queue is read: when it resolves, finished events have left it. */
  settled(): Promise<void>
}

export function createDeliveryQueue({ instanceId, store, webhooks, holds, readRow, settled }: DeliveryQueueOptions) {
  const prefix = keys.outbox(instanceId)
  /** The next event comes after this one; undefined means from the beginning. */
  let passed: string | undefined
  let settings: WebhookSettings | undefined
  /** Events that were read and not returned yet. */
  let ahead: Waiting[] = []

  /** Current URL of an event. Null if its type is switched off, or if the event cannot be read, which its attempt records. */
  const urlOf = async (eventId: string): Promise<string | null> => {
    const row = await readRow(eventId)
    return row === undefined ? null : webhooks()[urlField(row.type)]
  }

  async function* slice(after: string | undefined, limit = SLICE) {
    await settled()
    yield* store.range(prefix, { limit, ...(after === undefined ? {} : { after: prefix + after }) })
  }

  async function readAhead(): Promise<Waiting | undefined> {
    const read: Waiting[] = []
    for await (const [key, bytes] of slice(undefined, AHEAD)) read.push({ id: key.slice(prefix.length), key, bytes })
    ahead = read
    return ahead.shift()
  }

  return {
    urlOf,

    /** `more` means that none was found so far. */
    async next(): Promise<Waiting | 'more' | undefined> {
      const current = webhooks()
      if (current !== settings) {
        settings = current
        passed = undefined
        holds.keepOnly(new Set(Object.values(current).filter((value) => typeof value === 'string')))
      }
      if (!holds.any()) return ahead.shift() ?? (await readAhead())
      let seen = 0
      for await (const [key, bytes] of slice(passed)) {
        const id = key.slice(prefix.length)
        seen++
        const url = await urlOf(id)
        const hold = url === null ? undefined : holds.of(url)
        if (hold === undefined) return { id, key, bytes }
        holds.saw(hold, id)
        passed = id
      }
      return seen === SLICE ? 'more' : undefined
    },

    /** Looks for the head of a held queue, in slices; without one the hold is released. */
    async seekHead(hold: Hold): Promise<void> {
      let seen = 0
      for await (const [key] of slice(hold.seekAfter)) {
        const id = key.slice(prefix.length)
        seen++
        if ((await urlOf(id)) === hold.url) {
          hold.head = id
          return
        }
        hold.seekAfter = id
      }
      if (seen < SLICE) holds.release(hold.url)
    },

    /** An event was stored. Two concurrent events may come in another order than their ids. */
    added(eventId: string): void {
      if (passed !== undefined && eventId < passed) passed = undefined
      const last = ahead.at(-1)
      if (last !== undefined && eventId < last.id) ahead = []
    },

    /** Another part than the one that removes the head may have changed the queue. */
    forget(): void {
      ahead = []
    },

    fromTheBeginning(): void {
      passed = undefined
    },
  }
}
export type DeliveryQueue = ReturnType<typeof createDeliveryQueue>
