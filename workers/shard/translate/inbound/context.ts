/** What translation is given to ask: plain interfaces, so that it depends on nobody who keeps what it asks for. */
import type { proto, WAMessageKey } from '@whiskeysockets/baileys'
import type { ReceivedFile } from '../../../../src/domain/file-download.ts'
import type { Identity } from '../../wire/person.ts'

/** What an event shows the picture of. Authors of groups and statuses are many: they get little of what may be asked. */
export type Shown = 'chat' | 'author'

/** Where a message is from, seen from a chat, and whether who speaks about it there wrote it. */
export type Claim = { place: 'here'; isSpeakers: boolean } | { place: 'elsewhere' | 'unknown' }

/** Whose word it is: the account itself, or somebody by any of their names. */
export type Speaker = 'account' | Iterable<string>

/** Who is an admin of a group. */
export interface Roles {
  /** Every name of every admin, bare. */
  admins: string[]
  /** Only admins change the group: name, timer, pins. */
  isLocked: boolean
  /** When the network said so, epoch ms. */
  at: number
}

/** A message that came or went before, as far as it is still remembered. */
export interface KnownMessage {
  key: WAMessageKey
  message: proto.IMessage
}

/** What translation may ask: everything inside this process, so that no lookup can delay an event. */
export interface InboundContext {
  identity: Identity
  /** The account's own number in digits, null before it is known. */
  connectedPhone(): string | null
  /** Epoch ms: the time of what carries none. */
  now(): number
  /** Name of a contact, group or channel, by all its jids, as far as it is known, or null. */
  chatName(jids: readonly string[]): string | null
  /** Address of its picture as far as it is known, or null; `shown`: what for, where it may be asked for behind the event. */
  photo(jids: readonly string[], shown: Shown | null): string | null
  /**
   * A message that is spoken about in `about`: polls, events, edited and answered messages. One of another chat is not it, as far as that
   * is known: ids are whatever their writers choose.
   */
  original(id: string, about: WAMessageKey): Promise<KnownMessage | null>
  /** Where the message of that id is from, seen from a chat of these names, and whether the speaker wrote it. */
  claim(id: string, chat: Iterable<string>, speaker: Speaker): Promise<Claim>
  /** Admins of a group as far as they are known, without asking anybody. */
  roles(group: string): Promise<Roles | null>
  /** A post of a channel by the number the network gave it, as far as it is remembered. */
  post(newsletter: string, serverId: string): WAMessageKey | null
  /** A sealed link to a file, or null when none can be made. */
  mediaUrl(file: ReceivedFile): string | null
  /** A content that could not be told: it is reported as unsupported, and the reason goes to the log. */
  onProblem(error: unknown, key: WAMessageKey): void
}
