/**
 * Receipts to `message_status`, from the stanza itself: the library merges receipts that come soon after a send into other events and
 * reports `played` in groups as read (BAILEYS.md 4, 14, 17b; NETWORK.md 6.1, 6.3).
 */
import { areJidsSameUser, type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys'
import { chatKind } from '../../wire/jid.ts'

export type MessageStatus = 'sent' | 'delivered' | 'read' | 'played'

/** Later values win; a lower one is never reported after a higher one. */
export const LEVEL: Readonly<Record<MessageStatus, number>> = { sent: 1, delivered: 2, read: 3, played: 4 }

const BY_TYPE: Readonly<Record<string, MessageStatus>> = {
  '': 'delivered',
  inactive: 'delivered',
  sender: 'sent',
  read: 'read',
  played: 'played',
}

export interface Receipt {
  status: MessageStatus
  ids: string[]
  /** Jid of the chat, as the stanza addresses it. */
  chat: string
  /** Jid of who received or read, in groups and status; null for `sent`. */
  participant: string | null
  /** Epoch ms. */
  at: number
}

/** Ids of one event: shared/api/webhook-payloads.md, 4. */
export const MAX_IDS = 256

/** Null for what says nothing about a message of ours: retries, server errors, and what our other devices read (`read-self`). */
export function receiptOf(node: BinaryNode, me: { id: string; lid?: string | undefined }, now: number): Receipt | null {
  const { from, id, type = '', participant, recipient, t } = node.attrs
  const status = BY_TYPE[type]
  if (!from || !id || !status) return null
  const kind = chatKind(from)
  const who = participant ?? from
  const isOwn = areJidsSameUser(who, me.id) || (me.lid !== undefined && areJidsSameUser(who, me.lid))
  // One of our own devices: `sender` means that the account sent it there; anything else is its receipt of what others wrote.
  if (isOwn && status !== 'sent') return null
  if (!isOwn && status === 'sent') return null
  const chat = isOwn && kind === 'user' ? recipient : from
  if (!chat) return null
  const items = getBinaryNodeChildren(getBinaryNodeChild(node, 'list'), 'item').map(({ attrs }) => attrs.id)
  return {
    status,
    ids: [id, ...items].filter((each) => each !== undefined),
    chat,
    participant: kind === 'user' || status === 'sent' ? null : (participant ?? null),
    // One without a time is of this moment.
    at: Number(t) > 0 ? Number(t) * 1_000 : now,
  }
}
