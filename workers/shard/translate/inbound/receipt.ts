/**
 * Translates receipts to `message_status` events. They are read from the stanza, because Baileys may report receipts in
 * other events, and `played` in groups as `read`.
 */
import { areJidsSameUser, type BinaryNode } from '@whiskeysockets/baileys'
import { type ChatKind, chatKind } from '../../wire/jid.ts'
import { type ReceiptStanza, receiptIn, receiptsIn } from '../../wire/receipt.ts'

export type MessageStatus = 'sent' | 'delivered' | 'read' | 'played'

/** Rank of each status. For one message and person, no status is reported after a status with a higher rank. */
export const LEVEL: Readonly<Record<MessageStatus, number>> = { sent: 1, delivered: 2, read: 3, played: 4 }

const IMPLIED: Readonly<Record<MessageStatus, readonly MessageStatus[]>> = {
  sent: [],
  delivered: ['sent'],
  read: ['sent', 'delivered'],
  played: ['sent', 'delivered'],
}

/**
 * Returns the lower statuses that a status implies, lowest first. `played` implies `read` only in groups: in other
 * chats a person can hide `read`.
 */
export const impliedBy = (status: MessageStatus, kind: ChatKind): readonly MessageStatus[] =>
  status === 'played' && kind === 'group' ? [...IMPLIED.played, 'read'] : IMPLIED[status]

const BY_TYPE: Readonly<Record<string, MessageStatus>> = {
  '': 'delivered',
  delivery: 'delivered',
  inactive: 'delivered',
  sender: 'sent',
  read: 'read',
  played: 'played',
}

export interface Receipt {
  status: MessageStatus
  ids: string[]
  chat: string
  /**
   * Jid of the person who received or read a message in a group or status. Null in 1:1 chats, for `sent`, and if the
   * stanza has no participant.
   */
  participant: string | null
  /** Epoch ms. */
  at: number
}

export const MAX_IDS = 256

/**
 * Types of receipts by which another device of the account reports what it has read. `read-self` is sent if read
 * receipts are switched off.
 */
const READ_BY_US = new Set(['read', 'read-self'])

export function ownReadIn(node: BinaryNode, me: Own): { chat: string; ids: string[] } | null {
  const { from, id, type, participant, recipient, ids } = receiptIn(node)
  if (!from || !id || !READ_BY_US.has(type) || !isOurs(participant ?? from, me)) return null
  const chat = chatKind(from) === 'user' ? recipient : from
  return chat ? { chat, ids: [...ids] } : null
}

interface Own {
  id: string
  lid?: string | undefined
}

const isOurs = (jid: string, me: Own) => areJidsSameUser(jid, me.id) || (me.lid !== undefined && areJidsSameUser(jid, me.lid))

/** Yields one receipt, or many for a message in a large group. */
export function* receiptsOf(node: BinaryNode, me: Own, now: number): Generator<Receipt, void> {
  for (const stanza of receiptsIn(node)) {
    const receipt = translated(stanza, me, now)
    if (receipt) yield receipt
  }
}

/** Returns the receipt in a stanza. Null if its type is no status, or if it is not about a message of the account. */
export const receiptOf = (node: BinaryNode, me: Own, now: number): Receipt | null => translated(receiptIn(node), me, now)

function translated({ from, id, type, participant, recipient, t, ids }: ReceiptStanza, me: Own, now: number): Receipt | null {
  const status = BY_TYPE[type]
  if (!from || !id || !status) return null
  const kind = chatKind(from)
  const who = participant ?? from
  const isOwn = isOurs(who, me)
  // Own devices send `sender` for a message of the account. Their other receipts are about messages of other people.
  if (isOwn && status !== 'sent') return null
  if (!isOwn && status === 'sent') return null
  const chat = isOwn && kind === 'user' ? recipient : from
  if (!chat) return null
  return {
    status,
    ids: [...ids],
    chat,
    participant: kind === 'user' || status === 'sent' ? null : (participant ?? null),
    at: Number(t) > 0 ? Number(t) * 1_000 : now,
  }
}
