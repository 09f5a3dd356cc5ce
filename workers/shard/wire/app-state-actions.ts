/**
 * Builds and reads actions of app state: changes of chats, people, labels and the account that all linked devices
 * share. Index, collection and value are those of WhatsApp Web; the versions are those of Baileys.
 */
import { type Contact, isLidUser, isPnUser, type proto, type WAMessageKey, type WAPatchName } from '@whiskeysockets/baileys'
import { bare, chatKind } from './jid.ts'

type Value = proto.ISyncActionValue
type Range = proto.SyncActionValue.ISyncActionMessageRange

export interface AppStateAction {
  index: readonly string[]
  value: Value | null
}

export interface AppStateChange extends AppStateAction {
  collection: WAPatchName
  version: number
}

/** A label that was added to a chat or removed from it. */
export interface Association {
  chat: string
  label: string
  assigned: boolean
}

export interface ActionFacts {
  /** A person in the phone's address book. If the name is absent, the person was removed from the address book. */
  contact?: Contact
  pair?: { pn: string; lid: string }
  name?: string
  association?: Association
  /** Whether a new message unarchives its chat. This is a setting of the account. */
  unarchives?: boolean
}

/** A change that depends on the current version of the collection. If the function throws, nothing is written. */
export interface LaterChange {
  collection: WAPatchName
  make(): readonly AppStateChange[]
}

export type ChangeAppState = (changes: readonly AppStateChange[] | LaterChange) => Promise<void>

/** The newest message of a chat. Phones apply a change that contains it to the messages up to this one. */
export interface Newest {
  /** Time of the message in epoch seconds. */
  at: number
  key?: Pick<WAMessageKey, 'remoteJid' | 'id' | 'fromMe' | 'participant'> | undefined
}

/** Returns the range of messages up to the newest one. Phones ignore a change that needs a range and has none. */
const rangeOf = ({ at, key }: Newest): Range => ({
  lastMessageTimestamp: at,
  ...(key ? { messages: [{ key, timestamp: at }] } : {}),
})

const set = (
  collection: WAPatchName,
  version: number,
  index: readonly string[],
  value: Omit<Value, 'timestamp'>,
  now: number,
): AppStateChange => ({ collection, version, index, value: { timestamp: now, ...value } })

/** Archives or unarchives a chat. In all functions of this file, `now` is in epoch ms. */
export const archiveChange = (chat: string, archived: boolean, newest: Newest, now: number) =>
  set('regular_low', 3, ['archive', chat], { archiveChatAction: { archived, messageRange: rangeOf(newest) } }, now)

export const pinChange = (chat: string, pinned: boolean, now: number) =>
  set('regular_low', 5, ['pin_v1', chat], { pinAction: { pinned } }, now)

/** Mutes or unmutes a chat. `until`: epoch ms, -1 for forever; null to unmute. */
export const muteChange = (chat: string, until: number | null, now: number) =>
  set(
    'regular_high',
    2,
    ['mute', chat],
    { muteAction: until === null ? { muted: false } : { muted: true, muteEndTimestamp: until } },
    now,
  )

export const readChange = (chat: string, read: boolean, newest: Newest, now: number) =>
  set('regular_low', 3, ['markChatAsRead', chat], { markChatAsReadAction: { read, messageRange: rangeOf(newest) } }, now)

/**
 * Deletes the messages of a chat. The last two parts of the index say whether starred messages and media are
 * deleted as well.
 */
export const clearChange = (chat: string, keepStarred: boolean, newest: Newest, now: number) =>
  set(
    'regular_high',
    6,
    ['clearChat', chat, keepStarred ? '0' : '1', '0'],
    { clearChatAction: { messageRange: rangeOf(newest) } },
    now,
  )

export const deleteChange = (chat: string, newest: Newest, now: number) =>
  set('regular_high', 6, ['deleteChat', chat, '1'], { deleteChatAction: { messageRange: rangeOf(newest) } }, now)

/**
 * Returns the parts of an index that identify a message. The participant is `0` for messages of the account and in
 * 1:1 chats.
 */
const messageIn = (chat: string, { id, fromMe, participant }: WAMessageKey): string[] => {
  const author = fromMe || chatKind(chat) !== 'group' || !participant ? '0' : bare(participant)
  return [chat, id ?? '', fromMe ? '1' : '0', author]
}

