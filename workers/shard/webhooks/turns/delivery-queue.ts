/** Chooses the next event of the queue: the oldest one whose URL is not waiting for its receiver. */
import { urlField, type WebhookSettings } from '../../../../src/domain/instance.ts'
import type { LogRow } from '../../../../src/webhooks/log.ts'
import type { DurableLine } from '../../durable-line/durable-line.ts'
import type { EventRows } from '../event-rows.ts'
import type { Hold, ReceiverHolds } from './receiver-holds.ts'

/** Maximum number of events that are examined in one turn of the work loop. */
const SLICE = 500

/** An event of the queue. An event that was read from disk has its encrypted body. */
export type QueuedEvent = { readonly id: string } & (
  | { readonly row: LogRow; readonly body: Uint8Array }
  | { readonly sealed: Uint8Array }
)

export type EventLine = DurableLine<QueuedEvent>

type Found = QueuedEvent | 'more' | undefined

export interface DeliveryQueueOptions {
  line: EventLine
  webhooks: () => WebhookSettings
  holds: ReceiverHolds
  rows: Pick<EventRows, 'read'>
}

export function createDeliveryQueue({ line, webhooks, holds, rows }: DeliveryQueueOptions) {
  let settings: WebhookSettings | undefined

  /** Returns null if the type of the event has no URL, or if the event has no readable log row. */
  const urlOf = async (eventId: string): Promise<string | null> => {
    const row = await rows.read(eventId)
    return row === undefined ? null : webhooks()[urlField(row.type)]
  }

  async function nextNotHeld(): Promise<Found> {
    for (let seen = 0; seen < SLICE; seen++) {
      const event = await line.first()
      if (event === undefined || !holds.any()) return event
      const url = await urlOf(event.id)
      const hold = url === null ? undefined : holds.of(url)
      if (hold === undefined) return event
      holds.saw(hold, event.id)
      line.pass(event.id)
    }
    return 'more'
  }

  return {
    urlOf,

    /**
     * Returns the next event to attempt. `more`: no event was found yet, and the caller must call this again in a later
     * turn.
     */
    next(): Found | Promise<Found> {
      const current = webhooks()
      if (current !== settings) {
        settings = current
        line.again()
        holds.keepOnly(new Set(Object.values(current).filter((value) => typeof value === 'string')))
      }
      return holds.any() ? nextNotHeld() : line.first()
    },

    /**
     * Continues the search for the first event of a URL whose receiver is down, by at most `SLICE` events. If the queue
     * has no such event, the URL no longer waits.
     */
    async seekHead(hold: Hold): Promise<void> {
      let seen = 0
      for await (const [id] of line.after(hold.seekAfter, SLICE)) {
        seen++
        if ((await urlOf(id)) === hold.url) {
          hold.head = id
          return
        }
        hold.seekAfter = id
      }
      if (seen < SLICE) holds.release(hold.url)
    },
  }
}
export type DeliveryQueue = ReturnType<typeof createDeliveryQueue>
