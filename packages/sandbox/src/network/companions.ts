import { type BinaryNode, child, children, textOf } from '../wire/node.ts'

/** A child of a message's stanza as the control API shows it. Bytes are decoded as text as far as possible. */
export interface CompanionNode {
  tag: string
  attrs: Record<string, string>
  content?: CompanionNode[] | string
}

/** Nodes of ordinary messages, which the control API does not show. */
const ORDINARY = new Set(['enc', 'participants', 'device-identity', 'reporting', 'tctoken'])

export const companionsOf = (item: BinaryNode): CompanionNode[] =>
  children(item)
    .filter(({ tag }) => !ORDINARY.has(tag))
    .map(shown)

function shown(item: BinaryNode): CompanionNode {
  const { tag, attrs } = item
  const text = textOf(item)
  const content = text ?? children(item).map(shown)
  return content.length > 0 ? { tag, attrs, content } : { tag, attrs }
}

/**
 * Returns the error code of a message with a wrong `biz` node: 479 if it is malformed, and 405 if it has the legacy
 * format. These are the codes of the real server.
 */
export function companionRefusal(item: BinaryNode): number | undefined {
  const found = children(item, 'biz')
  if (found.some((biz) => child(biz, 'buttons'))) return 405
  if (found.length > 1) return 479
  const interactive = child(found[0], 'interactive')
  return interactive && !child(interactive, 'native_flow') ? 479 : undefined
}