export const starChange = (chat: string, key: WAMessageKey, starred: boolean, now: number) =>
  set('regular_high', 2, ['star', ...messageIn(chat, key)], { starAction: { starred } }, now)

/** Hides a message on the account's own devices only. `messageTimestamp` is in epoch seconds. */
export const hideChange = (chat: string, key: WAMessageKey, messageTimestamp: number, now: number) =>
  set(
    'regular_high',
    3,
    ['deleteMessageForMe', ...messageIn(chat, key)],
    { deleteMessageForMeAction: { deleteMedia: false, messageTimestamp } },
    now,
  )

export interface PersonNames {
  pn: string | null
  lid: string | null
}

export interface SavedName {
  fullName: string
  firstName: string
  onPhone: boolean
}

export const CONTACTS = 'critical_unblock_low'

/**
 * Saves the names of a person. If the number of the person is unknown, the index has another kind: `lid_contact`.
 */
export function contactChange({ pn, lid }: PersonNames, { fullName, firstName, onPhone }: SavedName, now: number) {
  if (pn === null) return set(CONTACTS, 2, ['lid_contact', lid ?? ''], { lidContactAction: { fullName, firstName } }, now)
  const names = { fullName, firstName, ...(lid === null ? {} : { lidJid: lid }) }
  return set(CONTACTS, 2, ['contact', pn], { contactAction: { ...names, saveOnPrimaryAddressbook: onPhone } }, now)
}

export const contactRemovals = ({ pn, lid }: PersonNames): AppStateChange[] => [
  ...(pn === null ? [] : [{ collection: CONTACTS, version: 2, index: ['contact', pn], value: null } as const]),
  ...(lid === null ? [] : [{ collection: CONTACTS, version: 2, index: ['lid_contact', lid], value: null } as const]),
]

export const pushNameChange = (name: string, now: number) =>
  set('critical_block', 1, ['setting_pushName'], { pushNameSetting: { name } }, now)

export const labelChange = (id: string, labelEditAction: proto.SyncActionValue.ILabelEditAction, now: number) =>
  set('regular', 3, ['label_edit', id], { labelEditAction }, now)

export const labelledChange = (id: string, chat: string, labeled: boolean, now: number) =>
  set('regular', 3, ['label_jid', id, chat], { labelAssociationAction: { labeled } }, now)

const isPn = (jid: string | null | undefined): jid is string => !!jid && isPnUser(jid) === true
const isLid = (jid: string | null | undefined): jid is string => !!jid && isLidUser(jid) === true

const known = <T extends string>(field: T, value: string | null | undefined): { [name in T]?: string } =>
  value ? ({ [field]: value } as { [name in T]: string }) : {}

/**
 * Returns the facts that an action contains. Any device of the account may have written the action, so each field
 * may be missing.
 */
export function factsOf({ index: [kind, id = '', chat = ''], value }: AppStateAction): ActionFacts {
  switch (kind) {
    case 'contact': {
      const { fullName, firstName, username, lidJid, pnJid } = value?.contactAction ?? {}
      if (!id) return {}
      const contact = {
        id,
        ...known('name', fullName || firstName || username),
        ...known('lid', lidJid),
        ...known('phoneNumber', isPn(id) ? id : pnJid),
      }
      return isPn(id) && isLid(lidJid) ? { contact, pair: { pn: id, lid: lidJid } } : { contact }
    }
    case 'lid_contact': {
      const { fullName, firstName, username } = value?.lidContactAction ?? {}
      return id ? { contact: { id, ...known('name', fullName || firstName || username), lid: id } } : {}
    }
    case 'pnForLidChat': {
      const { pnJid } = value?.pnForLidChatAction ?? {}
      return isLid(id) && isPn(pnJid) ? { pair: { pn: pnJid, lid: id } } : {}
    }
    case 'setting_pushName':
      return known('name', value?.pushNameSetting?.name)
    case 'setting_unarchiveChats':
      return value ? { unarchives: value.unarchiveChatsSetting?.unarchiveChats === true } : {}
    case 'label_jid':
      return id && chat
        ? { association: { chat: bare(chat), label: id, assigned: value?.labelAssociationAction?.labeled === true } }
        : {}
    default:
      return {}
  }
}
