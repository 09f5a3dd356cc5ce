/**
 * Commands to a shard thread. `hello` begins a thread run and contains the setup. Before `hello`, a thread answers only
 * `loaded`, because the threads of a standby are started before the store may be opened.
 */
import type { MessagePort } from 'node:worker_threads'
import * as v from 'valibot'
import { commands, generation, type ShardSetup } from './engine.ts'
import type { Announced } from './thread-messages.ts'

const setup = v.looseObject({ storeUrl: v.string() }) as unknown as v.GenericSchema<ShardSetup>

export const ShardCommand = v.variant('type', [
  ...commands,
  /** Answered as soon as the thread has loaded its code. */
  v.object({ generation, type: v.literal('loaded') }),
  v.object({ generation, type: v.literal('hello'), setup }),
  v.object({ generation, type: v.literal('ping') }),
  v.object({ generation, type: v.literal('survey') }),
  /** Ends the thread in tests. The command is refused without `allowCrash`. */
  v.object({ generation, type: v.literal('crash'), how: v.picklist(['throw', 'exit', 'heap', 'spin']) }),
])
export type ShardCommand = v.InferOutput<typeof ShardCommand>

type WithoutGeneration<C> = C extends unknown ? Omit<C, 'generation'> : never
export type ShardRequest = WithoutGeneration<ShardCommand>
export type CrashHow = Extract<ShardCommand, { type: 'crash' }>['how']

/** Values that the thread has before it gets `hello`. */
export interface ThreadData extends Pick<ShardSetup, 'shard' | 'logging'> {
  allowCrash: boolean
}

export interface ThreadTask {
  port: MessagePort
  announced: Announced
}
