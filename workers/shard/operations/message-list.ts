/**
 * Lists the newest messages of an instance, for the dashboard. The list is built from the messages in memory, the
 * queue, the newest entries of the webhook log, and the timelines of messages.
 */
import { iso } from '../../../src/domain/clock.ts'
import { MESSAGE_STATES, type MessageRow, type MessageState, type WebhookBody } from '../../../src/domain/dashboard.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { LogEntry } from '../../../src/domain/webhook-log.ts'
import type { Fact } from '../messages/message-timeline.ts'
import { bare } from '../wire/jid.ts'
import type { ControlContext } from './types.ts'

/** Maximum number of entries of the webhook log that are read. */
const MAX_ENTRIES = 100
const MAX_WAITING = 100
const SHOWN_BYTES = 256 * 1_024

type Known = Omit<MessageRow, 'at' | 'state' | 'from_me'> & {
  at: number
  isOwn: boolean | undefined
  queued?: Extract<MessageState, 'waiting' | 'processing'>
}

const NAMELESS = { chat_name: null, participant: null, participant_name: null } as const

type Needs = Pick<ControlContext, 'queue' | 'messages' | 'inbound' | 'outbox' | 'timeline'>

async function inMemory({ messages, inbound }: Needs, chat: string | undefined, limit: number): Promise<Known[]> {
  const names = chat === undefined ? undefined : await inbound.namesOf(chat)
  const fits = (jids: readonly (string | null | undefined)[]) =>
    names === undefined || jids.some((jid) => jid && names.has(bare(jid)))
  const found = messages.newest(({ remoteJid, remoteJidAlt }) => fits([remoteJid, remoteJidAlt]), limit)
  const events = await Promise.all(found.map(inbound.shown))
  return events.flatMap((event) => {
    if (event === null) return []
    const { message_id, message_type, phone, chat_name, participant_phone, sender_name, from_me } = event.body
    const participant = from_me ? null : participant_phone
    const participant_name = participant === null ? null : sender_name
    return {
      message_id,
      phone,
      chat_name,
      participant,
      participant_name,
      at: event.at,
      kind: message_type,
      isOwn: from_me,
      has_content: true,
    }
  })
}

async function inQueue({ queue }: Needs, phone: string | undefined): Promise<Known[]> {
  const { data } = await queue.list({ page: 1, pageSize: MAX_WAITING, phone })
  return data.map(({ message_id, phone, operation, status, queued_at }) => {
    const at = Date.parse(queued_at)
    return { ...NAMELESS, message_id, phone, kind: operation, at, isOwn: true, queued: status, has_content: false }
  })
}

const REPORTING: ReadonlySet<LogEntry['type']> = new Set(['received', 'delivery', 'message_status'])

async function inLog({ outbox }: Needs, chat: string | undefined): Promise<Known[]> {
  const entries = await outbox.newest(MAX_ENTRIES)
  // Several entries may be about the same message. The oldest one is used, because its time is nearest to the time of
  // the message.
  return entries.toReversed().flatMap(({ type, phone, message_id, state, created_at }) => {
    if (!REPORTING.has(type) || phone === null || message_id === null || (chat !== undefined && phone !== chat)) return []
    const isReceived = type === 'received'
    const isOwn = isReceived ? undefined : true
    return {
      ...NAMELESS,
      message_id,
      phone,
      kind: isReceived ? state : null,
      at: Date.parse(created_at),
      isOwn,
      has_content: false,
    }
  })
}

const rank = (state: string) => MESSAGE_STATES.indexOf(state as MessageState)

function stateOf(facts: readonly Fact[], queued: Known['queued']): MessageState {
  const states = facts.flatMap((fact) => {
    if (fact.kind === 'end') return fact.errorCode === null ? 'sent' : 'failed'
    return fact.kind === 'receipt' ? fact.status : []
  })
  return (states.toSorted((one, other) => rank(other) - rank(one))[0] as MessageState | undefined) ?? queued ?? 'sent'
}

async function rowOf({ timeline }: Needs, { isOwn, queued, at, kind, ...rest }: Known): Promise<MessageRow> {
  const facts = isOwn === false ? [] : await timeline.find(rest.message_id)
  const end = facts.find((fact) => fact.kind === 'end')
  const from_me = isOwn ?? facts.length > 0
  const shown = { ...rest, from_me, at: iso(end?.queuedAt ?? at), kind: kind ?? end?.operation ?? null }
  return { ...shown, state: from_me ? stateOf(facts, queued) : 'received' }
}

/** Returns the messages, newest first. `chat` is an identifier of the API. */
export async function messageRows(
  context: Needs,
  { chat, limit }: { chat?: string | undefined; limit: number },
): Promise<MessageRow[]> {
  const found = new Map<string, Known>()
  const sources = await Promise.all([inMemory(context, chat, limit), inQueue(context, chat), inLog(context, chat)])
  for (const known of sources.flat()) if (!found.has(known.message_id)) found.set(known.message_id, known)
  const newest = [...found.values()].sort((one, other) => other.at - one.at).slice(0, limit)
  const rows = await Promise.all(newest.map((known) => rowOf(context, known)))
  return rows.sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
}

/**
 * Returns the content of a message. Rejects with `not_found` if it is no longer stored, and with
 * `instance_not_connected` before the first session.
 */
export async function bodyOf({ messages, inbound }: Needs, messageId: string): Promise<WebhookBody> {
  const message = await messages.get(messageId, () => true)
  // The content is shown from the account's point of view, and the account's jids are unknown before the first session.
  if (message && inbound.context() === null) throw new Failure('instance_not_connected')
  const event = message && (await inbound.shown(message))
  if (!event) throw new Failure('not_found', { message: 'The content of this message is no longer stored.' })
  const { message_type } = event.body
  const content = (event.body as unknown as Record<string, unknown>)[message_type]
  const bytes = Buffer.from(JSON.stringify({ message_type, [message_type]: content ?? null }))
  return { body: bytes.subarray(0, SHOWN_BYTES).toString('utf8'), truncated: bytes.byteLength > SHOWN_BYTES }
}
