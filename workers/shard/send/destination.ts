/** Where a message really goes: the registered form of a number, LID or number, and whether the group or channel can be written to. */
import type { GroupMetadata } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { type Identifier, toJid } from '../../../src/domain/ids.ts'
import type { Group } from '../chats/groups.ts'
import type { Session } from '../chats/session.ts'
import { networkCode, sendFailure } from '../connection/failures.ts'
import { within } from '../connection/within.ts'
import { bare } from '../wire/jid.ts'
import { registeredJid } from './number-look-up.ts'

export interface Destination {
  jid: string
  kind: Identifier['kind']
  /** The same person under the other name, for the one retry the contract allows. */
  other: string | null
  group: GroupMetadata | null
}

/** Deadline of a single network query: shared/api/auth-and-limits.md. */
const QUERY_DEADLINE = 20 * SECOND

export async function resolveDestination(session: Session, identifier: Identifier): Promise<Destination> {
  const jid = toJid(identifier)
  switch (identifier.kind) {
    case 'broadcast':
      throw new Failure('not_allowed', { message: 'Broadcast lists do not exist on linked devices.' })
    case 'group':
      return { jid, kind: 'group', other: null, group: await writableGroup(session, jid) }
    case 'newsletter':
    case 'status':
      return { jid, kind: identifier.kind, other: null, group: null }
    case 'user':
      if (identifier.space === 'lid') return { jid, kind: 'user', other: await session.identity.pnOf(jid), group: null }
      return person(session, await registeredJid(session, identifier.digits))
    default:
      return identifier satisfies never
  }
}

/** LID first: the network keeps one conversation per LID, and a mapping means that it knows the person by it. */
async function person(session: Session, jid: string): Promise<Destination> {
  if (jid.endsWith('@lid')) return { jid, kind: 'user', other: await session.identity.pnOf(jid), group: null }
  const lid = await session.identity.lidOf(jid)
  return lid === null
    ? { jid, kind: 'user', other: null, group: null }
    : { jid: bare(lid), kind: 'user', other: jid, group: null }
}

export async function writableGroup(session: Session, jid: string): Promise<Group> {
  const group = await groupAt(session, jid)
  if (group.isSuspended) throw new Failure('group_suspended')
  return group
}

export async function groupAt(session: Session, jid: string): Promise<Group> {
  const metadata = await within(session, QUERY_DEADLINE, session.groups.get(jid)).catch((error) => {
    const failure = sendFailure(error, 'group_not_found')
    // The network tells members alone what a group is.
    throw failure.code === 'not_allowed' && networkCode(error) === 403
      ? new Failure('group_not_found', { cause: error })
      : failure
  })
  if (metadata === undefined) throw new Failure('send_timeout')
  return metadata
}
