/**
 * Parses `<receipt id from type? participant? recipient? t?>`: the status of messages.
 *   <list><item id/>…</list>                                ids of more messages, in addition to `id`
 *   <participants key><user jid t type?/>…</participants>   in large groups: receipts of many members;
 *                                                           `key` is the id of the message
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys'

export interface ReceiptStanza {
  id: string | undefined
  from: string | undefined
  type: string
  participant: string | undefined
  recipient: string | undefined
  /** Time in epoch seconds, as text. */
  t: string | undefined
  ids: readonly string[]
}

export function receiptIn(node: BinaryNode): ReceiptStanza {
  const { id, from, type = '', participant, recipient, t } = node.attrs
  const items = getBinaryNodeChildren(getBinaryNodeChild(node, 'list'), 'item').map(({ attrs }) => attrs.id)
  return { id, from, type, participant, recipient, t, ids: [id, ...items].filter((each) => each !== undefined) }
}

/** Yields the receipts of a stanza: usually one, in large groups one per member. */
export function* receiptsIn(node: BinaryNode): Generator<ReceiptStanza, void> {
  const whole = receiptIn(node)
  const messages = getBinaryNodeChildren(node, 'participants')
  if (messages.length === 0) yield whole
  for (const message of messages) {
    const id = message.attrs.key ?? message.attrs.message_id ?? whole.id ?? ''
    for (const { attrs } of getBinaryNodeChildren(message, 'user')) {
      const { jid, t, type } = attrs
      if (jid) yield { ...whole, id, ids: [id], participant: jid, t: t || whole.t, type: type || whole.type }
    }
  }
}
