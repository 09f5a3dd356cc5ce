/** What a group calls a person: in a group addressed by LID everybody goes by LID, in one addressed by number by number. */

import type { Session } from '../chats/session.ts'
import { bare } from '../wire/jid.ts'
import type { Destination } from './destination.ts'

/**
 * The jid of a person as the group addresses its members. Its list of members knows the other name of people we never met; where it does
 * not, the known pairs do. The jid as given when nobody knows, and outside of groups.
 */
export async function memberJid({ identity }: Session, { group }: Destination, jid: string): Promise<string> {
  if (!group) return jid
  const isLid = group.addressingMode === 'lid'
  if (jid.endsWith('@lid') === isLid) return jid
  const member = group.participants.find(({ id, lid, phoneNumber }) =>
    [id, lid, phoneNumber].some((name) => name && bare(name) === jid),
  )
  const listed = member && [member.id, isLid ? member.lid : member.phoneNumber].find((name) => name?.endsWith('@lid') === isLid)
  if (listed) return bare(listed)
  const known = await (isLid ? identity.lidOf(jid) : identity.pnOf(jid))
  return known === null ? jid : bare(known)
}
