/** Computes a key for stanzas of the same chat, which must be handled in their order. */
import { type BinaryNode, isLidUser } from '@whiskeysockets/baileys'
import { bare, chatKind } from './jid.ts'

/** Returns a key for the chat of a message or notification. For a person the LID is used, if the stanza has it. */
export function chatLine({ attrs }: BinaryNode, isOwn: (jid: string) => boolean): string {
  const { from = '', participant = '', recipient } = attrs
  const kind = chatKind(from)
  // Statuses of different people do not have to be handled in a common order.
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
