/** Asks whether a number has an account: the `usync` query by number (design/NETWORK.md 5, design/WIRE.md 11), and what its answer says. */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '@whiskeysockets/baileys'

/** `sid`: any text that is not used twice. */
export const numberQuery = (digits: string, sid: string): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'usync' },
  content: [
    {
      tag: 'usync',
      attrs: { context: 'interactive', mode: 'query', sid, last: 'true', index: '0' },
      content: [
        { tag: 'query', attrs: {}, content: [{ tag: 'contact', attrs: {} }] },
        {
          tag: 'list',
          attrs: {},
          content: [{ tag: 'user', attrs: {}, content: [{ tag: 'contact', attrs: {}, content: `+${digits}` }] }],
        },
      ],
    },
  ],
})

export type NumberAnswer =
  /** Of the form that is registered: it can have a digit more or less. */
  | { type: 'account'; jid: string }
  | { type: 'none' }
  /** The network would not say: for each protocol of a query an error stands in its result, or in the person's part of it. */
  | { type: 'refused'; code: number | null; backoffSeconds: number | null }

export function numberAnswer(answer: BinaryNode): NumberAnswer {
  const usync = getBinaryNodeChild(answer, 'usync')
  const list = getBinaryNodeChild(usync, 'list')
  const [user] = getBinaryNodeChildren(list, 'user')
  const contact = getBinaryNodeChild(user, 'contact')
  const error = errorIn(getBinaryNodeChild(usync, 'result')) ?? errorIn(user)
  if (error) return refused(error)
  if (contact?.attrs.type === 'in' && user?.attrs.jid) return { type: 'account', jid: user.attrs.jid }
  // Who has no account is `out` or `invalid`, or is not named at all.
  if (list && (!user || contact?.attrs.type)) return { type: 'none' }
  return refused(undefined)
}

function errorIn(node: BinaryNode | undefined): BinaryNode | undefined {
  if (!node || node.tag === 'error') return node
  for (const child of Array.isArray(node.content) ? node.content : []) {
    const found = errorIn(child)
    if (found) return found
  }
  return undefined
}

const numberOr = (value: string | undefined) => (Number(value) > 0 ? Number(value) : null)

const refused = (error: BinaryNode | undefined): NumberAnswer => ({
  type: 'refused',
  code: numberOr(error?.attrs.code),
  backoffSeconds: numberOr(error?.attrs.backoff),
})
