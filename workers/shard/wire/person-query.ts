/** What a person shows of itself, asked by jid: the `usync` queries by other things than numbers (`usync.ts`). */
import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys'
import { secondsToIso } from './bounds.ts'
import { contentText, errorIn, type Refusal, userAt, usyncAnswer, usyncQuery } from './usync.ts'

/** How long messages of new chats with this person last. */
export const durationQuery = (jid: string, sid: string): BinaryNode => usyncQuery(['disappearing_mode'], [userAt(jid)], sid)

/** `status`: the about text. A business has its verified name, which says that it is one. */
export const aboutQuery = (jid: string, sid: string): BinaryNode => usyncQuery(['status', 'business'], [userAt(jid)], sid)

/** Null: the account does not say. Seconds. */
export function durationIn(answer: BinaryNode): number | null | Refusal {
  const user = onlyUser(answer)
  if (user?.type === 'refused') return user
  const seconds = Number(part(user?.node, 'disappearing_mode')?.attrs.duration)
  return Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : null
}

export interface About {
  /** Null: none, or not for us to see. */
  text: string | null
  setAt: string | null
  isBusiness: boolean
}

export function aboutIn(answer: BinaryNode): About | Refusal {
  const user = onlyUser(answer)
  if (user?.type === 'refused') return user
  const status = part(user?.node, 'status')
  const text = contentText(status) || null
  return {
    text,
    setAt: text === null ? null : secondsToIso(Number(status?.attrs.t ?? 0)),
    isBusiness: getBinaryNodeChild(part(user?.node, 'business'), 'verified_name') !== undefined,
  }
}

function onlyUser(answer: BinaryNode): { type: 'user'; node: BinaryNode } | Refusal | undefined {
  const said = usyncAnswer(answer)
  if (said.type === 'refused') return said
  const [node] = said.users
  return node && { type: 'user', node }
}

/** A part in which an error stands is one that we may not see, or that is not there. */
function part(user: BinaryNode | undefined, tag: string): BinaryNode | undefined {
  const found = getBinaryNodeChild(user, tag)
  return errorIn(found) ? undefined : found
}
