import { type BinaryNode, child, children, textOf } from '../wire/node.ts'

/** A child of a message stanza as the control API shows it; content that is not text is decoded as text as far as possible. */
export interface CompanionNode {
  tag: string
  attrs: Record<string, string>
  content?: CompanionNode[] | string
}

/** Nodes that every message has; they are not reported. */
const ORDINARY = new Set(['enc', 'participants', 'device-identity', 'reporting', 'tctoken'])

/** Returns the nodes of a message beside its ciphertexts, in their order: `biz` and `bot` of interactive messages, `meta`. */
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

/** Returns the real server's error codes for `biz` nodes that it refuses: 405 for the legacy form, 479 for a malformed one. */
export function companionRefusal(item: BinaryNode): number | undefined {
  const found = children(item, 'biz')
  if (found.some((biz) => child(biz, 'buttons'))) return 405
  if (found.length > 1) return 479
  const interactive = child(found[0], 'interactive')
  return interactive && !child(interactive, 'native_flow') ? 479 : undefined
}
