/** Which accounts identifiers stand for: their registered number and their LID, asked in one query for all of them. */
import { Failure } from '../../../src/domain/failures.ts'
import { toJid, type UserIdentifier } from '../../../src/domain/ids.ts'
import type { Ask } from '../connection/ask.ts'
import { learnPairs } from '../connection/identity.ts'
import { bare } from '../wire/jid.ts'
import { type Account, numberAnswers, numbersQuery } from '../wire/number-query.ts'
import { isRefusal, type Refusal } from '../wire/usync.ts'
import type { Session } from './session.ts'

/** Jids of an account, without device; one of them is known at least. */
export interface AccountNames {
  pn: string | null
  lid: string | null
}

interface Asker {
  ask: Ask
  session: Session
}

/** What the network said, for an operation that cannot go on without it. */
export function toldBy<T>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Failure('action_failed', { details: { network_code: answer.code } })
  return answer
}

/** By the number as it was given; null: it has no account. Pairs of number and LID that the network tells are kept. */
export async function accountsOf({ ask, session }: Asker, numbers: readonly string[]): Promise<Map<string, AccountNames | null>> {
  const asked = [...new Set(numbers)]
  if (asked.length === 0) return new Map()
  const { sock } = session
  const told = toldBy(numberAnswers(await ask(numbersQuery(asked, sock.generateMessageTag())), asked))
  const accounts = await Promise.all([...told].map(async ([digits, account]) => [digits, await named(session, account)] as const))
  const pairs = accounts.flatMap(([, names]) => (names?.pn && names.lid ? [{ pn: names.pn, lid: names.lid }] : []))
  await learnPairs(sock, sock.authState.keys, pairs)
  return new Map(accounts)
}

async function named({ identity }: Session, account: Account | null): Promise<AccountNames | null> {
  if (account === null) return null
  const jid = bare(account.jid)
  if (jid.endsWith('@lid')) return { lid: jid, pn: await identity.pnOf(jid) }
  return { pn: jid, lid: account.lid === null ? await identity.lidOf(jid) : bare(account.lid) }
}

/** In the order of the identifiers; null: the number has no account. A LID is taken as it is: nothing is asked about it. */
export async function peopleOf(asker: Asker, identifiers: readonly UserIdentifier[]): Promise<(AccountNames | null)[]> {
  const numbers = identifiers.flatMap(({ space, digits }) => (space === 'phone' ? [digits] : []))
  const accounts = await accountsOf(asker, numbers)
  return Promise.all(
    identifiers.map(async (identifier) => {
      if (identifier.space === 'phone') return accounts.get(identifier.digits) ?? null
      const lid = toJid(identifier)
      return { lid, pn: await asker.session.identity.pnOf(lid) }
    }),
  )
}
