import { type BinaryNode, firstChild, node, SERVER_JID, seconds } from '../wire/node.ts'

/** The server's ack of a stanza it accepted. */
export function acknowledgement(item: BinaryNode, error?: number): BinaryNode {
  const { id, to, participant, phash } = item.attrs
  const isMessage = item.tag === 'message'
  // For a call, its child determines the type.
  const type = item.tag === 'call' ? firstChild(item)?.tag : item.attrs.type
  return node('ack', {
    class: item.tag,
    id,
    from: to ?? SERVER_JID,
    t: seconds(),
    participant,
    ...(isMessage ? { phash } : { type }),
    error,
  })
}
