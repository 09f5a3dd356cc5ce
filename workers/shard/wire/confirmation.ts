/** How the network is told that a stanza arrived, of every kind: `<ack>` for all but messages that were read, which get a `<receipt>`. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { buildAckStanza } from '@whiskeysockets/baileys/lib/Utils/stanza-ack.js'

/**
 * What became of the stanza of a message. `read`: opened, or opened before. `peer`: what the own phone says to its devices alone; `history`
 * if it is a part of the history. `unread`: it is asked for again. `absent`: it came without content, which the phone is asked for.
 * `done`: there is nothing more to come of it.
 */
export type MessageOutcome = 'read' | 'peer' | 'history' | 'unread' | 'absent' | 'done'

export interface Receiver {
  /** Jid of this device; undefined while it is being linked. */
  meId: string | undefined
  isOwn(jid: string): boolean
  /** The account shows itself as available: else its receipts are of the inactive kind, which keep the phone's own notifications going. */
  isAvailable: boolean
}

/** `error` of an ack for what could not be taken: NETWORK.md 6.2. */
const UNHANDLED = 500

export const ackOf = (node: BinaryNode, error?: number, meId?: string): BinaryNode => buildAckStanza(node, error, meId)

/** In the order in which they leave. */
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
      // An error for a status can withhold everything that waits behind it (WIRE.md 16).
      return [ackOf(node, from === 'status@broadcast' ? undefined : UNHANDLED, receiver.meId)]
    case 'absent':
    case 'done':
      return [ackOf(node, undefined, receiver.meId)]
    default:
      return outcome satisfies never
  }
}

function receipt(node: BinaryNode, { isOwn, isAvailable }: Receiver): BinaryNode {
  const { from = '', participant, recipient } = node.attrs
  if (isOwn(participant ?? from)) {
    // The account wrote it with another of its devices.
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
