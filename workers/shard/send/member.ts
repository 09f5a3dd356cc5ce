/** The address of a person in a group: the LID in a group addressed by LID, the number in one addressed by number. */

import type { Session } from '../chats/session.ts'
import { bare } from '../wire/jid.ts'
import type { Destination } from './destination.ts'

/**
 * The jid of a person as the group addresses its members. The member list has both names even of unknown people; otherwise the known pairs are used.
 * Returns the given jid when neither helps, and outside of groups.
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
