/** Finds the jid of a person in a group: the LID if the group uses LIDs, otherwise the number. */

import type { GroupMetadata } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import { toJid, type UserIdentifier } from '../../../src/domain/ids.ts'
import { accountsOf } from '../chats/accounts.ts'
import type { Asker, Session } from '../chats/session.ts'
import { bare } from '../wire/jid.ts'
import type { SendContext } from './contract.ts'
import type { Destination } from './destination.ts'

/**
 * Searches the member list, then the known pairs of number and LID. Returns the given jid if neither contains the
 * person, or if the destination is not a group.
 */
export async function memberJid({ identity }: Session, { group }: Destination, jid: string): Promise<string> {
  if (!group) return jid
  const isLid = group.addressingMode === 'lid'
  if (jid.endsWith('@lid') === isLid) return jid
  const member = memberOf(group, jid)
  const listed = member && [member.id, isLid ? member.lid : member.phoneNumber].find((name) => name?.endsWith('@lid') === isLid)
  if (listed) return bare(listed)
  const known = await (isLid ? identity.lidOf(jid) : identity.pnOf(jid))
  return known === null ? jid : bare(known)
}

const memberOf = ({ participants }: GroupMetadata, jid: string) =>
  participants.find(({ id, lid, phoneNumber }) => [id, lid, phoneNumber].some((name) => name && bare(name) === jid))

/**
 * Returns the jids of people whom a caller names. The registered number may differ from the given one (Brazil's ninth
 * digit), so unknown numbers are queried. For people without an account, the given jid is returned.
 */
export async function memberJids(
  asker: Asker & Pick<SendContext, 'log'>,
  to: Destination,
  people: readonly UserIdentifier[],
): Promise<string[]> {
  const { session, log } = asker
  await accountsOf(asker, await unknownOf(session, to, people)).catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'instance_not_connected') throw error
    log.info({ err: error }, 'the phone numbers in a message could not be looked up')
  })
  const registered = (person: UserIdentifier) =>
    (person.space === 'phone' ? session.numbers.known(person.digits) : undefined) ?? toJid(person)
  return Promise.all(people.map((person) => memberJid(session, to, registered(person))))
}

/** Returns the numbers that were not looked up yet, that are not members of the group, and whose LID is not known. */
async function unknownOf(
  { identity, numbers }: Session,
  { group }: Destination,
  people: readonly UserIdentifier[],
): Promise<string[]> {
  const unknown: string[] = []
  for (const person of people) {
    const jid = toJid(person)
    if (person.space !== 'phone' || numbers.known(person.digits) !== undefined) continue
    const isKnown = (group !== null && memberOf(group, jid) !== undefined) || (await identity.lidOf(jid)) !== null
    if (!isKnown) unknown.push(person.digits)
  }
  return unknown
}
