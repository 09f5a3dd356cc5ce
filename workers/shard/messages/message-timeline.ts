/**
 * Stores when the account's messages were sent and accepted, their receipts, and their events. The rows contain no
 * content and no phone numbers. Each row is written in the commit of the event that it reports.
 */
import * as v from 'valibot'
import type { WebhookEvent } from '../../../src/features/webhook-payloads.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { RecordError, repository } from '../../../src/storage/repository.ts'
import { createWeeks } from '../../../src/storage/weeks.ts'
import { FACETS, type FacetContext } from './facets.ts'
import { messageIdOf } from './message-id.ts'

/** Maximum number of facts of one week that are read about a message. In a group, each member causes receipts. */
const MAX_FACTS = 4_096

const at = v.number()
const eventId = v.nullable(v.string())

const FactSchema = v.variant('kind', [
  v.object({
    kind: v.literal('end'),
    at,
    svcId: v.string(),
    messageId: v.string(),
    operation: v.string(),
    /** Null if the network accepted the message. */
    errorCode: v.nullable(v.string()),
    queuedAt: at,
    leftAt: v.nullable(at),
    eventId,
  }),
  v.object({ kind: v.literal('receipt'), at, status: v.string(), eventId }),
  /**
   * Id of the message that was sent for a queue item, stored under the id of the item. Only items that an older version
   * queued need this row: the ids of later messages are derived (`message-id.ts`).
   */
  v.object({ kind: v.literal('message'), messageId: v.string() }),
])
export type Fact = v.InferOutput<typeof FactSchema>

export interface MessageTimeline {
  /** Returns the operations for the commit of an event. `eventId` is null if no webhook wanted the event. */
  ops(event: WebhookEvent, eventId: string | null): Op[]
  /** Returns the facts about a message, in any order. `id` is the id of the message or of its queue item. */
  find(id: string): Promise<Fact[]>
}

export function createMessageTimeline({ id: instance, store, sealer, clock, log, retention }: FacetContext): MessageTimeline {
  const records = repository({ name: 'fact of a message', schema: FactSchema, version: 1, sealed: sealer })
  const weeks = createWeeks(
    store,
    clock,
    keys.timelines(instance),
    (week) => keys.timelineWeek(instance, week),
    FACETS.timeline.weeks,
  )
  retention.covers(weeks.removeOld, 'old rows of message timelines could not be removed')
  let count = 0

  const subjectOf = (id: string) => sealer.blindOnce(`timeline ${id}`)
  function op(id: string, fact: Fact): Op {
    const name = `${String(clock.now()).padStart(13, '0')}-${count++}`
    return records.encode(keys.timelineFact(instance, weeks.current(), subjectOf(id), name), fact)
  }

  async function factsOf(id: string): Promise<Fact[]> {
    const facts: Fact[] = []
    for (const week of weeks.kept())
      for await (const [key, bytes] of store.range(keys.timelineOf(instance, week, subjectOf(id)), { limit: MAX_FACTS }))
        try {
          facts.push(records.decode(key, bytes))
        } catch (error) {
          if (!(error instanceof RecordError)) throw error
          log.error({ err: error }, 'a stored row of a message timeline could not be decoded')
        }
    return facts
  }

  return {
    ops(event, eventId) {
      if (event.type === 'message_status') {
        const { ids, status } = event.body
        return ids.map((id) => op(id, { kind: 'receipt', at: event.at, status, eventId }))
      }
      if (event.type !== 'delivery') return []
      const { message_id: messageId, svc_id: svcId, operation, error_code: errorCode, queued_at } = event.body
      const times = { at: event.at, queuedAt: Date.parse(queued_at), leftAt: event.leftAt ?? null }
      const end = op(messageId, { kind: 'end', svcId, messageId, operation, errorCode, ...times, eventId })
      return messageId === messageIdOf(sealer, svcId) ? [end] : [end, op(svcId, { kind: 'message', messageId })]
    },
    async find(id) {
      const facts = await factsOf(id)
      if (facts.length === 0) return factsOf(messageIdOf(sealer, id))
      const named = facts.find((fact) => fact.kind === 'message')
      return named?.kind === 'message' ? factsOf(named.messageId) : facts
    },
  }
}
