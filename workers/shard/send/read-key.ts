/** The message a read receipt is about, as the chat knows it: shared/api/messages.md, readMessage. */
import type { WAMessageKey } from '@whiskeysockets/baileys'
import { Failure, type FailureCode } from '../../../src/domain/failures.ts'
import { type Identifier, toJid, type UserIdentifier } from '../../../src/domain/ids.ts'
import type { Session } from '../chats/session.ts'
import { isOf } from './context-info.ts'
import type { SendContext } from './contract.ts'
import { type Destination, groupAt, resolveDestination } from './destination.ts'
import { memberJid } from './member.ts'

export interface ReadFields {
  phone: Identifier
  message_id: string
  /** Author, in groups and status, of a message that is not remembered. */
  participant?: UserIdentifier | undefined
}

/** The receipt must go to the jid the message came from, so the remembered key comes first. */
export async function keyToRead(
  { session, recent }: Pick<SendContext, 'session' | 'recent'>,
  input: ReadFields,
): Promise<WAMessageKey> {
  const { phone, message_id: id, participant } = input
  const known = recent.get(id, isOf({ jid: toJid(phone), other: null }))
  if (known) return known.key
  const [jid, other = null] = phone.kind === 'user' ? await namesOf(session, phone) : [toJid(phone)]
  const found = recent.get(id, isOf({ jid, other }))
  if (found) return found.key
  if (recent.get(id, () => true)) throw new Failure('message_not_found')
  if (phone.kind === 'user') return { remoteJid: jid, id, fromMe: false }
  if (!participant) throw new Failure('message_not_found')
  return { remoteJid: toJid(phone), id, fromMe: false, participant: await authorIn(session, phone, participant) }
}

/** The registered form of a number, under its LID first. */
async function namesOf(session: Session, phone: UserIdentifier): Promise<[string, ...string[]]> {
  const { jid, other } = await asAction(resolveDestination(session, phone))
  return other === null ? [jid] : [jid, other]
}

/** In a group by the name it gives its members, in the status by number or LID as a chat with the person goes. */
async function authorIn(session: Session, chat: Identifier, author: UserIdentifier): Promise<string> {
  const [jid] = await namesOf(session, author)
  if (chat.kind !== 'group') return jid
  const group: Destination = {
    jid: toJid(chat),
    kind: 'group',
    other: null,
    group: await asAction(groupAt(session, toJid(chat))),
  }
  return memberJid(session, group, jid)
}

/** What a send calls a failure, as an immediate operation calls it. */
const AS_ACTION: Partial<Record<FailureCode, FailureCode>> = {
  phone_not_on_whatsapp: 'chat_not_found',
  group_not_found: 'chat_not_found',
  send_failed: 'action_failed',
}

const asAction = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    const code = error instanceof Failure ? AS_ACTION[error.code] : undefined
    throw code ? new Failure(code, { cause: error }) : error
  })
