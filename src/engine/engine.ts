/**
 * The one small interface between HTTP and the shards, and the plain data that crosses threads. However many operations the API
 * gets, these methods stay: the vocabulary is data. No class instance, function or Error crosses; failures travel as data.
 */
import * as v from 'valibot'
import type { Call } from '../domain/call.ts'
import type { SharedDisk } from '../domain/disk.ts'
import type { FailureData } from '../domain/failures.ts'
import type { ReceivedFile } from '../domain/file-download.ts'
import type { InstanceConfig, RuntimeState } from '../domain/instance.ts'
import type { Logging } from '../domain/log.ts'
import type { MediaJob } from '../domain/media-job.ts'
import type { ShardOperations } from '../features/index.ts'

/**
 * `create`: a new instance; its session starts at once (states.md rows 1 and 2).
 * `boot`: the process or shard starts again; what was running continues (rows 32 and 33).
 */
export type StartHow = 'create' | 'boot'

/** `keep`: close without logging out; `erase`: log out (best effort, 5 s) and delete every record of the instance (row 34). */
export type StopHow = 'keep' | 'erase'

/** What a shard is asked by main alone: no route leads to it. */
interface InternalOperations {
  /** The phone is asked to upload a received file again; the answer is where it lies now. */
  'media.askAgain': { kind: 'action'; input: ReceivedFile; reply: string }
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
  call<Id extends OperationId>(instance: string, call: CallOf<Id>, idempotencyKey?: string): Promise<Operations[Id]['reply']>
  onEvent(listener: (event: EngineEvent) => void): void
  /** True when every shard is up. */
  isReady(): boolean
  /** Ends every session without logging out and the threads with them; after `deadlineMs` it ends them as they are. */
  close(deadlineMs: number): Promise<void>
}

const call = v.looseObject({
  kind: v.picklist(['send', 'action', 'control']),
  operation: v.string(),
}) as unknown as v.GenericSchema<Call>
const instanceConfig = v.looseObject({ id: v.string() }) as unknown as v.GenericSchema<InstanceConfig>

/** What main says to a shard. The generation is the shard's life number: a command of an older life is refused. */
export const Command = v.intersect([
  v.object({ generation: v.number() }),
  v.variant('type', [
    /** `key`: what seals everything of the instance at rest. */
    v.object({
      type: v.literal('start'),
      config: instanceConfig,
      how: v.picklist(['create', 'boot']),
      key: v.instance(Uint8Array) as v.GenericSchema<Uint8Array>,
    }),
    v.object({ type: v.literal('configure'), config: instanceConfig }),
    v.object({ type: v.literal('stop'), instance: v.string(), how: v.picklist(['keep', 'erase']) }),
    v.object({
      type: v.literal('call'),
      instance: v.string(),
      call,
      idempotencyKey: v.optional(v.string()),
    }),
    /** What came of a `prepare` of the shard. */
    v.object({ type: v.literal('prepared'), id: v.number(), result: v.unknown() }),
    v.object({ type: v.literal('close'), deadlineMs: v.number() }),
  ]),
])
export type Command = v.InferOutput<typeof Command>

export type Result = { ok: unknown } | { err: FailureData }

/** What a shard tells main without being asked: all that main's directory must know. */
export type EngineEvent = { type: 'state'; instance: string; state: RuntimeState }

/** What a shard asks of the threads that main has: a medium to be made ready. The answer is the command `prepared` with the same id. */
export type ShardNeed = { type: 'prepare'; id: number; job: MediaJob }

/** Media of a shard: where it waits, where it is worked on, how long it may take to come. */
export interface MediaSetup {
  blobsDir: string
  blobBudgetBytes: number
  /** Bytes of all blobs, counted by all threads together. */
  blobsUsed: BigInt64Array
  /** Of the whole service; each shard takes a folder in it, emptied when its life begins. */
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
  /** Web client version the operator wants to be named; absent: ours. */
  webVersion?: readonly [number, number, number] | null | undefined
  /** Number of the network's mutation that invites to run a channel; absent: not known. */
  newsletterInviteQueryId?: string | null | undefined
  media: MediaSetup
  /** How full the disk is; absent: nobody looks, and the thread is the only one that writes. */
  disk?: SharedDisk | undefined
  logging: Logging
  /** Test hook: a named step at which the thread ends the process with SIGKILL (`test/faults`). */
  killAt: string | null
}
