/** What a twin is given, by the way its operation was declared, and what it gives back. */
import type { Agent as HttpsAgent } from 'node:https'
import type { WAMessage } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { InstanceConfig, RuntimeState } from '../../../src/domain/instance.ts'
import type { Ranges } from '../../../src/egress/addresses.ts'
import type { Ids, Kinds, TwinContexts, Twins } from '../../../src/features/endpoint.ts'
import type { Disappearing } from '../chats/disappearing.ts'
import type { Recent } from '../chats/recent.ts'
import type { SavedContacts } from '../chats/saved-contacts.ts'
import type { Pairing } from '../connection/pairing.ts'
import type { Session } from '../connection/session.ts'
import type { MediaDesk } from '../media/desk.ts'
import type { Queue } from '../queue/contract.ts'
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

/** An immediate operation on a connected instance. */
export interface ActionContext {
  session: Session
  recent: Recent
  state: RuntimeState
}

/** The instance itself, in any state. */
export interface ControlContext {
  readonly config: InstanceConfig
  readonly state: RuntimeState
  readonly queue: Queue
  readonly pairing: Pairing
  /** The running session, null while none runs. */
  readonly session: Session | null
  request(what: 'restartRequested' | 'qrRequested' | 'disconnectRequested'): Promise<RuntimeState>
}

/** What the network accepted: the message, or null when it was nothing that has a status of its own. */
export interface Accepted {
  message: WAMessage | null
}

export interface Contexts extends TwinContexts {
  send: SendContext
  action: ActionContext
  control: ControlContext
  sent: Accepted
}

/** `F` is `typeof import('…/features/x.ts')`: leave a twin out and it does not compile. */
export type Operations<F> = Twins<F, Contexts>

/** The operationId and kind of each twin, held against the declarations by the compiler. */
export type Names<F> = { [K in keyof Operations<F>]: readonly [Kinds<F>[K & keyof Kinds<F>], Ids<F>[K & keyof Ids<F>]] }
