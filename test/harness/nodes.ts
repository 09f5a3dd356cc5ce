/** Binary nodes in tests: one that a test makes, and one that it looks for. */
import type { BinaryNode } from '@whiskeysockets/baileys'

export const node = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode['content']): BinaryNode =>
  content === undefined ? { tag, attrs } : { tag, attrs, content }

/** Returns the first node at this path of tags below the item. */
export const find = (item: BinaryNode | undefined, ...path: string[]): BinaryNode | undefined =>
  path.reduce((at, tag) => (Array.isArray(at?.content) ? at.content.find((child) => child.tag === tag) : undefined), item)
