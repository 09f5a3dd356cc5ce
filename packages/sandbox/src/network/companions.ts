import { type BinaryNode, child, children, textOf } from '../wire/node.ts'

/**
 * A child of a message's stanza as the control API shows it. Content that is not text is decoded as text as far as
 * possible.
 */
export interface CompanionNode {
  tag: string
  attrs: Record<string, string>
  content?: CompanionNode[] | string
}

/** Nodes that every message may have, which the control API therefore does not show. */
const ORDINARY = new Set(['enc', 'participants', 'device-identity', 'reporting', 'tctoken'])

/** Returns the nodes beside the ciphertexts of a message, in their order, for example `biz` and `bot` of interactive messages, and `meta`. */
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

/** Returns the error code with which the real server refuses this `biz` node: 405 for the legacy format, 479 for a malformed node. */
export function companionRefusal(item: BinaryNode): number | undefined {
  const found = children(item, 'biz')
  if (found.some((biz) => child(biz, 'buttons'))) return 405
  if (found.length > 1) return 479
  const interactive = child(found[0], 'interactive')
  return interactive && !child(interactive, 'native_flow') ? 479 : undefined
}
