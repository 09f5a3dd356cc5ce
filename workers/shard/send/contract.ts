/** Types of the arguments and results of a send handler. */
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

/** Runs `make` and returns its result. If `make` was already run for the same key `wish`, returns the earlier result or throws the earlier error. */
export type Once = <T>(wish: string, make: () => Promise<T>) => Promise<T>

/** Functions for the files of a send: download, preparation and upload. */
export interface SendFiles {
  /** Folder of this thread for temporary files. */
  tempDir: string
  /** Total time limit of a download. */
  downloadMs: number
  prepare: MediaPreparation['prepare']
  /** Writes a part of the item's blob to a file. `through` transforms the bytes on the way. */
  blobTo(path: string, part: { offset: number; size: number }, through?: Through): Promise<void>
  /** Converts and uploads a file, or returns the result if this was done before the turn of the item (`ahead.ts`). */
  once: Once
  /** Returns the agent for uploads. It uses the instance's proxy, and trusts the network's media hosts. */
  uploadAgent(): HttpsAgent
  /** Returns the dispatcher for downloads of received files, through the instance's proxy. */
  files(): Dispatcher
  /** Returns the options for downloads of pictures from the network's own host, through the instance's proxy. */
  fetchOptions(): RequestInit
}

/** Recipients of a status post. If the post is deleted, the deletion must be sent to the same recipients. */
export interface Audience {
  jids: string[]
  /** True if the recipients are addressed by LID; an account without a LID uses numbers. */
  byLid: boolean
}

/** Context of a queued item that is being sent. Each of its queries has its own time limit. */
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
   * Called before a message to this chat is sent, and before its keys are committed. Throws if send safety holds the message; nothing was sent then.
   */
  leaving(jid: string): Promise<void>
  /** Called if a message was not sent after `leaving`, because its encryption keys could not be stored. */
  stayed(): void
  item: { messageId: string; operation: string; delayTyping: number }
}

/** The content of a message: for the composer of the library, or a finished protobuf. */
export type OutgoingContent = AnyMessageContent | { proto: proto.IMessage }

/** The message that the network accepted; null for an action whose message has no status. */
export interface Accepted {
  message: WAMessage | null
}
