/** Queries the LIDs of people by their numbers, with a `usync` query, and parses the answer. */
import { type BinaryNode, getBinaryNodeChild, isLidUser } from '@whiskeysockets/baileys'
import type { LidPair } from './lid-pairs.ts'
import { userAt, usyncAnswer, usyncQuery } from './usync.ts'

/** `sid`: a unique id of the query. */
export const lidQuery = (pns: readonly string[], sid: string): BinaryNode =>
  usyncQuery(['lid'], pns.filter((jid) => !isLidUser(jid)).map(userAt), sid, 'background')

/** Returns the pairs of number and LID in the answer. People without a LID are left out. If the network refused the query, there are none. */
export function lidAnswer(answer: BinaryNode): LidPair[] {
  const said = usyncAnswer(answer)
  if (said.type === 'refused') return []
  return said.users.flatMap((user) => {
    const lid = getBinaryNodeChild(user, 'lid')?.attrs.val
    return user.attrs.jid && lid ? [{ pn: user.attrs.jid, lid }] : []
  })
}
