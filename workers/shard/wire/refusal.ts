/** Parses `<iq type="error"><error code text><field name reason?/></error></iq>`: the network refused a query. */
import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys'

export const isRefusal = (answer: BinaryNode): boolean => getBinaryNodeChild(answer, 'error') !== undefined

export const refusalText = (answer: BinaryNode): string => getBinaryNodeChild(answer, 'error')?.attrs.text ?? ''

export const refusalCode = (answer: BinaryNode): number => Number(getBinaryNodeChild(answer, 'error')?.attrs.code) || 0

export const refusedField = (answer: BinaryNode): string | null =>
  getBinaryNodeChild(getBinaryNodeChild(answer, 'error'), 'field')?.attrs.name || null

export function withId(query: BinaryNode, make: () => string): { id: string; query: BinaryNode } {
  const id = query.attrs.id ?? make()
  return { id, query: { ...query, attrs: { ...query.attrs, id } } }
}
