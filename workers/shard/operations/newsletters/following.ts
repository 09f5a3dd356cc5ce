/**
 * Finds out why the network refused a query about a channel. The network uses the same codes for followers and for
 * others, so the channel's metadata shows whether the account follows the channel.
 */
import { Failure } from '../../../../src/domain/failures.ts'
import { type NewsletterIdentifier, toJid } from '../../../../src/domain/ids.ts'
import { networkCodeOf } from '../../connection/failures.ts'
import { newsletterLookUp, type ViewRole } from '../../wire/mex.ts'
import {
  acceptTermsQuery,
  areTermsAccepted,
  type Newsletter,
  newsletterIn,
  type TERMS,
  termsQuery,
} from '../../wire/newsletters.ts'
import type { ActionContext } from '../types.ts'

type Context = Pick<ActionContext, 'ask' | 'session'>

/** Codes with which the network refuses an account that does not follow the channel, or lacks the permission. */
const NO_PERMISSION = new Set([401, 403, 405])
const OTHER_ROLE = 405

/**
 * Runs `work`. Rejects with `newsletter_not_found` if the network refuses `work` for lack of a permission, and the
 * account does not follow the channel.
 */
export async function asFollower<T>(
  context: Context,
  newsletter: NewsletterIdentifier,
  work: (jid: string) => Promise<T>,
): Promise<T> {
  const jid = toJid(newsletter)
  try {
    return await work(jid)
  } catch (error) {
    if (!NO_PERMISSION.has(networkCodeOf(error) ?? 0) || (await follows(context, jid))) throw error
    throw notFound(error)
  }
}

async function follows(context: Context, jid: string): Promise<boolean> {
  try {
    const { role } = await readNewsletter(context, jid)
    return role !== null && role !== 'guest'
  } catch (error) {
    return !(error instanceof Failure && error.code === 'newsletter_not_found')
  }
}

const notFound = (cause: unknown) => {
  const code = networkCodeOf(cause)
  return new Failure('newsletter_not_found', { cause, ...(code === null ? {} : { details: { network_code: code } }) })
}

export async function shownBy<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (NO_PERMISSION.has(networkCodeOf(error) ?? 0)) throw notFound(error)
    throw error
  }
}

/**
 * Reads the metadata of a channel. The query must contain the account's role, so if the network refuses one role, the
 * next is tried.
 */
export async function readNewsletter({ ask, session }: Context, jid: string): Promise<Newsletter> {
  const [first = 'SUBSCRIBER', ...others] = session.newsletterRoles.toTry(jid)
  const asked = (role: ViewRole) => ask.mex('FetchNewsletter', newsletterLookUp(jid, 'JID', role))
  const description = await shownBy(
    others.reduce(
      (tried, role) =>
        tried.catch((error: unknown) => {
          if (networkCodeOf(error) !== OTHER_ROLE) throw error
          return asked(role)
        }),
      asked(first),
    ),
  )
  const newsletter = present(description)
  session.newsletterRoles.learn(newsletter)
  return newsletter
}

export function present(description: unknown): Newsletter {
  const newsletter = newsletterIn(description)
  if (newsletter === null) throw new Failure('newsletter_not_found')
  return newsletter
}

/**
 * Accepts the network's terms for channels. A failure is only logged, because the network itself refuses an operation
 * whose terms are not accepted.
 */
export async function acceptTerms({ ask, log }: ActionContext, notice: (typeof TERMS)[keyof typeof TERMS]): Promise<void> {
  try {
    if (!areTermsAccepted(await ask(termsQuery(notice)), notice)) await ask(acceptTermsQuery(notice))
  } catch (error) {
    log.warn({ err: error, notice }, "the network's terms for channels could not be accepted")
  }
}
