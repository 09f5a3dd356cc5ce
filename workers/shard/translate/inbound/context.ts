/** The lookups of translation: plain interfaces, so that it does not depend on the files that keep the data. */
import type { proto, WAMessageKey } from '@whiskeysockets/baileys'
import type { ReceivedFile } from '../../../../src/domain/file-download.ts'
import type { Identity } from '../../wire/person.ts'

/** Whose picture an event shows. Groups and statuses have many authors, who get a small share of the allowed requests. */
export type Shown = 'chat' | 'author'

/** Where a message is from, seen from a chat, and whether the sender who refers to it there wrote it. */
export type Claim = { place: 'here'; isSpeakers: boolean } | { place: 'elsewhere' | 'unknown' }

/** The account itself, or a person by any of their names. */
export type Speaker = 'account' | Iterable<string>

/** The admins of a group. */
export interface Roles {
  /** Every name of every admin, bare. */
  admins: string[]
  /** Only admins change the group: name, timer, pins. */
  isLocked: boolean
  /** When the network reported it, epoch ms. */
  at: number
}

/** A message that came or went before, as far as it is still remembered. */
export interface KnownMessage {
  key: WAMessageKey
  message: proto.IMessage
}

/** The lookups of translation: all inside this process, so that none can delay an event. */
export interface InboundContext {
  identity: Identity
  /** The account's own number in digits, null before it is known. */
  connectedPhone(): string | null
  /** Epoch ms: the time of what carries none. */
  now(): number
  /** Name of a contact, group or channel, by all its jids, as far as it is known, or null. */
  chatName(jids: readonly string[]): string | null
  /** Address of its picture, or null if unknown; `shown`: its use, where the picture may be requested after the event. */
  photo(jids: readonly string[], shown: Shown | null): string | null
  /**
   * A message that `about` refers to: polls, events, edited and answered messages. A message of another chat is not it, as far as that is
   * known: senders choose their ids.
   */
  original(id: string, about: WAMessageKey): Promise<KnownMessage | null>
  /** Where the message of that id is from, seen from a chat of these names, and whether the sender wrote it. */
  claim(id: string, chat: Iterable<string>, sender: Speaker): Promise<Claim>
  /** Admins of a group as far as they are known, without a query. */
  roles(group: string): Promise<Roles | null>
  /** A post of a channel by the number the network gave it, as far as it is remembered. */
  post(newsletter: string, serverId: string): Promise<WAMessageKey | null>
  /** A sealed link to a file, or null when none can be made. */
  mediaUrl(file: ReceivedFile): string | null
  /** A content that could not be translated: it is reported as unsupported, and the reason goes to the log. */
  onProblem(error: unknown, key: WAMessageKey): void
}
