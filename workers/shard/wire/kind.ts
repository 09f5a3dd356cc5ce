/** Describes the kind of a stanza with two strings that can safely be used in a metric. */
import type { BinaryNode } from '@whiskeysockets/baileys'

export interface Kind {
  tag: string
  /**
   * Attribute `type` of a notification or a receipt, namespace of a query, or tag of the first child. `none` if the
   * stanza has none of these.
   */
  type: string
}

/** Matches a keyword of the protocol. Other text may come from another person, so it is not put into a metric. */
const WORD = /^[a-z][a-z0-9_:-]{0,39}$/

const word = (text: string | undefined): string => (text === undefined ? 'none' : WORD.test(text) ? text : 'odd')

export function kindOf({ tag, attrs, content }: BinaryNode): Kind {
  const child = Array.isArray(content) ? content[0]?.tag : undefined
  return { tag: word(tag), type: word(tag === 'iq' ? (attrs.xmlns ?? child) : (attrs.type ?? child)) }
}
