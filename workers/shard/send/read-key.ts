/** Finds the key of a message for a read receipt. The key names people by number or LID, whichever the chat uses. */
import type { WAMessageKey } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import { type Identifier, toJid, type UserIdentifier } from '../../../src/domain/ids.ts'
import type { Asker } from '../chats/session.ts'
import { isOf } from './context-info.ts'
import type { SendContext } from './contract.ts'
import { chatWith, groupAt } from './destination.ts'
import { memberJid } from './member.ts'

export interface ReadFields {
  phone: Identifier
  message_id: string
  participant?: UserIdentifier | undefined
}

/**
 * Returns the key of the stored message, or a key built from the input if none is stored. The stored key is preferred,
 * because the receipt must go to the jid from which the message came.
 */
export async function keyToRead(asker: Asker & Pick<SendContext, 'messages'>, input: ReadFields): Promise<WAMessageKey> {
  const { messages } = asker
  const { phone, message_id: id, participant } = input
  const known = await messages.get(id, isOf({ jid: toJid(phone), other: null }))
  if (known) return known.key
  const [jid, other = null] = phone.kind === 'user' ? await namesOf(asker, phone) : [toJid(phone)]
  const found = await messages.get(id, isOf({ jid, other }))
  if (found) return found.key
  if (await messages.get(id, () => true)) throw new Failure('message_not_found')
  if (phone.kind === 'user') return { remoteJid: jid, id, fromMe: false }
  if (!participant) throw new Failure('message_not_found')
  return { remoteJid: toJid(phone), id, fromMe: false, participant: await authorIn(asker, phone, participant) }
}

async function namesOf(asker: Asker, phone: UserIdentifier): Promise<[string, ...string[]]> {
  const { jid, other } = await chatWith(asker, phone)
  return other === null ? [jid] : [jid, other]
}

/** Returns the jid of a message's author. In a group this is the jid that the group uses. */
async function authorIn(asker: Asker, chat: Identifier, author: UserIdentifier): Promise<string> {
  const [jid] = await namesOf(asker, author)
  if (chat.kind !== 'group') return jid
  const group = await groupAt(asker, toJid(chat), 'chat_not_found')
  return memberJid(asker.session, { jid: group.id, kind: 'group', other: null, group }, jid)
}
