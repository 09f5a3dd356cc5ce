/** Input and output of a send handler. */
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

/** Returns the result of `make`. If `make` has already run for the same `wish`, its earlier result is returned or its earlier error is thrown. */
export type Once = <T>(wish: string, make: () => Promise<T>) => Promise<T>

/** Functions for the files of a send: download, preparation and upload. */
export interface SendFiles {
  /** Folder of this thread for temporary files. */
  tempDir: string
  /** Total time limit of a download. */
  downloadMs: number
  prepare: MediaPreparation['prepare']
  /** Writes a part of the item's blob to a file, after `through` has transformed it. */
  blobTo(path: string, part: { offset: number; size: number }, through?: Through): Promise<void>
  /** Converts and uploads a file, unless this was already done before the turn of the item (`ahead.ts`). */
  once: Once
  /** Returns the agent for uploads. It uses the instance's proxy, and trusts the network's media hosts. */
  uploadAgent(): HttpsAgent
  /** Returns the dispatcher for files of received messages, over the same route. */
  files(): Dispatcher
  /** Returns the options for pictures on the network's own host, over the same route. */
  fetchOptions(): RequestInit
}

/** Recipients of a status post. A deletion of the post must be sent to the same recipients. */
export interface Audience {
  jids: string[]
  /** True if the recipients are addressed by LID; an account without a LID uses numbers. */
  byLid: boolean
}

/** Context of a queued item that is due. Each of its queries has the deadline of a query. */
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
  /**
   * Called before a message to this chat is sent, and before the commit of its keys. Throws if send safety holds the message, which has then not left.
   */
  leaving(jid: string): Promise<void>
  /** Called if a message to a person has not left after all, because the keys of its encryption could not be stored. */
  stayed(): void
  item: { messageId: string; operation: string; delayTyping: number }
}

/** Content for the library's composer, or a finished protobuf. */
export type OutgoingContent = AnyMessageContent | { proto: proto.IMessage }

/** The message that the network accepted, or null for an action that has no status. */
export interface Accepted {
  message: WAMessage | null
}
