import { Failure, type FailureCode } from '../../../src/domain/failures.ts'
import type { Asker } from '../chats/session.ts'
import { ackFailure, networkCodeOf } from '../connection/failures.ts'
import { chatKind } from '../wire/jid.ts'
import { object } from '../wire/json.ts'
import { newsletterLookUp } from '../wire/mex.ts'
import { groupAt } from './destination.ts'

const FORBIDDEN = 403
const NOT_FOUND = 404
/** Code of the network: the account does not have the role that the query named. */
const NOT_ALLOWED = 405

export async function refusal(asker: Asker, to: string, code: number): Promise<Failure> {
  const gone = code === NOT_FOUND || code === FORBIDDEN ? await goneOf(asker, to, code) : null
  return ackFailure(code, asker.session.isRestricted(), gone ? { [code]: gone } : {})
}

/**
 * Returns null if the group or channel exists and the account is in it, and for any other chat. After the code 403 the
 * network is queried, because this code does not tell whether the account has left.
 */
async function goneOf(asker: Asker, to: string, code: number): Promise<FailureCode | null> {
  switch (chatKind(to)) {
    case 'group':
      return code === NOT_FOUND || !(await isMember(asker, to)) ? 'group_not_found' : null
    case 'newsletter':
      return code === NOT_FOUND || !(await isFollower(asker, to)) ? 'newsletter_not_found' : null
    default:
      return null
  }
}

/**
 * Queries the network, because the stored metadata may be outdated. If there is no answer, the account counts as a
 * member.
 */
async function isMember(asker: Asker, group: string): Promise<boolean> {
  asker.session.groups.forget(group)
  return groupAt(asker, group).then(
    () => true,
    (error) => !(error instanceof Failure && error.code === 'group_not_found'),
  )
}

async function isFollower({ ask }: Asker, newsletter: string): Promise<boolean> {
  try {
    const found = await ask.mex('FetchNewsletter', newsletterLookUp(newsletter, 'JID', 'SUBSCRIBER'))
    const { role = 'GUEST' } = object(object(found).viewer_metadata)
    return role !== 'GUEST'
  } catch (error) {
    const code = networkCodeOf(error)
    return code !== FORBIDDEN && code !== NOT_FOUND && code !== NOT_ALLOWED
  }
}
