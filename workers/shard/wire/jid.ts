/**
 * Converts jids of the network to identifiers of the API, as texts, and back. (`src/domain/ids.ts` validates
 * identifiers.)
 */
import { isJidGroup, isJidNewsletter, isJidStatusBroadcast, isLidUser, isPnUser, jidDecode } from '@whiskeysockets/baileys'
import { cut, MAX_ID } from './bounds.ts'

export type ChatKind = 'user' | 'group' | 'newsletter' | 'status' | 'broadcast'

export const STATUS_JID = 'status@broadcast'

/** Devices with at least this number exist only on hosted servers, which Meta runs for companies. */
export const HOSTED_DEVICE = 99

export function chatKind(jid: string): ChatKind {
  if (isJidGroup(jid)) return 'group'
  if (isJidNewsletter(jid)) return 'newsletter'
  if (isJidStatusBroadcast(jid)) return 'status'
  if (jid.endsWith('@broadcast')) return 'broadcast'
  return 'user'
}

/**
 * Other names of the two servers for people: the names for hosted accounts, and an old name that some clients still
 * use.
 */
const SERVERS = new Map([
  ['hosted', 's.whatsapp.net'],
  ['hosted.lid', 'lid'],
  ['c.us', 's.whatsapp.net'],
])

/** Returns the API identifier of a jid without a look-up, so a LID remains `<digits>@lid`. */
export const identifierOf = (jid: string): string => cut(written(jid), MAX_ID)

function written(jid: string): string {
  const name = bare(jid)
  const user = jidUser(name)
  if (isJidGroup(name)) return `${user}-group`
  if (isPnUser(name)) return user
  return isLidUser(name) ? name : jid
}

export function jidOf(identifier: string): string {
  if (identifier.endsWith('-group')) return `${identifier.slice(0, -'-group'.length)}@g.us`
  if (identifier.includes('@')) return identifier
  return `${identifier}@s.whatsapp.net`
}

/** The LID comes first. A group or channel has only one jid. */
export const jidsOf = ({ phone, lid }: { phone: string; lid: string | null }): string[] => [
  ...new Set([...(lid === null ? [] : [lid]), jidOf(phone)]),
]

/**
 * Matches an ordinary jid without a device or agent part. Parsing takes fifteen times as long, and a list may have
 * thousands of people.
 */
const IS_BARE = /^[^:_@]+@(?:s\.whatsapp\.net|lid|g\.us)$/

export function bare(jid: string): string {
  if (IS_BARE.test(jid)) return jid
  const decoded = jidDecode(jid)
  if (!decoded) return jid
  return `${decoded.user}@${SERVERS.get(decoded.server) ?? decoded.server}`
}

export const jidUser = (jid: string): string =>
  IS_BARE.test(jid) ? jid.slice(0, jid.indexOf('@')) : (jidDecode(jid)?.user ?? jid)
