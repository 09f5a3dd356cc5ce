/**
 * The one small interface between HTTP and the shards, and the plain data that crosses threads. However many operations the API
 * gets, these methods stay: the vocabulary is data. No class instance, function or Error crosses; failures travel as data.
 */
import * as v from 'valibot'
import type { Call, CallOrigin } from '../domain/call.ts'
import type { SharedDisk } from '../domain/disk.ts'
import type { FailureData } from '../domain/failures.ts'
import type { ReceivedFile } from '../domain/file-download.ts'
import type { InstanceConfig, RuntimeState, Status } from '../domain/instance.ts'
import type { Logging } from '../domain/log.ts'
import type { MediaJob } from '../domain/media-job.ts'
import type { PasskeyReport } from '../domain/passkey.ts'
import type { SendEnd } from '../domain/send-outcome.ts'
import type { EventsPage, EventsQuery } from '../domain/server-events.ts'
import type { LogDetail, LogEntry, WebhookBody } from '../domain/webhook-log.ts'
import type { ShardOperations } from '../features/index.ts'

/**
 * `create`: a new instance; its session starts at once (states.md rows 1 and 2).
 * `boot`: the process or shard starts again; what was running continues (rows 32 and 33).
 */
export type StartHow = 'create' | 'boot'

/** `keep`: close without logging out; `erase`: log out (best effort, 5 s) and delete every record of the instance (row 34). */
export type StopHow = 'keep' | 'erase'

/** Operations that only main calls: no route leads to them. */
interface InternalOperations {
  /** Asks the phone to upload a received file again; replies with its new path. */
  'media.askAgain': { kind: 'action'; input: ReceivedFile; reply: string }
  /** The state of linking with a passkey, and which ceremony it is of. */
  'instance.passkeyState': { kind: 'control'; input: Record<string, never>; reply: PasskeyReport }
  /** Stops the instance for good because another program has its device, or starts it again. Resolves when the connection has ended. */
  'instance.move': { kind: 'control'; input: Record<string, never>; reply: { status: Status } }
  'instance.resume': { kind: 'control'; input: Record<string, never>; reply: { status: Status } }
  /** The events after a given one, for the readers of a stream. */
  'webhooks.eventsAfter': { kind: 'control'; input: EventsQuery; reply: EventsPage }
  /** One attempt now, before everything else; the entry of the log after it. */
  'webhooks.resend': { kind: 'control'; input: { eventId: string }; reply: LogEntry }
  /** An event of the log with its attempts, and the body of one while it is kept. */
  'webhooks.detail': { kind: 'control'; input: { eventId: string }; reply: LogDetail }
  'webhooks.body': { kind: 'control'; input: { eventId: string }; reply: WebhookBody }
  /** Back into the normal schedule, due now: how many of them there were. */
  'webhooks.resendMany': { kind: 'control'; input: { eventIds: string[] }; reply: { queued: number } }
}

export type Operations = ShardOperations & InternalOperations
export type OperationId = keyof Operations

/** A request to one operation, held by its id. */
export type CallOf<Id extends OperationId> = Extract<Call, { kind: Operations[Id]['kind'] }> & {
  operation: Id
  input: Operations[Id]['input']
}

export interface Engine {
  start(config: InstanceConfig, how: StartHow): Promise<RuntimeState>
  configure(config: InstanceConfig): Promise<void>
  stop(instance: string, how: StopHow): Promise<void>
  /**
   * Carries out an operation in the shard that hosts the instance. Rejects with `Failure`; `engine_unavailable` when the shard is gone.
   * Bytes of inline media are moved there: the caller's input no longer has them.
   */
  call<Id extends OperationId>(instance: string, call: CallOf<Id>, origin?: CallOrigin): Promise<Operations[Id]['reply']>
  onEvent(listener: (event: EngineEvent) => void): void
  /** The listeners of `onEvent` have been given the state that the instance has now: its shard need not be asked for it. */
  hasTold(instance: string): boolean
  /** True when every shard is up. */
  isReady(): boolean
  /** The reason, as a sentence, for which a shard is not up; undefined when every shard is. */
  problem(): string | undefined
  /** Ends every session without logging out and the threads with them; after `deadlineMs` it ends them as they are. */
  close(deadlineMs: number): Promise<void>
}

