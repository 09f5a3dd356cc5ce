/** Builds the receipts that mark messages as read. Pure. */
import { aggregateMessageKeysNotFromMe, type BinaryNode, type WAMessageKey } from '@whiskeysockets/baileys'

/**
 * `<receipt id to participant? t type><list><item id/>…</list></receipt>`: one receipt per author in a chat, with the other ids in the list. A
 * receipt with `read-self` is sent only to our own devices. Our own messages are omitted. `seconds`: time in epoch s.
 */
export const readMarks = (keys: readonly WAMessageKey[], type: 'read' | 'read-self', seconds: number): BinaryNode[] =>
  aggregateMessageKeysNotFromMe([...keys]).map(({ jid, participant, messageIds: [first = '', ...others] }) => {
    const attrs = { id: first, t: String(seconds), to: jid, ...(participant ? { participant } : {}), type }
    const items = others.map((id): BinaryNode => ({ tag: 'item', attrs: { id } }))
    return { tag: 'receipt', attrs, ...(items.length > 0 ? { content: [{ tag: 'list', attrs: {}, content: items }] } : {}) }
  })
