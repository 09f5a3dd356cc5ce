/**
 * Converts jids of the network to identifiers of the API, as texts, and back. (`src/domain/ids.ts` validates
 * identifiers.)
 */
import { isJidGroup, isJidNewsletter, isJidStatusBroadcast, isLidUser, isPnUser, WAJIDDomains } from '@whiskeysockets/baileys'
import { cut, MAX_ID } from './bounds.ts'

export type ChatKind = 'user' | 'group' | 'newsletter' | 'status' | 'broadcast'

export const STATUS_JID = 'status@broadcast'

/** Number of the device of a hosted account, which runs on servers of Meta for a company. */
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

/** Returns the jids of a chat. The LID comes first. */
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
  const decoded = jidParts(jid)
  if (!decoded) return jid
  return `${decoded.user}@${SERVERS.get(decoded.server) ?? decoded.server}`
}

export const jidUser = (jid: string): string =>
  IS_BARE.test(jid) ? jid.slice(0, jid.indexOf('@')) : (jidParts(jid)?.user ?? jid)

export interface JidParts {
  user: string
  server: string
  domainType: number
  device: number | undefined
}

const DOMAINS: ReadonlyMap<string, number> = new Map([
  ['lid', WAJIDDomains.LID],
  ['hosted', WAJIDDomains.HOSTED],
  ['hosted.lid', WAJIDDomains.HOSTED_LID],
])

/**
 * Undefined if the text is not a jid. The result is that of the library's `jidDecode`, which is slower. A sent text
 * needs this function two dozen times.
 */
export function jidParts(jid: string): JidParts | undefined {
  const at = jid.indexOf('@')
  if (at < 0) return undefined
  const server = jid.slice(at + 1)
  const nameEnd = endOf(jid, ':', 0, at)
  const userEnd = endOf(jid, '_', 0, nameEnd)
  const device = jid.slice(nameEnd + 1, endOf(jid, ':', nameEnd + 1, at))
  const agent = jid.slice(userEnd + 1, endOf(jid, '_', userEnd + 1, nameEnd))
  return {
    user: jid.slice(0, userEnd),
    server,
    domainType: DOMAINS.get(server) ?? (agent === '' ? WAJIDDomains.WHATSAPP : Number.parseInt(agent, 10)),
    device: device === '' ? undefined : Number(device),
  }
}

/** Returns the position of the mark, or `end` if it is not between the two positions. */
function endOf(text: string, mark: string, from: number, end: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 || at > end ? end : at
}
