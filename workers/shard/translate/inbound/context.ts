/** Interfaces of the look-ups, so that the translation does not depend on the storage. */
import type { proto, WAMessageKey } from '@whiskeysockets/baileys'
import type { ReceivedFile } from '../../../../src/domain/file-download.ts'
import type { Identity } from '../../wire/person.ts'

/**
 * Kind of a picture in an event. Pictures of authors may use only few queries, because groups and status posts have
 * many authors.
 */
export type Shown = 'chat' | 'author'

/**
 * Whether the referenced message was written in the same chat, and whether the person who refers to it is its author.
 */
export type Claim = { place: 'here'; isSpeakers: boolean } | { place: 'elsewhere' | 'unknown' }

export type Speaker = 'account' | Iterable<string>

export interface Roles {
  /** Jids of every admin without a device part: number and LID, as far as known. */
  admins: string[]
  /** Whether only admins may change the name, the timer and the pins of the group. */
  isLocked: boolean
  /** Time at which the network reported these facts, in epoch ms. */
  at: number
}

export interface KnownMessage {
  key: WAMessageKey
  message: proto.IMessage
}

/** Look-ups for the translation. None of them queries the network, because an event must not wait for an answer. */
export interface InboundContext {
  identity: Identity
  connectedPhone(): string | null
  /** Epoch ms; used as the time of stanzas that have none. */
  now(): number
  chatName(jids: readonly string[]): string | null
  /**
   * Returns the URL of a picture, or null if it is unknown. An unknown picture may be queried after the event, unless
   * `shown` is null.
   */
  photo(jids: readonly string[], shown: Shown | null): string | null
  /**
   * Finds the message to which another message refers. A message of another chat is not returned, because senders
   * choose message ids.
   */
  original(id: string, about: WAMessageKey): Promise<KnownMessage | null>
  /** Checks whether the message belongs to the chat with these jids, and whether this sender wrote it. */
  claim(id: string, chat: Iterable<string>, sender: Speaker): Promise<Claim>
  /** Returns the roles in a group, or null if the administrators are not known here. Makes no query. */
  roles(group: string): Promise<Roles | null>
  post(newsletter: string, serverId: string): Promise<WAMessageKey | null>
  /** Returns an encrypted link to a file; null if no link can be created. */
  mediaUrl(file: ReceivedFile): string | null
  /** Called if the translation of a message has failed, or that of the change that a message makes. */
  onProblem(error: unknown, key: WAMessageKey): void
}
