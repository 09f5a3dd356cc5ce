/** `<iq type="error"><error code text><field name reason?/></error></iq>`: the network refused a query. Pure. */
import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys'

/** 0 if the code is absent or not a number. */
export const refusalCode = (answer: BinaryNode): number => Number(getBinaryNodeChild(answer, 'error')?.attrs.code) || 0

/** The field of the query that was refused; null if none is named. */
export const refusedField = (answer: BinaryNode): string | null =>
  getBinaryNodeChild(getBinaryNodeChild(answer, 'error'), 'field')?.attrs.name || null

/** A query with an id: its own if it has one. */
export function withId(query: BinaryNode, make: () => string): { id: string; query: BinaryNode } {
  const id = query.attrs.id ?? make()
  return { id, query: { ...query, attrs: { ...query.attrs, id } } }
}
