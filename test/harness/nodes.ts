/** Functions that build a binary node (a stanza or an element of it), and that find one by its tags. */
import type { BinaryNode } from '@whiskeysockets/baileys'

export const node = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode['content']): BinaryNode =>
  content === undefined ? { tag, attrs } : { tag, attrs, content }

export const find = (item: BinaryNode | undefined, ...path: string[]): BinaryNode | undefined =>
  path.reduce((at, tag) => (Array.isArray(at?.content) ? at.content.find((child) => child.tag === tag) : undefined), item)
