/** The look-ups of the translation, as plain interfaces, so that it does not depend on the files that store the data. */
import type { proto, WAMessageKey } from '@whiskeysockets/baileys'
import type { ReceivedFile } from '../../../../src/domain/file-download.ts'
import type { Identity } from '../../wire/person.ts'

/**
 * Which picture an event shows. Groups and status posts have many authors, so only a small share of the allowed queries may be used for pictures of
 * authors.
 */
export type Shown = 'chat' | 'author'

/**
 * Result of checking a reference to another message: whether that message was written in the same chat, and whether the person who refers to it is
 * its author.
 */
export type Claim = { place: 'here'; isSpeakers: boolean } | { place: 'elsewhere' | 'unknown' }

/** The account itself, or a person with all known jids. */
export type Speaker = 'account' | Iterable<string>

/** The admins of a group, and whether only they may change it. */
export interface Roles {
  /** Jids of every admin without a device part: the number and the LID, as far as they are known. */
  admins: string[]
  /** Whether only admins may change the group: name, timer, pins. */
  isLocked: boolean
  /** Time at which the network reported these facts, in epoch ms. */
  at: number
}

/** An earlier message that is still stored. */
export interface KnownMessage {
  key: WAMessageKey
  message: proto.IMessage
}

/** The look-ups that a translation may make. All of them use data inside this process, so that none can delay an event. */
export interface InboundContext {
  identity: Identity
  /** Number of the account in digits; null if the number is not known yet. */
  connectedPhone(): string | null
  /** Current time in epoch ms; used as the time of stanzas without one. */
  now(): number
  /** Name of a contact, group or channel, by all its jids; null if unknown. */
  chatName(jids: readonly string[]): string | null
  /**
   * Returns the URL of the picture of a contact, group or channel; null if unknown. An unknown picture may be queried after the event. `shown`: which
   * picture of the event it is; null if it must not be queried.
   */
  photo(jids: readonly string[], shown: Shown | null): string | null
  /**
   * Finds the message that `about` refers to: a poll, an event, or an edited or answered message. A message that is known to be of another chat is
   * not returned, because senders choose message ids.
   */
  original(id: string, about: WAMessageKey): Promise<KnownMessage | null>
  /** Checks a reference to the message with this id: whether the message is of the chat with these jids, and whether this sender wrote it. */
  claim(id: string, chat: Iterable<string>, sender: Speaker): Promise<Claim>
  /** Returns the administrators of a group; null if they are not known here. Makes no query. */
  roles(group: string): Promise<Roles | null>
  /** Finds a stored post of a channel by its server id, which the network gave it. */
  post(newsletter: string, serverId: string): Promise<WAMessageKey | null>
  /** Returns an encrypted link to a file; null if no link can be created. */
  mediaUrl(file: ReceivedFile): string | null
  /** Called if the translation of a content has failed: the error is logged, and the content is reported as unsupported. */
  onProblem(error: unknown, key: WAMessageKey): void
}
