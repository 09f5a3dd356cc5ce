import type { proto, WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import { DAY, SECOND } from '../../../src/domain/clock.ts'
import { expiryOf } from '../chats/disappearing.ts'
import { isSignOfLife, saysSomething } from '../translate/inbound/content.ts'
import type { AppStateAction } from '../wire/app-state-actions.ts'
import { count, cutOrNull, decimal, MAX_ID, MAX_NAME } from '../wire/bounds.ts'
import type { HistoryChat } from '../wire/history.ts'
import { bare, chatKind } from '../wire/jid.ts'
import { type ChatEntry, newChat } from './entries.ts'
import type { Table } from './table.ts'

/** Maximum number of chats in the directory, a limit of the API. */
export const MAX_CHATS = 5_000
const MAX_UNREAD = 100_000
const MAX_LABELS = 20

type Chats = Pick<Table<ChatEntry>, 'find' | 'add' | 'changed'>

export const isChat = (jid: string): boolean => {
  const kind = chatKind(jid)
  return kind === 'user' || kind === 'group'
}

const bareOrNull = (jid: string | null | undefined): string | null => (jid ? bare(jid) : null)

function known(chats: Chats, jid: string, other: string | null = null): ChatEntry {
  const found = chats.find([jid, other])
  if (!found) {
    const fresh = newChat(jid, other)
    chats.add(fresh)
    return fresh
  }
  const missing = [jid, other].find((name) => name !== null && name !== found.id && name !== found.other)
  if (found.other === null && missing) found.other = missing
  return found
}

export interface MessageOptions {
  unarchives: boolean
  /** Whether the message was sent by an API call. Such a message does not mean that the owner has read the chat. */
  fromApi: boolean
  now: number
}

/**
 * Records a message in its chat, and returns whether it counts as recorded. A message without content could not be
 * decrypted.
 */
export function recordMessage(
  chats: Chats,
  { key, message, messageTimestamp }: Pick<WAMessage, 'key' | 'message' | 'messageTimestamp'>,
  { unarchives, fromApi, now }: MessageOptions,
): boolean {
  const { remoteJid, remoteJidAlt, id, fromMe } = key
  if (!remoteJid || !id || !isChat(remoteJid)) return false
  const content = message ?? {}
  const expiry = chatKind(remoteJid) === 'user' ? expiryOf(content) : null
  const isNews = saysSomething(content)
  const isAnswer = !fromMe && (!message || isSignOfLife(content))
  if (!isNews && !isAnswer && expiry === null) return false
  const chat = known(chats, bare(remoteJid), bareOrNull(remoteJidAlt))
  if (expiry) chat.ephemeralSeconds = expiry.seconds
  const at = decimal(messageTimestamp) ?? 0
  if (isAnswer) noteAnswer(chat, at)
  if (isNews && chat.last?.id !== id) {
    if (at >= chat.activeAt) {
      chat.activeAt = at
      chat.receivedAt = now
      chat.last = newest(key, at)
    }
    chat.isListed = true
    if (unarchives) chat.isArchived = false
    if (fromMe) chat.unanswered += 1
    if (!fromMe) chat.unread = Math.min(chat.unread + 1, MAX_UNREAD)
    // A message that was written on a device of the owner means that the owner has read the chat.
    else if (!fromApi) markRead(chat)
  }
  chats.changed(chat)
  // A message without content may arrive again with its content, so it does not count as recorded.
  return Boolean(message) && (isNews || isAnswer)
}

function noteAnswer(chat: ChatEntry, at: number) {
  chat.heardAt = Math.max(chat.heardAt, at)
  chat.unanswered = 0
}

/** Whether a message between the two people of a chat is known, or is about to be sent. */
export const hasBegun = ({ activeAt, contactedAt, heardAt }: ChatEntry): boolean => Math.max(activeAt, contactedAt, heardAt) > 0

/**
 * Epoch seconds of the newest message by somebody else; 0 if unknown. Earlier releases stored only the newest message
 * of the chat.
 */
export const lastHeardAt = ({ heardAt, last }: ChatEntry): number => heardAt || (last && !last.fromMe ? last.at : 0)

export function recordContact(chats: Chats, [jid, other]: readonly [string, string?], now: number): void {
  const chat = known(chats, bare(jid), bareOrNull(other))
  if (hasBegun(chat)) return
  chat.contactedAt = now
  chats.changed(chat)
}

export function withdrawContact(chats: Chats, jids: readonly [string, string?]): void {
  const chat = chats.find(jids.map(bareOrNull))
  if (!chat) return
  chat.contactedAt = 0
  chats.changed(chat)
}

const newest = (
  { id, fromMe, participant }: Pick<WAMessageKey, 'id' | 'fromMe' | 'participant'>,
  at: number,
): ChatEntry['last'] =>
  id && id.length <= MAX_ID ? { id, at, fromMe: fromMe === true, participant: bareOrNull(participant) } : null

function markRead(chat: ChatEntry) {
  chat.unread = 0
  chat.isMarkedUnread = false
}

export function readMessages(chats: Chats, jids: readonly (string | null | undefined)[], ids: readonly string[]): void {
  const chat = chats.find(jids.map(bareOrNull))
  if (!chat || (chat.unread === 0 && !chat.isMarkedUnread)) return
  // If the newest message was read, the whole chat counts as read.
  if (chat.last !== null && ids.includes(chat.last.id)) markRead(chat)
  else chat.unread = Math.max(0, chat.unread - ids.length)
  chats.changed(chat)
}

/**
 * Adds the facts about a chat in the phone's history. The last message and the counters of a listed chat are replaced
 * only by newer ones.
 */
export function learnConversation(chats: Chats, facts: HistoryChat): void {
  const id = bare(facts.id)
  if (!isChat(id)) return
  const other = bareOrNull(id.endsWith('@lid') ? facts.pnJid : (facts.lidJid ?? facts.accountLid))
  const before = chats.find([id, other])
  const chat = known(chats, id, chatKind(id) === 'user' ? other : null)
  const at = count(facts.conversationTimestamp) ?? count(facts.lastMsgTimestamp) ?? 0
  const isNewer = !before?.isListed || at > before.activeAt
  // The chat gets the jid from the history, because the phone itself stores the chat under this jid.
  if (chat.id !== id) Object.assign(chat, { id, other: chat.id })
  chat.name = cutOrNull(facts.displayName || facts.name, MAX_NAME) ?? chat.name
  chat.isListed = true
  chat.isAnnouncement = facts.isDefaultSubgroup === true
  if (isNewer) {
    chat.activeAt = at
    if (facts.newest) chat.last = newest(facts.newest, facts.newest.timestamp || at)
    if (facts.newest && !facts.newest.fromMe) noteAnswer(chat, facts.newest.timestamp || at)
    // A chat that was marked as unread by hand has the count -1, which is 2^32 - 1 in the unsigned field.
    const unread = (facts.unreadCount ?? 0) | 0
    chat.unread = Math.min(Math.max(0, unread), MAX_UNREAD)
    chat.isMarkedUnread = unread < 0 || facts.markedAsUnread === true
  }
  // For a known chat, these values may come from app state, which is at least as new as the history. So only a new chat
  // gets them from the history.
  if (before === undefined) {
    chat.isArchived = facts.archived === true
    chat.isPinned = (facts.pinned ?? 0) > 0
    chat.mutedUntil = mutedUntil(decimal(facts.muteEndTime))
  }
  chat.ephemeralSeconds = facts.ephemeralExpiration ?? chat.ephemeralSeconds
  chats.changed(chat)
}

/**
 * Returns the end of the mute in epoch ms; -1 for forever, 0 if not muted. Some phones write seconds, which are
 * converted.
 */
function mutedUntil(end: number | null): number {
  if (end === null || end === 0) return 0
  if (end < 0) return -1
  return end < (100 * 365 * DAY) / SECOND ? end * SECOND : end
}

export interface GroupFacts {
  name?: string | undefined
  ephemeralSeconds?: number | undefined
  isAnnouncement?: boolean | undefined
  /** Epoch seconds. */
  joinedAt?: number | undefined
}

export function learnGroup(chats: Chats, jid: string, facts: GroupFacts): void {
  const before = chats.find([jid])
  if (!before && facts.joinedAt === undefined) return
  const chat = known(chats, jid)
  if (facts.joinedAt !== undefined && !chat.isListed) {
    chat.isListed = true
    chat.activeAt = Math.max(chat.activeAt, facts.joinedAt)
    chats.changed(chat)
  }
  const { name = chat.name, ephemeralSeconds = chat.ephemeralSeconds, isAnnouncement = chat.isAnnouncement } = facts
  if (name === chat.name && ephemeralSeconds === chat.ephemeralSeconds && isAnnouncement === chat.isAnnouncement) return
  Object.assign(chat, { name: cutOrNull(name, MAX_NAME), ephemeralSeconds, isAnnouncement })
  chats.changed(chat)
}

export function joinChats(
  chats: Pick<Table<ChatEntry>, 'find' | 'changed' | 'remove'>,
  { pn, lid }: { pn: string; lid: string },
) {
  const byLid = chats.find([lid])
  const byPn = chats.find([pn])
  const [kept, gone] = byLid && byPn && byLid !== byPn && byPn.activeAt > byLid.activeAt ? [byPn, byLid] : [byLid ?? byPn, byPn]
  if (!kept) return
  if (gone && gone !== kept) {
    chats.remove(gone)
    kept.unread = Math.min(kept.unread + gone.unread, MAX_UNREAD)
    kept.isListed ||= gone.isListed
    kept.heardAt = Math.max(kept.heardAt, gone.heardAt)
    kept.unanswered += gone.unanswered
    kept.contactedAt = Math.max(kept.contactedAt, gone.contactedAt)
    kept.labels = [...new Set([...kept.labels, ...gone.labels])].slice(0, MAX_LABELS)
    kept.name ??= gone.name
  }
  const other = kept.id === lid ? pn : lid
  if (kept.other === other && kept === gone) return
  kept.other = other
  chats.changed(kept)
}

type Value = proto.ISyncActionValue
type Range = proto.SyncActionValue.ISyncActionMessageRange | null | undefined

/** Whether the chat has a newer message than the last one that was known to the device that made the change. */
const hasNewer = (chat: ChatEntry, range: Range): boolean => {
  const until = decimal(range?.lastMessageTimestamp)
  return until !== null && until > 0 && chat.activeAt > until
}

const CHANGES: Readonly<Record<string, (chat: ChatEntry, value: Value) => void>> = {
  archive(chat, { archiveChatAction }) {
    chat.isArchived = archiveChatAction?.archived === true
    if (chat.isArchived) chat.isPinned = false
  },
  pin_v1(chat, { pinAction }) {
    chat.isPinned = pinAction?.pinned === true
  },
  mute(chat, { muteAction }) {
    chat.mutedUntil = muteAction?.muted ? mutedUntil(decimal(muteAction.muteEndTimestamp) || -1) : 0
  },
  markChatAsRead(chat, { markChatAsReadAction }) {
    if (!markChatAsReadAction?.read) chat.isMarkedUnread = true
    else if (hasNewer(chat, markChatAsReadAction.messageRange)) chat.unread = Math.min(chat.unread, 1)
    else markRead(chat)
  },
  clearChat(chat, { clearChatAction }) {
    if (hasNewer(chat, clearChatAction?.messageRange)) return
    markRead(chat)
    chat.last = null
  },
  deleteChat(chat, { deleteChatAction }) {
    if (hasNewer(chat, deleteChatAction?.messageRange)) return
    markRead(chat)
    Object.assign(chat, { isListed: false, isArchived: false, isPinned: false, last: null })
  },
}

export function changeChat(chats: Chats, { index, value }: AppStateAction): void {
  const [kind = '', ...rest] = index
  const jid = bareOrNull(kind === 'label_jid' ? rest[1] : rest[0])
  if (!jid || !isChat(jid) || !value) return
  if (kind === 'label_jid') label(chats, jid, rest[0] ?? '', value.labelAssociationAction?.labeled === true)
  if (!Object.hasOwn(CHANGES, kind)) return
  const isGone = kind === 'deleteChat' || kind === 'clearChat'
  if (isGone && !chats.find([jid])) return
  const chat = known(chats, jid)
  CHANGES[kind]!(chat, value)
  chats.changed(chat)
}

function label(chats: Chats, jid: string, id: string, isOn: boolean) {
  if (!isOn && !chats.find([jid])) return
  const chat = known(chats, jid)
  const others = chat.labels.filter((each) => each !== id)
  chat.labels = isOn ? [...others, id].slice(-MAX_LABELS) : others
  chats.changed(chat)
}
