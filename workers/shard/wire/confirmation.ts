/**
 * Builds the confirmations of stanzas: a `<receipt>` for a readable message, a result for a query of the network, and
 * an `<ack>` for most other stanzas.
 */
import { type BinaryNode, S_WHATSAPP_NET } from '@whiskeysockets/baileys'

/**
 * Outcome of a received message:
 * - `read`: it was decrypted, now or earlier
 * - `peer`: the account's own phone sent it only to its linked devices
 * - `history`: like `peer`, and it is a part of the history
 * - `unread`: a retry is requested
 * - `absent`: it had no content, and the phone is asked for it
 * - `done`: nothing more will follow
 */
export type MessageOutcome = 'read' | 'peer' | 'history' | 'unread' | 'absent' | 'done'

export interface Receiver {
  isOwn(jid: string): boolean
  /**
   * Whether the account shows itself as available. If not, its receipts have the type `inactive`, so that the phone
   * still shows notifications.
   */
  isAvailable: boolean
}

const UNHANDLED = 500

/** The library adds `from` to acks of messages. WhatsApp Web does not, so `from` is omitted here. */
export function ackOf({ tag, attrs }: BinaryNode, error?: number): BinaryNode {
  const { id = '', from = '', type, participant, recipient } = attrs
  return {
    tag: 'ack',
    attrs: {
      id,
      to: from,
      class: tag,
      ...(error === undefined ? {} : { error: String(error) }),
      ...(participant ? { participant } : {}),
      ...(recipient ? { recipient } : {}),
      ...(type ? { type } : {}),
    },
  }
}

export const resultOf = ({ attrs }: BinaryNode): BinaryNode => ({
  tag: 'iq',
  attrs: { ...(attrs.id ? { id: attrs.id } : {}), to: attrs.from ?? S_WHATSAPP_NET, type: 'result' },
})

/** Returns the confirmations in the order in which they are sent. */
export function messageConfirmations(node: BinaryNode, outcome: MessageOutcome, receiver: Receiver): BinaryNode[] {
  const { from = '' } = node.attrs
  switch (outcome) {
    case 'read':
      return [receipt(node, receiver)]
    case 'peer':
      return [receiptOf(node, from, { type: 'peer_msg' })]
    case 'history':
      return [receiptOf(node, from, { type: 'peer_msg' }), receiptOf(node, withoutDevice(from), { type: 'hist_sync' })]
    case 'unread':
      // The ack of a status has no error: with an error, the network could stop delivering stanzas.
      return [ackOf(node, from === 'status@broadcast' ? undefined : UNHANDLED)]
    case 'absent':
    case 'done':
      return [ackOf(node)]
    default:
      return outcome satisfies never
  }
}

function receipt(node: BinaryNode, { isOwn, isAvailable }: Receiver): BinaryNode {
  const { from = '', participant, recipient } = node.attrs
  if (isOwn(participant ?? from)) {
    // The account wrote this message on another device, so the receipt has the type `sender`.
    return participant
      ? receiptOf(node, from, { type: 'sender', participant })
      : receiptOf(node, from, { type: 'sender', ...(recipient ? { recipient } : {}) })
  }
  return receiptOf(node, from, { ...(participant ? { participant } : {}), ...(isAvailable ? {} : { type: 'inactive' }) })
}

const receiptOf = ({ attrs }: BinaryNode, to: string, more: Record<string, string>): BinaryNode => ({
  tag: 'receipt',
  attrs: { id: attrs.id ?? '', to, ...more },
})

const withoutDevice = (jid: string) => jid.replace(/:\d+@/, '@')

/** Returns a key for a receipt. Receipts with the same key can be sent as one receipt. */
export const receiptGroup = ({ attrs: { id, ...rest } }: BinaryNode): string => JSON.stringify(rest)

/** Joins receipts that differ only in their id. `<list>` contains all ids except the first. */
export function joinedReceipt([first, ...others]: readonly [BinaryNode, ...BinaryNode[]]): BinaryNode {
  if (others.length === 0) return first
  const items = others.map(({ attrs }) => ({ tag: 'item', attrs: { id: attrs.id ?? '' } }))
  return { ...first, content: [{ tag: 'list', attrs: {}, content: items }] }
}
