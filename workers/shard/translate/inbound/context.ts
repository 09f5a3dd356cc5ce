/** The look-ups of the translation, as plain interfaces, so that it does not depend on the files that store the data. */
import type { proto, WAMessageKey } from '@whiskeysockets/baileys'
import type { ReceivedFile } from '../../../../src/domain/file-download.ts'
import type { Identity } from '../../wire/person.ts'

/** Use of a picture in an event. Groups and status posts have many authors, so only a small share of the allowed queries is used for authors. */
export type Shown = 'chat' | 'author'

/** Result of the check of a reference: where the message was written relative to a chat, and whether the sender who refers to it also wrote it. */
export type Claim = { place: 'here'; isSpeakers: boolean } | { place: 'elsewhere' | 'unknown' }

/** The account itself, or a person by the known jids. */
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

/** The look-ups of the translation. All of them are inside this process, so that none can delay an event. */
export interface InboundContext {
  identity: Identity
  /** Number of the account in digits; null if the number is not known yet. */
  connectedPhone(): string | null
  /** Current time in epoch ms; used as the time of stanzas without one. */
  now(): number
  /** Name of a contact, group or channel, by all its jids; null if unknown. */
  chatName(jids: readonly string[]): string | null
  /**
   * URL of the picture of a contact, group or channel, or null if unknown. `shown`: how the event uses the picture; null if the picture must not be
   * queried after the event.
   */
  photo(jids: readonly string[], shown: Shown | null): string | null
  /**
   * Finds a message that `about` refers to: a poll, an event, an edited or an answered message. A message that is known
   * to be from another chat does not match, because senders choose their ids.
   */
  original(id: string, about: WAMessageKey): Promise<KnownMessage | null>
  /** Checks a reference to the message with this id: whether the message is from the chat with these jids, and whether the sender wrote it. */
  claim(id: string, chat: Iterable<string>, sender: Speaker): Promise<Claim>
  /** Returns the admins of a group if they are known, without a query. */
  roles(group: string): Promise<Roles | null>
  /** Finds a post of a channel by the number that the network gave it, if the post is stored. */
  post(newsletter: string, serverId: string): Promise<WAMessageKey | null>
  /** Returns a sealed link to a file; null if no link can be created. */
  mediaUrl(file: ReceivedFile): string | null
  /** Called if a content could not be translated: it is reported as unsupported, and the error is logged. */
  onProblem(error: unknown, key: WAMessageKey): void
}
