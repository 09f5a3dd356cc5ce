/** The interface between HTTP and the shard threads. Plain data and bytes cross threads, but no function or Error. */
import * as v from 'valibot'
import type { BlobPlace } from '../domain/blob-place.ts'
import type { Call, CallOrigin } from '../domain/call.ts'
import type { SharedDisk } from '../domain/disk.ts'
import type { FailureData } from '../domain/failures.ts'
import type { ReceivedFile } from '../domain/file-download.ts'
import type { InstanceConfig, RuntimeState, Status } from '../domain/instance.ts'
import type { Logging } from '../domain/log.ts'
import type { MediaJob } from '../domain/media-job.ts'
import type { PairingState } from '../domain/pairing-state.ts'
import type { PasskeyReport } from '../domain/passkey.ts'
import type { SendEnd } from '../domain/send-outcome.ts'
import type { EventsPage, EventsQuery } from '../domain/server-events.ts'
import type { LogDetail, LogEntry, WebhookBody } from '../domain/webhook-log.ts'
import type { ShardOperations } from '../features/index.ts'

/**
 * `create`: a new instance. `boot`: the process or thread starts again, and its sessions continue. `takeover`: as
 * `boot`, for an instance of a service that has failed and may still run somewhere.
 */
export const START_HOWS = ['create', 'boot', 'takeover'] as const
export type StartHow = (typeof START_HOWS)[number]

/**
 * `keep`: close without a logout; when the stop resolves, no thread can write records of the instance. `erase`: log out
 * (best effort, 5 s) and delete the records of the instance.
 */
export type StopHow = 'keep' | 'erase'

/** Operations without a route of their own. Code of the main thread calls them. */
interface InternalOperations {
  'media.askAgain': { kind: 'action'; input: ReceivedFile; reply: string }
  'instance.passkeyState': { kind: 'control'; input: Record<string, never>; reply: PasskeyReport }
  /**
   * `instance.move` stops the instance, because another program has its device. `instance.callOffMove` starts it again.
   */
  'instance.move': { kind: 'control'; input: Record<string, never>; reply: { status: Status } }
  'instance.callOffMove': { kind: 'control'; input: Record<string, never>; reply: { status: Status } }
  'instance.pairingState': { kind: 'control'; input: Record<string, never>; reply: PairingState }
  /** Ends a running pairing, so that its QR code, phone code and passkey challenge link nothing. */
  'instance.endPairing': { kind: 'control'; input: Record<string, never>; reply: null }
  'webhooks.eventsAfter': { kind: 'control'; input: EventsQuery; reply: EventsPage }
  /** Delivers one event immediately, before all waiting events; replies with its log entry. */
  'webhooks.resend': { kind: 'control'; input: { eventId: string }; reply: LogEntry }
  'webhooks.detail': { kind: 'control'; input: { eventId: string }; reply: LogDetail }
  'webhooks.body': { kind: 'control'; input: { eventId: string }; reply: WebhookBody }
  /** Puts the events back into the normal schedule, due now; replies with their number. */
  'webhooks.resendMany': { kind: 'control'; input: { eventIds: string[] }; reply: { queued: number } }
}

export type Operations = ShardOperations & InternalOperations
export type OperationId = keyof Operations

export type CallOf<Id extends OperationId> = Extract<Call, { kind: Operations[Id]['kind'] }> & {
  operation: Id
  input: Operations[Id]['input']
}

/** How a call behaves while the start of its instance waits in the line of starts. */
export interface CallerPatience {
  /** If false, the call is refused at once, and does not move the start ahead. True by default. */
  waits?: boolean
  /** Workspace of the call. Workspaces whose instances are called take turns in the line. */
  workspace?: string | undefined
  /** Ends the wait if it is aborted; the call is then not carried out. */
  readonly signal?: AbortSignal
  /** Checks the caller's permission again after the wait. Throws if the caller has lost it. */
  checkAgain?: (() => void) | undefined
}

export interface Engine {
  start(config: InstanceConfig, how: StartHow): Promise<RuntimeState>
  configure(config: InstanceConfig): Promise<void>
  stop(instance: string, how: StopHow): Promise<void>
  /**
   * Runs an operation in the shard thread of the instance. Rejects with `Failure`; `engine_unavailable` if the thread
   * is gone. Bytes of inline media may be transferred, so the caller's input may no longer have them.
   *
   * If the start of the instance waits in line, the call moves it ahead and waits for up to three seconds. If the start
   * is due later, the call rejects at once with `engine_unavailable` and the reason `not_started`.
   */
  call<Id extends OperationId>(
    instance: string,
    call: CallOf<Id>,
    origin?: CallOrigin,
    patience?: CallerPatience,
  ): Promise<Operations[Id]['reply']>
  onEvent(listener: (event: EngineEvent) => void): void
  /** Whether `onEvent` has reported the current state of the instance, so that its shard thread need not be asked. */
  hasTold(instance: string): boolean
  /**
   * Returns the state of an instance of another service, as `onEvent` has reported it last. The method is absent
   * outside of a cluster.
   */
  stateOf?(instance: string): RuntimeState | undefined
  isReady(): boolean
  /** Says for how long a shard thread has not been up; undefined if all are up. */
  problem(): string | undefined
  /** Ends all sessions without a logout. After `deadlineMs` the threads are terminated. */
  close(deadlineMs: number): Promise<void>
}

