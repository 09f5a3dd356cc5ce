/**
 * The supervisor's own commands to a shard, in addition to those of the engine. `hello` is the first command of a thread run. A thread refuses
 * commands before it, so a new thread does not accept work that was meant for the previous run.
 */
import type { MessagePort } from 'node:worker_threads'
import * as v from 'valibot'
import { commands, generation, type ShardSetup } from './engine.ts'
import type { Announced } from './thread-messages.ts'

export const ShardCommand = v.variant('type', [
  ...commands,
  v.object({ generation, type: v.literal('hello') }),
  v.object({ generation, type: v.literal('ping') }),
  /** Requests the number of waiting events and of deliveries of each instance; sent while somebody watches them. */
  v.object({ generation, type: v.literal('survey') }),
  /** Test hook, refused unless the thread was created with `allowCrash`: dies from an uncaught error, an exit, a full heap or an endless loop. */
  v.object({ generation, type: v.literal('crash'), how: v.picklist(['throw', 'exit', 'heap', 'spin']) }),
])
export type ShardCommand = v.InferOutput<typeof ShardCommand>

type WithoutGeneration<C> = C extends unknown ? Omit<C, 'generation'> : never
export type ShardRequest = WithoutGeneration<ShardCommand>
export type CrashHow = Extract<ShardCommand, { type: 'crash' }>['how']

/** `workerData` of a shard thread. */
export interface ThreadData extends ShardSetup {
  allowCrash: boolean
}

/** The only task of a shard thread, which lasts as long as the thread. */
export interface ThreadTask {
  /** Port for both directions between the thread and the main thread; its messages are the lists of `thread-messages.ts`. */
  port: MessagePort
  announced: Announced
}
