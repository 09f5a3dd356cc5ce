import type { Agent as HttpsAgent } from 'node:https'
import type { AnyMessageContent, proto, WAMessage } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Dispatcher } from 'undici'
import type { Through } from '../../../src/domain/bytes.ts'
import type { Ranges } from '../../../src/egress/addresses.ts'
import type { BoundedCache } from '../../../src/lib/bounded-cache.ts'
import type { Disappearing } from '../chats/disappearing.ts'
import type { SavedContacts } from '../chats/saved-contacts.ts'
import type { Asker } from '../chats/session.ts'
import type { MediaPreparation } from '../media/media-preparation.ts'
import type { KnownMessages } from '../messages/known-messages.ts'
import type { MessageLedger } from '../messages/message-ledger.ts'

/**
 * Returns the result for the key `wish`: the one that was prepared ahead, or else that of `make`. Rejects if the item
 * caused the preparation to fail; after any other failure `make` is called.
 */
export type Once = <T>(wish: string, make: () => Promise<T>) => Promise<T>

export interface SendFiles {
  tempDir: string
  downloadMs: number
  prepare: MediaPreparation['prepare']
  blobTo(path: string, part: { offset: number; size: number }, through?: Through): Promise<void>
  /** Returns the file that was prepared ahead under this key, or prepares it. */
  once: Once
  /** Returns an agent that uses the instance's proxy, and trusts the network's media hosts. */
  uploadAgent(): HttpsAgent
  files(): Dispatcher
  fetchOptions(): RequestInit
}

/** The recipients of a status post. If the post is deleted, the deletion must be sent to the same recipients. */
export interface Audience {
  jids: string[]
  byLid: boolean
}

export interface SendContext extends Asker {
  messages: KnownMessages & Pick<MessageLedger, 'sent'>
  contacts: SavedContacts
  disappearing: Pick<Disappearing, 'of'>
  /** Audiences of the latest status posts, by message id. */
  audiences: BoundedCache<string, Audience>
  log: Logger
  egressAllow: Ranges
  media: SendFiles
  now(): number
  /** Rejects if the message must wait. Must be called before the message's keys are committed. */
  leaving(jid: string): Promise<void>
  /** Called if a message was not sent after `leaving`, because its encryption keys could not be stored. */
  stayed(): void
  item: { messageId: string; operation: string; delayTyping: number }
}

export type OutgoingContent = AnyMessageContent | { proto: proto.IMessage }

export interface Accepted {
  message: WAMessage | null
}
