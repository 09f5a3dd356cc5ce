/** The look-ups of the translation, as plain interfaces, so that it does not depend on the files that store the data. */
import type { proto, WAMessageKey } from '@whiskeysockets/baileys'
import type { ReceivedFile } from '../../../../src/domain/file-download.ts'
import type { Identity } from '../../wire/person.ts'

/** Use of a picture in an event. Groups and statuses have many authors, who get a small share of the allowed queries. */
export type Shown = 'chat' | 'author'

/** Origin of a message, relative to a chat, and whether the sender who refers to it there wrote it. */
export type Claim = { place: 'here'; isSpeakers: boolean } | { place: 'elsewhere' | 'unknown' }

/** The account itself, or a person by any of their names. */
export type Speaker = 'account' | Iterable<string>

/** The admins of a group. */
export interface Roles {
  /** Every name of every admin, as jids without device. */
  admins: string[]
  /** Whether only admins may change the group: name, timer, pins. */
  isLocked: boolean
  /** Time at which the network reported it, in epoch ms. */
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
  /** Number of the account in digits; null if it is not known yet. */
  connectedPhone(): string | null
  /** Epoch ms; used as the time of stanzas without one. */
  now(): number
  /** Name of a contact, group or channel, by all its jids; null if unknown. */
  chatName(jids: readonly string[]): string | null
  /** URL of its picture, or null if unknown. `shown`: its use, if the picture may be queried after the event. */
  photo(jids: readonly string[], shown: Shown | null): string | null
  /**
   * A message that `about` refers to: polls, events, edited and answered messages. A message that is known to be from another chat does not match,
   * because senders choose their ids.
   */
  original(id: string, about: WAMessageKey): Promise<KnownMessage | null>
  /** Origin of the message with that id, relative to a chat with these names, and whether the sender wrote it. */
  claim(id: string, chat: Iterable<string>, sender: Speaker): Promise<Claim>
  /** Admins of a group if known, without a query. */
  roles(group: string): Promise<Roles | null>
  /** A post of a channel by the number that the network gave it, if it is stored. */
  post(newsletter: string, serverId: string): Promise<WAMessageKey | null>
  /** A sealed link to a file, or null if none can be created. */
  mediaUrl(file: ReceivedFile): string | null
  /** A content could not be translated: it is reported as unsupported, and the error is logged. */
  onProblem(error: unknown, key: WAMessageKey): void
}
