/**
 * Identifiers of chats, and their conversion from the texts of callers and to network addresses (JIDs). A parsed
 * identifier is plain data.
 */
declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

export type InstanceId = Branded<'InstanceId'>
export type WorkspaceId = Branded<'WorkspaceId'>
/** A network address without a device part: `5511999990000@s.whatsapp.net`, `123@lid`, `123@g.us`. */
export type Jid = Branded<'Jid'>

export interface UserIdentifier {
  kind: 'user'
  digits: string
  /** `phone`: the digits are a phone number; `lid`: the digits are the hidden id that replaces a phone number. */
  space: 'phone' | 'lid'
}
export interface GroupIdentifier {
  kind: 'group'
  id: string
}
export interface NewsletterIdentifier {
  kind: 'newsletter'
  id: string
}
export interface BroadcastIdentifier {
  kind: 'broadcast'
  id: string
}
export interface StatusIdentifier {
  kind: 'status'
}
export type Identifier = UserIdentifier | GroupIdentifier | NewsletterIdentifier | BroadcastIdentifier | StatusIdentifier
export type IdentifierKind = Identifier['kind']

/** Maximum length of an identifier of any kind, in characters. */
export const IDENTIFIER_MAX = 64

type Reader = (match: RegExpExecArray) => Identifier
const FORMATS: readonly (readonly [RegExp, Reader])[] = [
  [/^(\d{5,20})$/, ([, digits]) => ({ kind: 'user', digits: digits!, space: 'phone' })],
  [/^(\d+)@lid$/, ([, digits]) => ({ kind: 'user', digits: digits!, space: 'lid' })],
  [/^(\d+(?:-\d+)?)-group$/, ([, id]) => ({ kind: 'group', id: id! })],
  [/^(\d+)@g\.us$/, ([, id]) => ({ kind: 'group', id: id! })],
  [/^(\d+)@newsletter$/, ([, id]) => ({ kind: 'newsletter', id: id! })],
  [/^status@broadcast$/, () => ({ kind: 'status' })],
  [/^(\d+)@broadcast$/, ([, id]) => ({ kind: 'broadcast', id: id! })],
]

/** Parses an identifier. Returns undefined if the text has none of the formats. */
export function parseIdentifier(text: string): Identifier | undefined {
  if (text.length > IDENTIFIER_MAX) return undefined
  for (const [format, read] of FORMATS) {
    const match = format.exec(text)
    if (match) return read(match)
  }
  return undefined
}

export function renderIdentifier(identifier: Identifier): string {
  switch (identifier.kind) {
    case 'user':
      return identifier.space === 'lid' ? `${identifier.digits}@lid` : identifier.digits
    case 'group':
      return `${identifier.id}-group`
    case 'newsletter':
      return `${identifier.id}@newsletter`
    case 'broadcast':
      return `${identifier.id}@broadcast`
    case 'status':
      return 'status@broadcast'
    default:
      return identifier satisfies never
  }
}

/**
 * Returns the network address of a chat. Channels, lists and the status have the same form on the network as in the
 * API.
 */
export function toJid(identifier: Identifier): Jid {
  if (identifier.kind === 'user') return `${identifier.digits}@${identifier.space === 'lid' ? 'lid' : 's.whatsapp.net'}` as Jid
  return (identifier.kind === 'group' ? `${identifier.id}@g.us` : renderIdentifier(identifier)) as Jid
}

/** Matches a JID: `user_agent:device@server`. Agent and device do not name another chat. */
const JID = /^([^@:_]+)(?:_\d+)?(?::\d+)?@(.+)$/

/**
 * Returns the identifier of the chat with this address; undefined for addresses that are not a chat (the server itself,
 * calls, bots). Hosted users are users whose device WhatsApp runs.
 */
export function fromJid(jid: string): Identifier | undefined {
  const match = JID.exec(jid)
  if (!match) return undefined
  const [, user, server] = match as unknown as [string, string, string]
  switch (server) {
    case 's.whatsapp.net':
    case 'c.us':
    case 'hosted':
      return /^\d+$/.test(user) ? { kind: 'user', digits: user, space: 'phone' } : undefined
    case 'lid':
    case 'hosted.lid':
      return /^\d+$/.test(user) ? { kind: 'user', digits: user, space: 'lid' } : undefined
    case 'g.us':
      return /^\d+(-\d+)?$/.test(user) ? { kind: 'group', id: user } : undefined
    case 'newsletter':
      return { kind: 'newsletter', id: user }
    case 'broadcast':
      return user === 'status' ? { kind: 'status' } : { kind: 'broadcast', id: user }
    default:
      return undefined
  }
}
