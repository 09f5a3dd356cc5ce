/**
 * Registers an invitation to administer a channel, with a mutation whose id changes with the builds of the web client.
 * `SVC_NEWSLETTER_INVITE_QUERY_ID` sets another id.
 */
import { Failure } from '../../../../src/domain/failures.ts'
import type { Meanings } from '../../connection/failures.ts'
import { object } from '../../wire/json.ts'
import { newsletterLookUp, newsletterName } from '../../wire/mex.ts'
import type { SendContext } from '../contract.ts'

export interface AdminInvite {
  newsletterName: string
  description: unknown
  /** Epoch seconds. */
  expiration: number
}

/** Meanings of the network's codes. A code that is not listed usually means that the query id is unknown. */
const MEANINGS: Meanings = {
  401: 'not_allowed',
  403: 'not_allowed',
  404: 'newsletter_not_found',
  405: 'not_allowed',
  otherwise: 'action_failed',
}

/**
 * Registers the invitation before its message is sent, because nobody can accept an invitation that is not registered.
 */
export async function registerAdminInvite(
  context: Pick<SendContext, 'ask'>,
  newsletter: string,
  invitee: string,
): Promise<AdminInvite> {
  const ask = context.ask.meaning(MEANINGS)
  const description = await ask.mex('FetchNewsletter', newsletterLookUp(newsletter, 'JID', 'OWNER'))
  if (description === null) throw new Failure('newsletter_not_found')
  const invited = await ask.mex('CreateNewsletterAdminInvite', { newsletter_id: newsletter, user_id: invitee })
  return { newsletterName: newsletterName(description) ?? '', description, expiration: expirationOf(invited) }
}

function expirationOf(invited: unknown): number {
  const time = Number(object(invited).invite_expiration_time)
  if (!Number.isFinite(time) || time <= 0) throw new Failure('action_failed', { cause: invited })
  return time
}
