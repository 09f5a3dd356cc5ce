/**
 * Builds and parses `usync`, a query about people by number or by jid. One query can request several kinds of data
 * about many people:
 *   <iq to="s.whatsapp.net" type="get" xmlns="usync"><usync context mode="query" sid index="0" last="true">
 *     <query><contact/><lid/><devices version="2"/>…</query><list><user jid/><user><contact>+number</contact></user>…</list></usync></iq>
 * The answer has `<result>`, with an `<error>` for each protocol that the network refused, and the `<list>`.
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '@whiskeysockets/baileys'

export type Protocol = 'contact' | 'lid' | 'status' | 'business' | 'disappearing_mode' | 'devices'

export const usyncQuery = (
  protocols: readonly Protocol[],
  users: readonly BinaryNode[],
  sid: string,
  context: 'interactive' | 'message' | 'background' = 'interactive',
): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'usync' },
  content: [
    {
      tag: 'usync',
      attrs: { context, mode: 'query', sid, last: 'true', index: '0' },
      content: [
        { tag: 'query', attrs: {}, content: protocols.map(element) },
        { tag: 'list', attrs: {}, content: [...users] },
      ],
    },
  ],
})

function element(protocol: Protocol): BinaryNode {
  switch (protocol) {
    // The query asks for the verified name of a business.
    case 'business':
      return { tag: protocol, attrs: {}, content: [{ tag: 'verified_name', attrs: {} }] }
    case 'devices':
      return { tag: protocol, attrs: { version: '2' } }
    default:
      return { tag: protocol, attrs: {} }
  }
}

export const userAt = (jid: string): BinaryNode => ({ tag: 'user', attrs: { jid } })

/** Builds the entry for a number. The network finds a number only if it begins with a plus. */
export const userWithNumber = (digits: string): BinaryNode => ({
  tag: 'user',
  attrs: {},
  content: [{ tag: 'contact', attrs: {}, content: `+${digits}` }],
})

export interface Refusal {
  type: 'refused'
  code: number | null
  backoffSeconds: number | null
}

export const isRefusal = (answer: unknown): answer is Refusal =>
  typeof answer === 'object' && answer !== null && 'type' in answer && answer.type === 'refused'

export type UsyncAnswer = { type: 'users'; users: BinaryNode[] } | Refusal

export function usyncAnswer(answer: BinaryNode): UsyncAnswer {
  const usync = getBinaryNodeChild(answer, 'usync')
  const list = getBinaryNodeChild(usync, 'list')
  const error = errorIn(getBinaryNodeChild(usync, 'result'))
  if (error || !list) return refused(error)
  return { type: 'users', users: getBinaryNodeChildren(list, 'user') }
}

export function errorIn(node: BinaryNode | undefined): BinaryNode | undefined {
  if (!node || node.tag === 'error') return node
  for (const child of Array.isArray(node.content) ? node.content : []) {
    const found = errorIn(child)
    if (found) return found
  }
  return undefined
}

const numberOr = (value: string | undefined) => (Number(value) > 0 ? Number(value) : null)

export const refused = (error: BinaryNode | undefined): Refusal => ({
  type: 'refused',
  code: numberOr(error?.attrs.code),
  backoffSeconds: numberOr(error?.attrs.backoff),
})
