/** A call of a queued operation as its line keeps it: where it goes, what it is about, what a list of waiting items shows of it. */
import { type Identifier, renderIdentifier } from '../../../src/domain/ids.ts'
import type { Enqueue } from '../queue/contract.ts'

/** What its declaration does not say of an operation; those that are not listed have `phone` and are about no earlier message. */
interface Rule {
  /** Field that names the message it is about: `reference_message_id` of its `delivery`. */
  about?: string
  /** Destination of operations without `phone`. */
  to?: Identifier
}

const STATUS: Identifier = { kind: 'status' }

const RULES: Readonly<Record<string, Rule>> = {
  'send.sendText': { about: 'edit_message_id' },
  'send.sendDocument': { about: 'edit_message_id' },
  'send.sendReaction': { about: 'message_id' },
  'send.removeReaction': { about: 'message_id' },
  'send.pinMessage': { about: 'message_id' },
  'send.deleteMessage': { about: 'message_id' },
  'send.sendPollVote': { about: 'poll_message_id' },
  'send.sendEditEvent': { about: 'event_message_id' },
  'send.sendEventResponse': { about: 'event_message_id' },
  'send.sendTextStatus': { to: STATUS },
  'send.sendImageStatus': { to: STATUS },
  'send.sendVideoStatus': { to: STATUS },
}

interface SharedInput {
  phone?: Identifier
  delay_message?: number
  delay_typing?: number
}

export function enqueued(operation: string, input: Record<string, unknown>): Omit<Enqueue, 'messageId' | 'bytes'> {
  const { about = '', to } = RULES[operation] ?? {}
  const { phone, delay_message, delay_typing } = input as SharedInput
  const destination = to ?? phone
  if (!destination) throw new Error(`${operation} has no phone and no rule where it goes`)
  const text = input.message ?? input.caption
  const reference = input[about]
  return {
    operation,
    phone: renderIdentifier(destination),
    input,
    preview: typeof text === 'string' ? text : null,
    delayMessage: delay_message ?? null,
    delayTyping: delay_typing ?? 0,
    referenceMessageId: typeof reference === 'string' ? reference : null,
  }
}
