/** Records of the directory: names, flags and counters of chats, people and labels, never a message. */
import type { proto } from '@whiskeysockets/baileys'
import * as v from 'valibot'

const text = v.optional(v.nullable(v.string()), null)
const flag = v.optional(v.boolean(), false)
const number = v.optional(v.number(), 0)

/**
 * The newest message of a chat. When this service changes the chat in app state, the change states this message: it applies to the messages up to
 * this one.
 */
const LastMessage = v.object({
  id: v.string(),
  /** Time of the message, in epoch s. */
  at: v.number(),
  fromMe: v.optional(v.boolean(), false),
  /** Author of the message, in a group. */
  participant: text,
})

export const ChatEntry = v.object({
  /** Id of the chat: the jid under which the phone stores it. */
  id: v.string(),
  /** The person's other jid (number or LID), if known. */
  other: text,
  /** Subject of a group; for a person, the name of the chat in the phone's history. */
  name: text,
  /** Whether the chat is in the list of chats. A chat that was only labelled, muted or deleted is not in the list. */
  isListed: flag,
  isAnnouncement: flag,
  unread: number,
  isMarkedUnread: flag,
  last: v.optional(v.nullable(LastMessage), null),
  /** Time of the newest activity in epoch s; 0 if none is known. */
  activeAt: number,
  /** Time in epoch ms at which the newest activity arrived here. It is more exact than the network's times, which are whole seconds. */
  receivedAt: number,
  /** Time of the newest message by somebody else in epoch s; 0 if none is known. */
  heardAt: number,
  /** Number of messages that the account has sent since the newest message by somebody else. */
  unanswered: number,
  /** Time in epoch ms at which the account wrote to this person for the first time, if it was counted (`queue/safety/`); 0 otherwise. */
  contactedAt: number,
  isArchived: flag,
  isPinned: flag,
  /** End of the mute in epoch ms; -1 for forever, 0 if not muted. */
  mutedUntil: number,
  /** Message timer in s; 0 for never. */
  ephemeralSeconds: number,
  labels: v.optional(v.array(v.string()), []),
})
export type ChatEntry = v.InferOutput<typeof ChatEntry>

export const ContactEntry = v.object({
  /** Jids of the person, of which at least one is known. */
  pn: text,
  lid: text,
  /** Name as saved on the phone; null if not saved. */
  name: text,
  firstName: text,
  /** Name that the person chose. */
  pushName: text,
  /** Verified name of a business. */
  verifiedName: text,
  /** Time of the person's latest activity, in epoch s. */
  usedAt: number,
})
export type ContactEntry = v.InferOutput<typeof ContactEntry>

export const LabelRecord = v.object({
  id: v.string(),
  /** The whole action of app state as JSON. A change of the label must send all fields, because the phone clears fields that the change omits. */
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
