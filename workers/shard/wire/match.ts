/** A pattern that matches the stanzas of one row of the stanza table. */
import { type BinaryNode, getAllBinaryNodeChildren } from '@whiskeysockets/baileys'

export interface Match {
  tag: string
  attrs?: Readonly<Record<string, string | readonly (string | undefined)[]>>
  child?: string
  without?: readonly string[]
  from?: string
}

export function fits({ tag, attrs, child, without, from }: Match, node: BinaryNode): boolean {
  if (node.tag !== tag) return false
  if (child !== undefined && getAllBinaryNodeChildren(node)[0]?.tag !== child) return false
  if (without !== undefined && getAllBinaryNodeChildren(node).some((each) => without.includes(each.tag))) return false
  if (from !== undefined && !node.attrs.from?.endsWith(`@${from}`)) return false
  for (const name in attrs) {
    const wanted = attrs[name]!
    const value = node.attrs[name]
    if (typeof wanted === 'string' ? wanted !== value : !wanted.includes(value)) return false
  }
  return true
}

export const describeMatch = ({ tag, attrs = {}, child, without, from }: Match): string =>
  [
    tag,
    ...Object.entries(attrs).map(
      ([name, value]) =>
        `${name}=${[value]
          .flat()
          .map((each) => each ?? 'none')
          .join('|')}`,
    ),
    from && `from=@${from}`,
    child && `<${child}>`,
    without && `without ${without.map((each) => `<${each}>`).join('')}`,
  ]
    .filter(Boolean)
    .join(' ')
