import type { BinaryNode } from '@whiskeysockets/baileys'

/** Returns the content of a node as text. Null if the content is absent or consists of children. */
export function contentText(node: Pick<BinaryNode, 'content'> | undefined): string | null {
  const content = node?.content
  if (content === undefined || Array.isArray(content)) return null
  return typeof content === 'string' ? content : Buffer.from(content).toString()
}
