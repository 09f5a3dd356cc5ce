/**
 * Converts the keys of other messages inside a message. In such a key, `fromMe` means that the referenced message is by
 * the person who sends the key.
 */
import type { proto, WAMessageKey } from '@whiskeysockets/baileys'
import type { ReferencedMessage } from '../../../../src/features/received/described.ts'
import { idOrEmpty } from '../../wire/bounds.ts'
import { bare } from '../../wire/jid.ts'
import { identifier, type Scene } from './family.ts'

export interface Reference {
  id: string
  fromMe: boolean
  authors: string[]
}

type Key = proto.IMessageKey | null | undefined

export function reference(key: Key, { context, key: own, fromMe, kind }: Scene): Reference | null {
  if (!key?.id) return null
  const { identity } = context
  const sender = namesOf(own)
  // In this key, `fromMe` means that the person who wrote the key also wrote the message.
  const authors = key.fromMe
    ? fromMe
      ? identity.own()
      : sender
    : key.participant
      ? [bare(key.participant)]
      : kind !== 'user'
        ? []
        : fromMe
          ? [own.remoteJid, own.remoteJidAlt].flatMap((jid) => (jid ? [bare(jid)] : []))
          : identity.own()
  return { id: key.id, fromMe: authors.some((jid) => identity.isMe(jid)), authors }
}

export function namesOf({ participant, participantAlt, remoteJid, remoteJidAlt }: WAMessageKey): string[] {
  const names = participant ? [participant, participantAlt ?? remoteJidAlt] : [remoteJid, remoteJidAlt]
  return names.flatMap((jid) => (jid ? [bare(jid)] : []))
}

export const chatNamesOf = ({ remoteJid, remoteJidAlt }: WAMessageKey): string[] =>
  [remoteJid, remoteJidAlt].flatMap((jid) => (jid ? [bare(jid)] : []))

export async function referencedMessage(key: Key, scene: Scene): Promise<ReferencedMessage | null> {
  const found = reference(key, scene)
  if (!found) return null
  const { phone, kind } = scene
  const [author] = found.authors
  return {
    message_id: idOrEmpty(found.id),
    from_me: found.fromMe,
    phone: key?.remoteJid === 'status@broadcast' ? 'status@broadcast' : phone,
    participant: found.fromMe || !author || kind === 'user' ? null : await identifier(scene, author),
  }
}