const call = v.looseObject({
  kind: v.picklist(['send', 'action', 'control']),
  operation: v.string(),
}) as unknown as v.GenericSchema<Call>
const instanceConfig = v.looseObject({ id: v.string() }) as unknown as v.GenericSchema<InstanceConfig>

/** Of the thread run that a command is for: one for an earlier run is refused. */
export const generation = v.number()

/** Commands from main to a shard. */
export const commands = [
  /** `key` seals all records of the instance at rest. */
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
  /** The result of a `prepare` request of the shard. */
  v.object({ generation, type: v.literal('prepared'), id: v.number(), result: v.unknown() }),
  v.object({ generation, type: v.literal('close'), deadlineMs: v.number() }),
] as const

export type Result = { ok: unknown } | { err: FailureData }

/** Events that a shard sends to main: the state for main's directory, the outcome of every queued send, and news for readers of streams. */
export type EngineEvent =
  /** As callers see it: a session that has ended is announced before the status that follows from it is on disk. */
  | { type: 'state'; instance: string; state: RuntimeState }
  | { type: 'outcome'; svcId: string; outcome: SendEnd }
  /** There are new events since the readers of a stream last asked. */
  | { type: 'events'; instance: string }

/** A request of a shard to main's media thread: prepare a medium. The answer is the command `prepared` with the same id. */
export type ShardNeed = { type: 'prepare'; id: number; job: MediaJob }

/** Media of a shard: folders for waiting media and for work, and the time a download may take. */
export interface MediaSetup {
  blobsDir: string
  blobBudgetBytes: number
  /** Bytes of all blobs, counted by all threads together. */
  blobsUsed: BigInt64Array
  /** Folder of the whole service; each shard takes a subfolder, emptied when its thread run begins. */
  tempDir: string
  downloadMs: number
}

/** How a shard finds the network. All null: the real one, with the library's own address, certificate root and media hosts. */
export interface NetworkOptions {
  url: string | null
  /** base64 of the 32-byte key that must sign the server's certificate chain. */
  root: string | null
  /** PEM trusted for media hosts besides the system's. */
  ca: string | null
  /** `host:port` used where the library would go to its fixed media host. */
  mediaHost: string | null
  /** `warn` logs a certificate that does not verify instead of refusing it, for the day the real chain changes shape. */
  verify: 'strict' | 'warn'
}

/** Given to every shard thread when it is made (`workerData`). */
export interface ShardSetup {
  shard: number
  storeUrl: string
  /** Seals links to received files. */
  linksKey: Uint8Array
  network: NetworkOptions
  egressAllow: readonly string[]
  /** Events of one instance that may wait to be delivered; absent: as `workers/shard/webhooks/schedule.ts` has it. */
  outboxMax?: number | undefined
  /** POSTs of webhooks in flight at once; absent: as `src/webhooks/delivery/delivery.ts` has it. */
  webhookConcurrency?: number | undefined
  /** Web client version the operator wants to be named; absent: ours. */
  webVersion?: readonly [number, number, number] | null | undefined
  /** Number of the network's mutation that invites to run a channel; absent: as `workers/shard/wire/mex.ts` has it. */
  newsletterInviteQueryId?: string | null | undefined
  media: MediaSetup
  /** How full the disk is; absent: nobody looks, and the thread is the only one that writes. */
  disk?: SharedDisk | undefined
  logging: Logging
  /** Test hook: a named step at which the thread ends the process with SIGKILL (`test/faults`). */
  killAt: string | null
}
