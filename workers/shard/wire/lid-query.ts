import { type BinaryNode, getBinaryNodeChild, isLidUser } from '@whiskeysockets/baileys'
import type { LidPair } from './lid-pairs.ts'
import { userAt, usyncAnswer, usyncQuery } from './usync.ts'

export const lidQuery = (pns: readonly string[], sid: string): BinaryNode =>
  usyncQuery(['lid'], pns.filter((jid) => !isLidUser(jid)).map(userAt), sid, 'background')

/** Returns pairs of number and LID. The result is empty if the network refused the query. */
export function lidAnswer(answer: BinaryNode): LidPair[] {
  const said = usyncAnswer(answer)
  if (said.type === 'refused') return []
  return said.users.flatMap((user) => {
    const lid = getBinaryNodeChild(user, 'lid')?.attrs.val
    return user.attrs.jid && lid ? [{ pn: user.attrs.jid, lid }] : []
  })
}
