/**
 * Decrypts answers of bots (type `msmsg`). The key is derived from the secret of the answered message, the id of the
 * answer, the author of the answered message, and the bot.
 */
import { hkdfSync } from 'node:crypto'
import { proto, type WAMessageKey } from '@whiskeysockets/baileys'
import { bare } from '../../wire/jid.ts'
import type { AnswerStanza } from '../../wire/message-stanza.ts'
import type { InboundContext, KnownMessage } from './context.ts'
import { chatNamesOf, namesOf } from './referenced.ts'
import { allNames, SECRET_BYTES, secretOf, tryOpen } from './secret.ts'

/**
 * Null if the answered message or its secret is not stored, if the answer is incomplete, or if no key fits. `key`:
 * message key of the answer.
 */
export async function decryptBotAnswer(
  context: InboundContext,
  key: WAMessageKey,
  { target, ids }: AnswerStanza,
  ciphertext: Uint8Array,
): Promise<Uint8Array | null> {
  const original = await answered(context, key, target)
  const secret = original && secretOf(original.message)
  if (!original || secret?.length !== SECRET_BYTES) return null
  const { encPayload, encIv } = proto.MessageSecretMessage.decode(ciphertext)
  if (!encPayload?.length || !encIv?.length) return null
  const botSecret = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(SECRET_BYTES), 'Bot Message', SECRET_BYTES))
  const authors = await allNames({ context }, [
    ...(target.sender ? [bare(target.sender)] : []),
    ...(original.key.fromMe ? context.identity.own() : namesOf(original.key)),
  ])
  for (const id of ids)
    for (const author of authors)
      for (const bot of namesOf(key)) {
        const plain = tryOpen(botSecret, id, author, bot, '', encPayload, encIv)
        if (plain) return plain
      }
  return null
}

/**
 * Finds the answered message in the chat of the answer, in the chat that the answer names, or in the account's own
 * chat. This is safe, because only somebody who has read the message can encrypt with its secret.
 */
async function answered(
  { original, identity }: InboundContext,
  key: WAMessageKey,
  { id, chat }: AnswerStanza['target'],
): Promise<KnownMessage | null> {
  if (!id) return null
  const chats = new Set([...chatNamesOf(key), ...(chat ? [bare(chat)] : []), ...identity.own()])
  for (const remoteJid of chats) {
    const found = await original(id, { remoteJid })
    if (found) return found
  }
  return null
}
