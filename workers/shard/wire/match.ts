/** Which stanzas a row of the table is about. Pure. */
import { type BinaryNode, getAllBinaryNodeChildren } from '@whiskeysockets/baileys'

export interface Match {
  tag: string
  /** These attributes, with these values; of several one, undefined for none. */
  attrs?: Readonly<Record<string, string | readonly (string | undefined)[]>>
  /** Its first child. */
  child?: string
  /** The server of `from`. */
  from?: string
}

export function fits({ tag, attrs, child, from }: Match, node: BinaryNode): boolean {
  if (node.tag !== tag) return false
  if (child !== undefined && getAllBinaryNodeChildren(node)[0]?.tag !== child) return false
  if (from !== undefined && !node.attrs.from?.endsWith(`@${from}`)) return false
  return attrs === undefined || Object.entries(attrs).every(([name, wanted]) => [wanted].flat().includes(node.attrs[name]))
}

export const describeMatch = ({ tag, attrs = {}, child, from }: Match): string =>
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
  ]
    .filter(Boolean)
    .join(' ')
