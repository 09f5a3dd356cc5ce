/** Records of the directory: names, flags and counters of chats, people and labels, never a message. */
import type { proto } from '@whiskeysockets/baileys'
import * as v from 'valibot'

const text = v.optional(v.nullable(v.string()), null)
const flag = v.optional(v.boolean(), false)
const number = v.optional(v.number(), 0)

/** The newest message of a chat: the end of the range of a change of the chat. */
const LastMessage = v.object({
  id: v.string(),
  /** Epoch s. */
  at: v.number(),
  fromMe: v.optional(v.boolean(), false),
  /** Its author, in a group. */
  participant: text,
})

export const ChatEntry = v.object({
  /** As the phone names it. */
  id: v.string(),
  /** The person's other name, number or LID, where it is known. */
  other: text,
  /** Subject of a group; of a person what the phone's history called the chat. */
  name: text,
  /** In the list of chats; one that is only labelled, muted or deleted is not. */
  isListed: flag,
  isAnnouncement: flag,
  unread: number,
  isMarkedUnread: flag,
  last: v.optional(v.nullable(LastMessage), null),
  /** Of the newest activity, epoch s; 0: none is known. */
  activeAt: number,
  /** When that arrived here, epoch ms: the network's times are whole seconds. */
  receivedAt: number,
  isArchived: flag,
  isPinned: flag,
  /** End of being muted, epoch ms; -1: for ever, 0: it is not. */
  mutedUntil: number,
  /** Expiry of its messages, s; 0: never. */
  ephemeralSeconds: number,
  labels: v.optional(v.array(v.string()), []),
})
export type ChatEntry = v.InferOutput<typeof ChatEntry>

export const ContactEntry = v.object({
  /** Jids: one of them is known at least. */
  pn: text,
  lid: text,
  /** As saved on the phone; null for those that are not. */
  name: text,
  firstName: text,
  /** As the person calls itself. */
  pushName: text,
  /** Of a business. */
  verifiedName: text,
  /** Its latest activity, epoch s. */
  usedAt: number,
})
export type ContactEntry = v.InferOutput<typeof ContactEntry>

export const LabelRecord = v.object({
  id: v.string(),
  /** Whole, as its JSON: what is left out of a change would be cleared. */
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
