/** Computes a key for the chat of a stanza: stanzas with the same key are handled in their order. */
import { type BinaryNode, isLidUser } from '@whiskeysockets/baileys'
import { bare, chatKind } from './jid.ts'

/** Returns the key of the chat. For a person it is the LID, if the stanza contains it. */
export function chatLine({ attrs }: BinaryNode, isOwn: (jid: string) => boolean): string {
  const { from = '', participant = '', recipient } = attrs
  const kind = chatKind(from)
  // Statuses of different people have different keys, because no order between them is necessary.
  if (kind === 'status') return `${from} ${bare(participant)}`
  if (kind !== 'user') return bare(from)
  return isOwn(from) && recipient
    ? nameOf(recipient, attrs.recipient_lid ?? attrs.peer_recipient_lid)
    : nameOf(from, attrs.sender_lid ?? attrs.lid)
}

function nameOf(jid: string, lid: string | undefined): string {
  const name = bare(jid)
  return lid === undefined || isLidUser(name) ? name : bare(lid)
}
