import { aggregateMessageKeysNotFromMe, type BinaryNode, type WAMessageKey } from '@whiskeysockets/baileys'

/**
 * Builds one receipt per author in a chat, and leaves out messages of the account itself. The network sends `read-self`
 * only to the account's own devices. `seconds`: time in epoch seconds.
 */
export const readMarks = (keys: readonly WAMessageKey[], type: 'read' | 'read-self', seconds: number): BinaryNode[] =>
  aggregateMessageKeysNotFromMe([...keys]).map(({ jid, participant, messageIds: [first = '', ...others] }) => {
    const attrs = { id: first, t: String(seconds), to: jid, ...(participant ? { participant } : {}), type }
    const items = others.map((id): BinaryNode => ({ tag: 'item', attrs: { id } }))
    return { tag: 'receipt', attrs, ...(items.length > 0 ? { content: [{ tag: 'list', attrs: {}, content: items }] } : {}) }
  })
