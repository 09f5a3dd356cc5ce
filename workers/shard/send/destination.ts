/**
 * Resolves the destination of a message: the registered number or the LID of a person, a group that is not suspended, a
 * channel, or the status.
 */
import type { GroupMetadata } from '@whiskeysockets/baileys'
import { Failure, type FailureCode } from '../../../src/domain/failures.ts'
import { type Identifier, toJid, type UserIdentifier } from '../../../src/domain/ids.ts'
import type { Asker, Session } from '../chats/session.ts'
import type { Group } from '../wire/groups.ts'
import { bare } from '../wire/jid.ts'

export interface Destination {
  jid: string
  kind: Identifier['kind']
  /** The person's other jid (number or LID), which is used once if the network refuses the first one. */
  other: string | null
  group: GroupMetadata | null
}

export async function resolveDestination(asker: Asker, identifier: Identifier): Promise<Destination> {
  const { ask, session } = asker
  const jid = toJid(identifier)
  switch (identifier.kind) {
    case 'broadcast':
      throw new Failure('not_allowed', { message: 'Broadcast lists do not exist on linked devices.' })
    case 'group':
      return { jid, kind: 'group', other: null, group: await writableGroup(asker, jid) }
    case 'newsletter':
    case 'status':
      return { jid, kind: identifier.kind, other: null, group: null }
    case 'user':
      if (identifier.space === 'lid') return { jid, kind: 'user', other: await session.identity.pnOf(jid), group: null }
      return person(session, await session.numbers(ask, identifier.digits))
    default:
      return identifier satisfies never
  }
}

export const chatWith = (asker: Asker, phone: UserIdentifier): Promise<Destination> =>
  resolveDestination(asker, phone).catch((error) => {
    const isNobody = error instanceof Failure && error.code === 'phone_not_on_whatsapp'
    throw isNobody ? new Failure('chat_not_found', { cause: error }) : error
  })

/** Returns the destination of a person. The LID is preferred, because the network has one conversation per LID. */
async function person(session: Session, jid: string): Promise<Destination> {
  if (jid.endsWith('@lid')) return { jid, kind: 'user', other: await session.identity.pnOf(jid), group: null }
  const lid = await session.identity.lidOf(jid)
  return lid === null
    ? { jid, kind: 'user', other: null, group: null }
    : { jid: bare(lid), kind: 'user', other: jid, group: null }
}

export async function writableGroup(asker: Asker, jid: string): Promise<Group> {
  const group = await groupAt(asker, jid)
  if (group.isSuspended) throw new Failure('group_suspended')
  return group
}

/**
 * Returns the metadata of a group. Rejects with `notFound` if there is no such group, or if the account is not a
 * member: the network shows a group's metadata only to its members.
 */
export const groupAt = ({ ask, session }: Asker, jid: string, notFound: FailureCode = 'group_not_found'): Promise<Group> =>
  ask.meaning({ 403: notFound, 404: notFound }).run(() => session.groups.get(jid))
