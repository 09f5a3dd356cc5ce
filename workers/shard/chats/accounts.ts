/** Resolves identifiers to accounts (registered number and LID), with at most one query for all of them. */
import { Failure } from '../../../src/domain/failures.ts'
import { toJid, type UserIdentifier } from '../../../src/domain/ids.ts'
import { bare } from '../wire/jid.ts'
import { type Account, numberAnswers, numbersQuery } from '../wire/number-query.ts'
import { isRefusal, type Refusal } from '../wire/usync.ts'
import type { Asker, Session } from './session.ts'

export interface AccountNames {
  pn: string | null
  lid: string | null
}

export function answered<T>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Failure('action_failed', { details: { network_code: answer.code } })
  return answer
}

/**
 * Queries the network for the account of each number; null if the number has no account. Stores the pairs of number and
 * LID in the answer.
 */
export async function accountsOf({ ask, session }: Asker, numbers: readonly string[]): Promise<Map<string, AccountNames | null>> {
  const asked = [...new Set(numbers)]
  if (asked.length === 0) return new Map()
  const answers = answered(numberAnswers(await ask((sid) => numbersQuery(asked, sid)), asked))
  const accounts = await Promise.all(
    [...answers].map(async ([digits, account]) => [digits, await named(session, account)] as const),
  )
  const pairs = accounts.flatMap(([, names]) => (names?.pn && names.lid ? [{ pn: names.pn, lid: names.lid }] : []))
  await session.learnPairs(pairs)
  for (const [digits, account] of answers) if (account) session.numbers.keep(digits, bare(account.jid))
  return new Map(accounts)
}

async function knownAccount(session: Session, digits: string): Promise<AccountNames | undefined> {
  const jid = session.numbers.known(digits)
  if (jid === undefined) return undefined
  const names = await named(session, { jid, lid: null })
  // The LID may be missing, because look-ups of sends do not request it.
  return names?.lid ? names : undefined
}

async function named({ identity }: Session, account: Account | null): Promise<AccountNames | null> {
  if (account === null) return null
  const jid = bare(account.jid)
  if (jid.endsWith('@lid')) return { lid: jid, pn: await identity.pnOf(jid) }
  return { pn: jid, lid: account.lid === null ? await identity.lidOf(jid) : bare(account.lid) }
}

/**
 * Returns accounts in the order of the identifiers; null if a number has no account. Queries only the numbers whose
 * account and LID are not known yet.
 */
export async function peopleOf(asker: Asker, identifiers: readonly UserIdentifier[]): Promise<(AccountNames | null)[]> {
  const numbers = [...new Set(identifiers.flatMap(({ space, digits }) => (space === 'phone' ? [digits] : [])))]
  const known = new Map(
    await Promise.all(numbers.map(async (digits) => [digits, await knownAccount(asker.session, digits)] as const)),
  )
  const asked = await accountsOf(
    asker,
    numbers.filter((digits) => !known.get(digits)),
  )
  return Promise.all(
    identifiers.map(async (identifier) => {
      if (identifier.space === 'phone') return known.get(identifier.digits) ?? asked.get(identifier.digits) ?? null
      const lid = toJid(identifier)
      return { lid, pn: await asker.session.identity.pnOf(lid) }
    }),
  )
}
