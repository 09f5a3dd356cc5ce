/** What the handler of a send is given, and what it gives back. */
import type { Agent as HttpsAgent } from 'node:https'
import type { WAMessage } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Ranges } from '../../../src/egress/addresses.ts'
import type { Disappearing } from '../chats/disappearing.ts'
import type { Recent } from '../chats/recent.ts'
import type { SavedContacts } from '../chats/saved-contacts.ts'
import type { Session } from '../chats/session.ts'
import type { MediaDesk } from '../media/desk.ts'
import type { Sent } from '../retry/sent.ts'

/** Files of a send: where they come from, who makes them ready, how they leave. */
export interface SendFiles {
  /** Folder of this thread for files that are being worked on. */
  tempDir: string
  /** For a download, everything together. */
  downloadMs: number
  prepare: MediaDesk['prepare']
  /** Writes a part of the item's blob into a file. */
  blobTo(path: string, part: { offset: number; size: number }): Promise<void>
  /** Through the instance's proxy, trusting the network's media hosts. */
  uploadAgent(): HttpsAgent
  /** For downloads from the network's file hosts, the same way. */
  fetchOptions(): RequestInit
}

/** A queued item whose turn has come. */
export interface SendContext {
  session: Session
  recent: Recent
  sent: Sent
  contacts: SavedContacts
  disappearing: Pick<Disappearing, 'of'>
  log: Logger
  egressAllow: Ranges
  media: SendFiles
  /** Number of the mutation that invites to run a channel; null: not configured. */
  newsletterInviteQueryId: string | null
  now(): number
  item: { messageId: string; operation: string; delayTyping: number }
}

/** What the network accepted: the message, or null when it was nothing that has a status of its own. */
export interface Accepted {
  message: WAMessage | null
}
