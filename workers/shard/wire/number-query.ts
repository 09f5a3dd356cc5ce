import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys'
import { contentText } from './content.ts'
import { errorIn, type Refusal, refused, userWithNumber, usyncAnswer, usyncQuery } from './usync.ts'

export const numberQuery = (digits: string, sid: string): BinaryNode => usyncQuery(['contact'], [userWithNumber(digits)], sid)

export const numbersQuery = (numbers: readonly string[], sid: string): BinaryNode =>
  usyncQuery(['contact', 'lid'], numbers.map(userWithNumber), sid)

export type NumberAnswer =
  /** `jid` contains the registered number, which can have one digit more or less than the queried one. */
  { type: 'account'; jid: string } | { type: 'none' } | Refusal

export function numberAnswer(answer: BinaryNode): NumberAnswer {
  const said = usyncAnswer(answer)
  if (said.type === 'refused') return said
  const [user] = said.users
  return user ? accountOf(user) : { type: 'none' }
}

function accountOf(user: BinaryNode): NumberAnswer {
  const contact = getBinaryNodeChild(user, 'contact')
  const error = errorIn(user)
  if (error) return refused(error)
  if (contact?.attrs.type === 'in' && user.attrs.jid) return { type: 'account', jid: user.attrs.jid }
  // For a number without an account, the entry has the type `out` or `invalid`, or there is no entry.
  return contact?.attrs.type ? { type: 'none' } : refused(undefined)
}

export interface Account {
  jid: string
  lid: string | null
}

/**
 * The account is null for a number that has none. Entries are matched by the number in `<contact>`, because their jid
 * contains the registered number.
 */
export function numberAnswers(answer: BinaryNode, numbers: readonly string[]): Map<string, Account | null> | Refusal {
  const said = usyncAnswer(answer)
  if (said.type === 'refused') return said
  const accounts = new Map<string, Account | null>(numbers.map((digits) => [digits, null]))
  for (const user of said.users) {
    const digits = contentText(getBinaryNodeChild(user, 'contact'))?.replace(/^\+/, '')
    if (digits === undefined || !accounts.has(digits)) continue
    const account = accountOf(user)
    if (account.type === 'refused') return account
    if (account.type === 'account')
      accounts.set(digits, { jid: account.jid, lid: getBinaryNodeChild(user, 'lid')?.attrs.val || null })
  }
  return accounts
}
