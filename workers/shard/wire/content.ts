/** Reads the content of a node as text. */
import type { BinaryNode } from '@whiskeysockets/baileys'

/**
 * Returns the content as text. The codec decodes short dictionary strings as text, everything else as bytes. Null for
 * children and for empty content.
 */
export function contentText(node: Pick<BinaryNode, 'content'> | undefined): string | null {
  const content = node?.content
  if (content === undefined || Array.isArray(content)) return null
  return typeof content === 'string' ? content : Buffer.from(content).toString()
}
