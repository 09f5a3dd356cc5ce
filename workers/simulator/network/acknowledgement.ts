import { type BinaryNode, node, SERVER_JID, seconds } from '../wire/node.ts'

/** What the server says to a stanza it took over. */
export function acknowledgement(item: BinaryNode, error?: number): BinaryNode {
  const { id, to, type, participant, phash } = item.attrs
  const isMessage = item.tag === 'message'
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
