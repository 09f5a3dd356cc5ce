/**
 * Translates receipts to `message_status` events. They are read from the stanza itself, because the library merges receipts that arrive soon after a
 * send into other events, and reports `played` in groups as read.
 */
import { areJidsSameUser, type BinaryNode } from '@whiskeysockets/baileys'
import { type ChatKind, chatKind } from '../../wire/jid.ts'
import { type ReceiptStanza, receiptIn, receiptsIn } from '../../wire/receipt.ts'

export type MessageStatus = 'sent' | 'delivered' | 'read' | 'played'

/** Order of the statuses; a lower one is never reported after a higher one. */
export const LEVEL: Readonly<Record<MessageStatus, number>> = { sent: 1, delivered: 2, read: 3, played: 4 }

const IMPLIED: Readonly<Record<MessageStatus, readonly MessageStatus[]>> = {
  sent: [],
  delivered: ['sent'],
  read: ['sent', 'delivered'],
  played: ['sent', 'delivered'],
}

/**
 * Returns the lower statuses that a receipt implies, lowest first, because a higher receipt can arrive before a lower one. `played` implies `read`
 * only in groups: in other chats a person can hide `read`, but `played` is still reported.
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
  /** Jid of the chat, by number or LID as in the stanza. */
  chat: string
  /** Jid of the person who received or read the message, in groups and status; null for `sent`. */
  participant: string | null
  /** Time in epoch ms. */
  at: number
}

/** The most ids in one event. */
export const MAX_IDS = 256

/**
 * Types of receipts with which another device of the account reports what it has read: a chat and ids. `read-self` is used if the account's read
 * receipts are off, and only its own devices get it.
 */
const READ_BY_US = new Set(['read', 'read-self'])

/** Returns the chat and the ids that another device of the account reports as read; null for every other receipt. */
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

/**
 * Yields the receipts of a stanza, each when it is requested. There is usually one; a stanza about a large group may
 * have a receipt from each of many members.
 */
export function* receiptsOf(node: BinaryNode, me: Own, now: number): Generator<Receipt, void> {
  for (const stanza of receiptsIn(node)) {
    const receipt = translated(stanza, me, now)
    if (receipt) yield receipt
  }
}

/**
 * Returns the receipt of a stanza. Null if it is not about a message of the account: retries, server errors, and read
 * marks of our other devices (`read-self`).
 */
export const receiptOf = (node: BinaryNode, me: Own, now: number): Receipt | null => translated(receiptIn(node), me, now)

function translated({ from, id, type, participant, recipient, t, ids }: ReceiptStanza, me: Own, now: number): Receipt | null {
  const status = BY_TYPE[type]
  if (!from || !id || !status) return null
  const kind = chatKind(from)
  const who = participant ?? from
  const isOwn = isOurs(who, me)
  // In a receipt from one of our own devices, `sender` means that the account sent the message there. Any other type is about messages of other
  // people.
  if (isOwn && status !== 'sent') return null
  if (!isOwn && status === 'sent') return null
  const chat = isOwn && kind === 'user' ? recipient : from
  if (!chat) return null
  return {
    status,
    ids: [...ids],
    chat,
    participant: kind === 'user' || status === 'sent' ? null : (participant ?? null),
    // A receipt without a time gets the current time.
    at: Number(t) > 0 ? Number(t) * 1_000 : now,
  }
}
