/**
 * The interface between HTTP and the shards, and the plain data that crosses threads. The methods stay the same however many operations the API gets,
 * because the operations are data. No class instance, function or Error crosses threads; failures travel as data.
 */
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

/** `create`: a new instance whose session starts immediately. `boot`: the process or shard starts again; sessions that were running continue. */
export type StartHow = 'create' | 'boot'

/** `keep`: close without logging out. `erase`: log out (best effort, 5 s) and delete every record of the instance. */
export type StopHow = 'keep' | 'erase'

/** Operations that only the main thread calls; they have no route. */
interface InternalOperations {
  /** Asks the phone to upload a received file again; replies with its new path. */
  'media.askAgain': { kind: 'action'; input: ReceivedFile; reply: string }
  /** State of linking with a passkey, and the id of its ceremony. */
  'instance.passkeyState': { kind: 'control'; input: Record<string, never>; reply: PasskeyReport }
  /**
   * `instance.move` stops the instance permanently, because another program has its device, and resolves when the connection has ended. `instance.resume` starts it again.
   */
  'instance.move': { kind: 'control'; input: Record<string, never>; reply: { status: Status } }
  'instance.callOffMove': { kind: 'control'; input: Record<string, never>; reply: { status: Status } }
  /** State of a pairing, for the page of a connect link. `hasFailed`: the phone accepted the code, and the network did not link the device. */
  'instance.pairingState': { kind: 'control'; input: Record<string, never>; reply: PairingState }
  /** Ends a pairing that is under way: its QR code, phone code and passkey challenge link nothing afterwards. */
  'instance.endPairing': { kind: 'control'; input: Record<string, never>; reply: null }
  /** Returns the events after a given one, for stream readers. */
  'webhooks.eventsAfter': { kind: 'control'; input: EventsQuery; reply: EventsPage }
  /** Attempts one delivery immediately, before all waiting events; replies with the log entry after the attempt. */
  'webhooks.resend': { kind: 'control'; input: { eventId: string }; reply: LogEntry }
  /** An event of the log with its attempts, and its body while it is stored. */
  'webhooks.detail': { kind: 'control'; input: { eventId: string }; reply: LogDetail }
  'webhooks.body': { kind: 'control'; input: { eventId: string }; reply: WebhookBody }
  /** Puts the events back into the normal schedule, due now; replies with their number. */
  'webhooks.resendMany': { kind: 'control'; input: { eventIds: string[] }; reply: { queued: number } }
}

export type Operations = ShardOperations & InternalOperations
export type OperationId = keyof Operations

/** Type of a request to the operation with this id. */
export type CallOf<Id extends OperationId> = Extract<Call, { kind: Operations[Id]['kind'] }> & {
  operation: Id
  input: Operations[Id]['input']
}

export interface Engine {
  start(config: InstanceConfig, how: StartHow): Promise<RuntimeState>
  configure(config: InstanceConfig): Promise<void>
  stop(instance: string, how: StopHow): Promise<void>
  /**
   * Runs an operation in the shard that hosts the instance. Rejects with `Failure`; `engine_unavailable` if the shard is gone. Bytes of inline media
   * are transferred, so the caller's input no longer has them.
   */
  call<Id extends OperationId>(instance: string, call: CallOf<Id>, origin?: CallOrigin): Promise<Operations[Id]['reply']>
  onEvent(listener: (event: EngineEvent) => void): void
  /** Whether the listeners of `onEvent` already know the current state of the instance, so that the caller does not have to ask its shard. */
  hasTold(instance: string): boolean
  /** True if every shard is up. */
  isReady(): boolean
  /** Returns a sentence that explains why a shard is not up; undefined if all are. */
  problem(): string | undefined
  /** Ends all sessions without logging out, and their threads; after `deadlineMs` the threads are terminated. */
  close(deadlineMs: number): Promise<void>
}

const call = v.looseObject({
  kind: v.picklist(['send', 'action', 'control']),
  operation: v.string(),
}) as unknown as v.GenericSchema<Call>
const instanceConfig = v.looseObject({ id: v.string() }) as unknown as v.GenericSchema<InstanceConfig>

