import { type BinaryNode, children } from '../wire/node.ts'

/** Selects stanzas. A field that is absent matches every stanza. */
export interface StanzaMatch {
  from?: 'client' | 'server' | undefined
  account?: string | undefined
  conn?: string | undefined
  tag?: string | undefined
  type?: string | undefined
  xmlns?: string | undefined
  attrs?: Record<string, string> | undefined
  /**
   * Path of an element inside the stanza: the tags from a child of the stanza down to the element, such as
   * `participants/to`.
   */
  child?: string | undefined
  child_attrs?: Record<string, string> | undefined
}

export interface StanzaFacts {
  from: 'client' | 'server'
  account: string | undefined
  conn: string
}

const has = (attrs: BinaryNode['attrs'], wanted: Record<string, string> = {}) =>
  Object.entries(wanted).every(([name, value]) => attrs[name] === value)

function hasChild(item: BinaryNode, [tag, ...rest]: string[], attrs: Record<string, string> | undefined): boolean {
  return children(item, tag).some((child) => (rest.length > 0 ? hasChild(child, rest, attrs) : has(child.attrs, attrs)))
}

export function matches(match: StanzaMatch, facts: StanzaFacts, item: BinaryNode): boolean {
  const { from, account, conn, tag, type, xmlns, attrs, child, child_attrs } = match
  if (from !== undefined && from !== facts.from) return false
  if (account !== undefined && account !== facts.account) return false
  if (conn !== undefined && conn !== facts.conn) return false
  if (tag !== undefined && tag !== item.tag) return false
  if (type !== undefined && type !== item.attrs.type) return false
  if (xmlns !== undefined && xmlns !== item.attrs.xmlns) return false
  return has(item.attrs, attrs) && (child === undefined || hasChild(item, child.split('/'), child_attrs))
}
