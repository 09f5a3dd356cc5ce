/**
 * Names the kind of a stanza in strings that are safe for a metric: its tag, and the type that distinguishes it from
 * others with the same tag.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'

export interface Kind {
  tag: string
  /** `type` of a notification or a receipt, namespace of a query, or the first child; else `none`. */
  type: string
}

/** A keyword of the protocol. Any other text was chosen by a stranger and is not repeated. */
const WORD = /^[a-z][a-z0-9_:-]{0,39}$/

const word = (text: string | undefined): string => (text === undefined ? 'none' : WORD.test(text) ? text : 'odd')

export function kindOf({ tag, attrs, content }: BinaryNode): Kind {
  const child = Array.isArray(content) ? content[0]?.tag : undefined
  return { tag: word(tag), type: word(tag === 'iq' ? (attrs.xmlns ?? child) : (attrs.type ?? child)) }
}
