/**
 * Keys of other messages inside a message are written from the author's point of view: in our chat with Ana, a key that
 * she marks `fromMe` is hers. The library inverts them in `cleanMessage`, only for reactions and votes, and fails on a
 * missing key. So the keys are converted here, for every kind of message.
 */
import type { proto, WAMessageKey } from '@whiskeysockets/baileys'
import type { ReferencedMessage } from '../../../../src/features/received/described.ts'
import { idOrEmpty } from '../../wire/bounds.ts'
import { bare } from '../../wire/jid.ts'
import { identifier, type Scene } from './family.ts'

export interface Reference {
  id: string
  /** Whether the connected account wrote it. */
  fromMe: boolean
  /** Jids of its author; empty if the key names none. */
  authors: string[]
}

type Key = proto.IMessageKey | null | undefined

/** Converts the key of another message; null without an id. */
export function reference(key: Key, { context, key: own, fromMe, kind }: Scene): Reference | null {
  if (!key?.id) return null
  const { identity } = context
  const sender = namesOf(own)
  // The author of the message, from the point of view of the key's sender.
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

/** Returns the jids of the author that the key itself has. */
export function namesOf({ participant, participantAlt, remoteJid, remoteJidAlt }: WAMessageKey): string[] {
  const names = participant ? [participant, participantAlt ?? remoteJidAlt] : [remoteJid, remoteJidAlt]
  return names.flatMap((jid) => (jid ? [bare(jid)] : []))
}

/** Returns the jids of the chat that the key itself has. */
export const chatNamesOf = ({ remoteJid, remoteJidAlt }: WAMessageKey): string[] =>
  [remoteJid, remoteJidAlt].flatMap((jid) => (jid ? [bare(jid)] : []))

/** Builds the field `referenced_message` of an event; null without an id. */
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