/** Number of the thread run that a command is for. A shard refuses a command for an earlier run of its thread. */
export const generation = v.number()

/** Commands from the main thread to a shard. */
export const commands = [
  /** Starts an instance. `key` encrypts all of its records. */
  v.object({
    generation,
    type: v.literal('start'),
    config: instanceConfig,
    how: v.picklist(['create', 'boot']),
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
  /** Answer to a `prepare` request of the shard. */
  v.object({ generation, type: v.literal('prepared'), id: v.number(), result: v.unknown() }),
  v.object({ generation, type: v.literal('close'), deadlineMs: v.number() }),
] as const

export type Result = { ok: unknown } | { err: FailureData }

/** Events from a shard to the main thread: states for its directory, outcomes of queued sends, and news for stream readers. */
export type EngineEvent =
  /** State for callers. The end of a session is announced before the resulting status is on disk. */
  | { type: 'state'; instance: string; state: RuntimeState }
  | { type: 'outcome'; svcId: string; outcome: SendEnd }
  /** New events are available that did not exist when a stream reader last asked for events. They are for stream readers. */
  | { type: 'events'; instance: string }
  /** Files that are to be copied to the bucket were recorded. */
  | { type: 'files'; instance: string }

/** A request of a shard to the media thread of the main thread: prepare a media file. The command `prepared` with the same id is the answer. */
export type ShardNeed = { type: 'prepare'; id: number; job: MediaJob }

/** Media settings of a shard: folders for waiting media and for temporary files, and the time limit of a download. */
export interface MediaSetup {
  /** Place of waiting media. */
  blobs: BlobPlace
  blobBudgetBytes: number
  /** Number of bytes of all blobs: a counter that all threads share. */
  blobsUsed: BigInt64Array
  /** Temporary folder of the whole service; each shard uses a subfolder, which is emptied when its thread run begins. */
  tempDir: string
  downloadMs: number
}

/** Network of a shard. If all fields are null it is the real one, with the library's own address, root certificate and media hosts. */
export interface NetworkOptions {
  url: string | null
  /** Public key of 32 bytes in base64, which must sign the certificate chain of the server. */
  root: string | null
  /** PEM file that is trusted for media hosts in addition to the system's authorities. */
  ca: string | null
  /** `host:port` to use in place of the library's fixed media host. */
  mediaHost: string | null
  /** `warn` logs an invalid certificate instead of refusing it, in case the real chain changes its form. */
  verify: 'strict' | 'warn'
}

/** Passed to every shard thread at its creation (`workerData`). */
export interface ShardSetup {
  shard: number
  storeUrl: string
  /** Key that encrypts links to received files. */
  linksKey: Uint8Array
  /** Number of days for which copies of received files are kept in the bucket; absent or null if there is no bucket. */
  mediaDays?: number | null | undefined
  network: NetworkOptions
  egressAllow: readonly string[]
  /** The most events of one instance that may wait for delivery; the default is in `workers/shard/webhooks/schedule.ts`. */
  outboxMax?: number | undefined
  /** The most concurrent webhook POSTs; the default is in `src/webhooks/delivery/delivery.ts`. */
  webhookConcurrency?: number | undefined
  /** Version of the web client that the operator has configured; absent for the version that this release contains. */
  webVersion?: readonly [number, number, number] | null | undefined
  /** Id of the network's GraphQL mutation that invites a channel administrator; the default is in `workers/shard/wire/mex.ts`. */
  newsletterInviteQueryId?: string | null | undefined
  /** Whether this service took over the store from a service that did not stop in order. That service may still run on another machine. */
  hasTakenOver?: boolean | undefined
  media: MediaSetup
  /** State of the disk; absent if nobody checks it and this thread is the only one that writes. */
  disk?: SharedDisk | undefined
  logging: Logging
  /** Test hook: a named step at which the thread ends the process with SIGKILL (`test/faults`). */
  killAt: string | null
}
