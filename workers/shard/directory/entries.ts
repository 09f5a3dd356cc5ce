/** Records of the directory: names, flags and counters of chats, people and labels, but no contents of messages. */
import type { proto } from '@whiskeysockets/baileys'
import * as v from 'valibot'

const text = v.optional(v.nullable(v.string()), null)
const flag = v.optional(v.boolean(), false)
const number = v.optional(v.number(), 0)

/**
 * The newest message of a chat. A change of the chat in app state names this message, and applies to all messages up to
 * it.
 */
const LastMessage = v.object({
  id: v.string(),
  at: v.number(),
  fromMe: v.optional(v.boolean(), false),
  participant: text,
})

export const ChatEntry = v.object({
  id: v.string(),
  other: text,
  /** Subject of a group; for a person, the name in the phone's history. */
  name: text,
  /** Whether the chat is in the list of chats. For example, a chat that was only labelled or muted is not. */
  isListed: flag,
  isAnnouncement: flag,
  unread: number,
  isMarkedUnread: flag,
  last: v.optional(v.nullable(LastMessage), null),
  /** Epoch seconds of the newest activity; 0 if none is known. */
  activeAt: number,
  /** Epoch ms at which the newest activity arrived here. This is more exact than the whole seconds of the network. */
  receivedAt: number,
  /** Epoch seconds of the newest message by somebody else; 0 if none is known. */
  heardAt: number,
  /** Number of messages that the account has sent since the newest message by somebody else. */
  unanswered: number,
  /** Epoch ms of the first message to this person; 0 if it was not counted. */
  contactedAt: number,
  isArchived: flag,
  isPinned: flag,
  /** Epoch ms at which the mute ends; -1 for forever, 0 if not muted. */
  mutedUntil: number,
  ephemeralSeconds: number,
  labels: v.optional(v.array(v.string()), []),
})
export type ChatEntry = v.InferOutput<typeof ChatEntry>

export const ContactEntry = v.object({
  pn: text,
  lid: text,
  name: text,
  firstName: text,
  pushName: text,
  verifiedName: text,
  /** Epoch seconds of the person's latest activity. */
  usedAt: number,
})
export type ContactEntry = v.InferOutput<typeof ContactEntry>

export const LabelRecord = v.object({
  id: v.string(),
  /**
   * The whole action as JSON. A change of the label must contain all fields, because the phone clears those that are
   * omitted.
   */
  action: v.record(v.string(), v.unknown()),
})
export interface LabelEntry {
  id: string
  action: proto.SyncActionValue.ILabelEditAction
}

export const newChat = (id: string, other: string | null = null): ChatEntry => ({
  id,
  other,
  name: null,
  isListed: false,
  isAnnouncement: false,
  unread: 0,
  isMarkedUnread: false,
  last: null,
  activeAt: 0,
  receivedAt: 0,
  heardAt: 0,
  unanswered: 0,
  contactedAt: 0,
  isArchived: false,
  isPinned: false,
  mutedUntil: 0,
  ephemeralSeconds: 0,
  labels: [],
})

export const newContact = (names: Pick<ContactEntry, 'pn' | 'lid'>): ContactEntry => ({
  ...names,
  name: null,
  firstName: null,
  pushName: null,
  verifiedName: null,
  usedAt: 0,
})
