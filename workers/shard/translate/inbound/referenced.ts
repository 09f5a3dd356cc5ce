/**
 * Keys of other messages inside a message are written from the author's point of view: in our chat with Ana, what she calls `fromMe` is
 * hers. The library turns them round in `cleanMessage`, for reactions and votes only, and fails on a key that is missing; so it is done
 * here, once, for every kind.
 */
import type { proto, WAMessageKey } from '@whiskeysockets/baileys'
import type { ReferencedMessage } from '../../../../src/features/received-blocks.ts'
import { idOrEmpty } from '../../wire/bounds.ts'
import { bare } from '../../wire/jid.ts'
import { identifier, type Scene } from './family.ts'

export interface Reference {
  id: string
  /** Written by the connected account. */
  fromMe: boolean
  /** Jids its author may be known by; empty when the key does not tell. */
  authors: string[]
}

type Key = proto.IMessageKey | null | undefined

/** Null without an id. */
export function reference(key: Key, { context, key: own, fromMe, kind }: Scene): Reference | null {
  if (!key?.id) return null
  const { identity } = context
  const speaker = namesOf(own)
  // Whose message it is, from where the speaker stands.
  const authors = key.fromMe
    ? fromMe
      ? identity.own()
      : speaker
    : key.participant
      ? [bare(key.participant)]
      : kind !== 'user'
        ? []
        : fromMe
          ? [own.remoteJid, own.remoteJidAlt].flatMap((jid) => (jid ? [bare(jid)] : []))
          : identity.own()
  return { id: key.id, fromMe: authors.some((jid) => identity.isMe(jid)), authors }
}

/** Every name the author of a key goes by, as far as the key itself tells. */
export function namesOf({ participant, participantAlt, remoteJid, remoteJidAlt }: WAMessageKey): string[] {
  const names = participant ? [participant, participantAlt ?? remoteJidAlt] : [remoteJid, remoteJidAlt]
  return names.flatMap((jid) => (jid ? [bare(jid)] : []))
}

/** Every name the chat of a key goes by, as far as the key itself tells. */
export const chatNamesOf = ({ remoteJid, remoteJidAlt }: WAMessageKey): string[] =>
  [remoteJid, remoteJidAlt].flatMap((jid) => (jid ? [bare(jid)] : []))

/** `referenced_message` of the contract; null without an id to point at. */
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