const call = v.looseObject({
  kind: v.picklist(['send', 'action', 'control']),
  operation: v.string(),
}) as unknown as v.GenericSchema<Call>
const instanceConfig = v.looseObject({ id: v.string() }) as unknown as v.GenericSchema<InstanceConfig>

/** Number of the run of a shard thread. A thread refuses commands that were meant for an earlier run of it. */
export const generation = v.number()

export const commands = [
  v.object({
    generation,
    type: v.literal('start'),
    config: instanceConfig,
    how: v.picklist(START_HOWS),
    key: v.instance(Uint8Array) as v.GenericSchema<Uint8Array>,
  }),
  v.object({ generation, type: v.literal('configure'), config: instanceConfig }),
  v.object({ generation, type: v.literal('stop'), instance: v.string(), how: v.picklist(['keep', 'erase']) }),
  v.object({
    generation,
    type: v.literal('call'),
    instance: v.string(),
    call,
    origin: v.object({ idempotencyKey: v.optional(v.string()), requestId: v.optional(v.string()) }),
  }),
  /** The answer to a `prepare` request of the shard thread. */
  v.object({ generation, type: v.literal('prepared'), id: v.number(), result: v.unknown() }),
  v.object({ generation, type: v.literal('close'), deadlineMs: v.number() }),
] as const

export type Result = { ok: unknown } | { err: FailureData }

export type EngineEvent =
  /** The state of an instance. The end of a session is announced before the resulting status is on disk. */
  | { type: 'state'; instance: string; state: RuntimeState }
  | { type: 'outcome'; svcId: string; outcome: SendEnd }
  | { type: 'events'; instance: string }
  | { type: 'files'; instance: string }

/** Asks the main thread to have a media file prepared. The command `prepared` with the same id is the answer. */
export type ShardNeed = { type: 'prepare'; id: number; job: MediaJob }

export interface MediaSetup {
  blobs: BlobPlace
  blobBudgetBytes: number
  blobsUsed: BigInt64Array
  /**
   * Temporary folder of the whole service; each shard thread uses a subfolder, which is emptied when the thread begins.
   */
  tempDir: string
  downloadMs: number
}

/** Options of the network. Null in a field means the value of the real network. */
export interface NetworkOptions {
  url: string | null
  /** Public key of 32 bytes in base64, with which the certificates of the server are verified. */
  root: string | null
  /** PEM file that is trusted for media hosts in addition to the authorities that Node contains. */
  ca: string | null
  /** `host:port` that replaces the media host of WhatsApp. */
  mediaHost: string | null
  /** `warn` logs an invalid certificate instead of refusing it, in case the real chain changes its form. */
  verify: 'strict' | 'warn'
}

export interface ShardSetup {
  shard: number
  storeUrl: string
  linksKey: Uint8Array
  /** Days for which copies of received files stay in the bucket; absent or null if there is no bucket. */
  mediaDays?: number | null | undefined
  network: NetworkOptions
  egressAllow: readonly string[]
  /** Maximum number of events of one instance that may wait for delivery; absent for the default. */
  outboxMax?: number | undefined
  /**
   * Maximum number of instances per second that begin their next attempt when another instance has reached the network;
   * absent for the default.
   */
  startsPerSecond?: number | undefined
  /** Maximum number of concurrent webhook requests of this thread; absent for the default. */
  webhookConcurrency?: number | undefined
  /** Version of the WhatsApp web client that the operator has set; absent for the default of this release. */
  webVersion?: readonly [number, number, number] | null | undefined
  /** Id of WhatsApp's GraphQL mutation that invites a channel administrator; absent for the default. */
  newsletterInviteQueryId?: string | null | undefined
  /** Lease of this process (`SharedLease`). Absent if nobody can replace this process while it runs. */
  lease?: BigInt64Array | undefined
  media: MediaSetup
  /** State of the disk. Absent if nobody checks the disk and this thread is the only one that writes. */
  disk?: SharedDisk | undefined
  logging: Logging
  /** For tests: the step at which the thread ends the process with SIGKILL. */
  killAt: string | null
}
