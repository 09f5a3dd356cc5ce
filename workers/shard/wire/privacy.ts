/**
 * Reads and writes privacy settings, and the people who are excluded from a setting "my contacts except":
 *   <iq xmlns="privacy" type="get"><privacy/></iq>                                       → <privacy><category name value/>…</privacy>
 *   <iq xmlns="privacy" type="set"><privacy><category name value/></privacy></iq>
 *   <iq xmlns="privacy" type="get"><privacy addressing_mode="lid"><list name value="contact_blacklist"/></privacy></iq>
 *     → <privacy addressing_mode><list dhash><user jid pn_jid?/>…</list></privacy>, without <list> if the setting is another one
 *   <iq xmlns="privacy" type="set"><privacy addressing_mode="lid"><category name value="contact_blacklist" dhash>
 *       <user action jid pn_jid?/>…</category></privacy></iq>                            → 409 if the list has another `dhash` by now
 */
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isLidUser,
  isPnUser,
  reduceBinaryNodeToDictionary,
  S_WHATSAPP_NET,
} from '@whiskeysockets/baileys'

export type Category = 'last' | 'online' | 'profile' | 'status' | 'groupadd' | 'readreceipts'
export type ListCategory = Exclude<Category, 'online' | 'readreceipts'>

/**
 * The kind of jid in lists of people: LIDs after the network has moved the account to LIDs, otherwise numbers. The
 * network refuses the other kind.
 */
export type Addressing = 'lid' | 'pn'

export interface Named {
  lid: string | null
  pn: string | null
}

export interface ListChange extends Named {
  action: 'add' | 'remove'
}

const privacyQuery = (type: 'get' | 'set', attrs: Record<string, string>, content: BinaryNode[]): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type, xmlns: 'privacy' },
  content: [{ tag: 'privacy', attrs, content }],
})

const modeOf = (addressing: Addressing): Record<string, string> => (addressing === 'lid' ? { addressing_mode: 'lid' } : {})

export type PrivacySettings = Readonly<Partial<Record<Category, string>>>

export const settingsQuery = (): BinaryNode => privacyQuery('get', {}, [])

export const settingsIn = (answer: BinaryNode): PrivacySettings =>
  reduceBinaryNodeToDictionary(getBinaryNodeChild(answer, 'privacy') ?? answer, 'category')

export const settingQuery = (name: Category, value: string): BinaryNode =>
  privacyQuery('set', {}, [{ tag: 'category', attrs: { name, value } }])

export const listQuery = (name: ListCategory, addressing: Addressing): BinaryNode =>
  privacyQuery('get', modeOf(addressing), [{ tag: 'list', attrs: { name, value: 'contact_blacklist' } }])

/** `dhash`: version of the list to which the changes apply; null if there is no list yet. */
export const listChangeQuery = (
  name: ListCategory,
  changes: readonly ListChange[],
  dhash: string | null,
  addressing: Addressing,
): BinaryNode =>
  privacyQuery('set', modeOf(addressing), [
    {
      tag: 'category',
      attrs: { name, value: 'contact_blacklist', dhash: dhash ?? 'none' },
      content: changes.map((change) => ({ tag: 'user', attrs: userAttrs(change, addressing) })),
    },
  ])

/** If the required kind of jid is unknown, the other one is used. */
function userAttrs({ action, lid, pn }: ListChange, addressing: Addressing): Record<string, string> {
  if (addressing === 'pn' || lid === null) return { action, jid: pn ?? lid ?? '' }
  return { action, jid: lid, ...(pn === null ? {} : { pn_jid: pn }) }
}

export interface PeopleList {
  dhash: string | null
  people: Named[]
}

export function listOf(answer: BinaryNode): PeopleList {
  const list = getBinaryNodeChild(getBinaryNodeChild(answer, 'privacy'), 'list')
  return { dhash: list?.attrs.dhash ?? null, people: getBinaryNodeChildren(list, 'user').flatMap(namedBy) }
}

/**
 * Returns the person in an entry of a list, with the other jid from `pn_jid` or `lid`. Returns an empty list for an
 * entry with only a username, because the API cannot represent it.
 */
export function namedBy({ attrs }: BinaryNode): Named[] {
  const jids = [attrs.jid, attrs.pn_jid, attrs.lid].filter((jid) => jid !== undefined)
  const lid = jids.find((jid) => isLidUser(jid)) ?? null
  const pn = jids.find((jid) => isPnUser(jid)) ?? null
  return lid === null && pn === null ? [] : [{ lid, pn }]
}

/** Sets the duration of disappearing messages in new 1:1 chats, in seconds. */
export const newChatDurationQuery = (seconds: number): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'disappearing_mode' },
  content: [{ tag: 'disappearing_mode', attrs: { duration: String(seconds) } }],
})
