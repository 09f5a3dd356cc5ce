import { type BinaryNode, firstChild, node, SERVER_JID, seconds } from '../wire/node.ts'

export function acknowledgement(item: BinaryNode, error?: number): BinaryNode {
  const { id, to, participant, phash } = item.attrs
  const isMessage = item.tag === 'message'
  // The type of a call's ack is the tag of the call's child element.
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
