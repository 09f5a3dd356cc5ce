/**
 * What the network's refusal of a message means where it was to go (shared/api/messages.md, 1.6). 403 says two things: the account may not
 * write there, or it is no participant any more; only the group or the channel itself tells which.
 */
import { SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { Session } from '../chats/session.ts'
import { ackFailure, networkCode } from '../connection/failures.ts'
import { within } from '../connection/within.ts'
import { chatKind } from '../wire/jid.ts'
import { groupAt } from './destination.ts'

const QUERY_DEADLINE = 20 * SECOND
const FORBIDDEN = 403
const NOT_FOUND = 404

export async function refusal(session: Session, to: string, code: number): Promise<Failure> {
  const details = { network_code: code }
  const kind = chatKind(to)
  if (kind === 'group' && (code === NOT_FOUND || (code === FORBIDDEN && !(await isMember(session, to)))))
    return new Failure('group_not_found', { details })
  if (kind === 'newsletter' && (code === NOT_FOUND || (code === FORBIDDEN && !(await isFollower(session, to)))))
    return new Failure('newsletter_not_found', { details })
  return ackFailure(code, session.isRestricted())
}

/** As the network says now: what is kept of the group may be from before. Without an answer it stays a member. */
async function isMember(session: Session, group: string): Promise<boolean> {
  session.groups.forget(group)
  return groupAt(session, group).then(
    () => true,
    (error) => !(error instanceof Failure && error.code === 'group_not_found'),
  )
}

interface Viewer {
  viewer_metadata?: { role?: unknown } | null
}

async function isFollower(session: Session, newsletter: string): Promise<boolean> {
  try {
    const found = (await within(session, QUERY_DEADLINE, session.sock.newsletterMetadata('jid', newsletter))) as Viewer | null
    return found !== null && found.viewer_metadata?.role !== 'GUEST'
  } catch (error) {
    const code = networkCode(error)
    return code !== FORBIDDEN && code !== NOT_FOUND
  }
}
