/**
 * The people of a receipt: the chat, and in a group the member. Their identifiers are in the event, and in the key of
 * the stored status.
 */
import type { EventOf } from '../../../src/features/webhook-payloads.ts'
import type { Identity, Person } from '../connection/identity.ts'
import type { ReceiptLevels, Subject } from '../messages/receipt-levels.ts'
import type { Receipt } from '../translate/inbound/receipt.ts'
import { bare, chatKind, identifierOf } from '../wire/jid.ts'

export interface People {
  kind: ReturnType<typeof chatKind>
  chat: Person
  /** The member of a group; null if the status is that of the whole message. */
  who: Person | null
}

export async function peopleOf(
  identity: Identity,
  { chat, participant }: Pick<Receipt, 'chat' | 'participant'>,
): Promise<People> {
  const kind = chatKind(chat)
  return {
    kind,
    chat: kind === 'user' ? await identity.person(bare(chat)) : { phone: identifierOf(chat), lid: null },
    who: participant === null ? null : await identity.person(bare(participant)),
  }
}

export const statusEvent = (
  { status, at }: Pick<Receipt, 'status' | 'at'>,
  { kind, chat, who }: People,
  ids: string[],
): EventOf<'message_status'> => ({
  type: 'message_status',
  at,
  body: {
    status,
    ids,
    phone: chat.phone,
    chat_lid: chat.lid,
    is_group: kind === 'group',
    participant_phone: who?.phone ?? null,
    participant_lid: who?.lid ?? null,
  },
})

/**
 * Returns the keys of the stored status: one per jid of the chat or participant. A new status is written under the
 * first key.
 */
export function subjectsOf(levels: Pick<ReceiptLevels, 'subject'>, id: string, { kind, chat, who }: People): Subject[] {
  const names = ({ phone, lid }: Person) => [...new Set([phone, ...(lid === null ? [] : [lid])])]
  if (kind === 'user') return names(chat).map((name) => levels.subject(id, name, ''))
  return (who ? names(who) : ['']).map((name) => levels.subject(id, chat.phone, name))
}
