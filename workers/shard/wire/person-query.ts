/** Queries public data of a person by jid, which may be a LID, with a `usync` query. */
import { type BinaryNode, getBinaryNodeChild, proto, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import { secondsToIso } from './bounds.ts'
import { contentText } from './content.ts'
import { errorIn, type Refusal, userAt, usyncAnswer, usyncQuery } from './usync.ts'

/** Queries the duration of disappearing messages that this person has set for new chats. */
export const durationQuery = (jid: string, sid: string): BinaryNode => usyncQuery(['disappearing_mode'], [userAt(jid)], sid)

/** Queries the about text (with the protocol `status`) and the verified name, which only a business has. */
export const aboutQuery = (jid: string, sid: string): BinaryNode => usyncQuery(['status', 'business'], [userAt(jid)], sid)

export const setAboutQuery = (text: string): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'status' },
  content: [{ tag: 'status', attrs: {}, content: Buffer.from(text) }],
})

/** Returns the duration in seconds; null if the answer contains none. */
export function durationIn(answer: BinaryNode): number | null | Refusal {
  const user = onlyUser(answer)
  if (user?.type === 'refused') return user
  const seconds = Number(part(user?.node, 'disappearing_mode')?.attrs.duration)
  return Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : null
}

export interface About {
  text: string | null
  setAt: string | null
  isBusiness: boolean | null
  verifiedName: string | null
}

export function aboutIn(answer: BinaryNode): About | Refusal {
  const user = onlyUser(answer)
  if (user?.type === 'refused') return user
  const status = part(user?.node, 'status')
  const text = contentText(status) || null
  const business = getBinaryNodeChild(user?.node, 'business')
  const certificate = getBinaryNodeChild(errorIn(business) ? undefined : business, 'verified_name')
  return {
    text,
    setAt: text === null ? null : secondsToIso(Number(status?.attrs.t ?? 0)),
    // An element that contains an error instead of a certificate means that the account is not a business.
    isBusiness: business === undefined ? null : certificate !== undefined,
    verifiedName: nameIn(certificate?.content),
  }
}

function nameIn(certificate: BinaryNode['content']): string | null {
  if (!(certificate instanceof Uint8Array)) return null
  try {
    const { details } = proto.VerifiedNameCertificate.decode(certificate)
    return proto.VerifiedNameCertificate.Details.decode(details ?? new Uint8Array()).verifiedName || null
  } catch {
    return null
  }
}

function onlyUser(answer: BinaryNode): { type: 'user'; node: BinaryNode } | Refusal | undefined {
  const said = usyncAnswer(answer)
  if (said.type === 'refused') return said
  const [node] = said.users
  return node && { type: 'user', node }
}

/**
 * Returns the element with this data of the person. Undefined if the element is absent, or contains an error
 * because the person hides this data.
 */
function part(user: BinaryNode | undefined, tag: string): BinaryNode | undefined {
  const found = getBinaryNodeChild(user, tag)
  return errorIn(found) ? undefined : found
}
