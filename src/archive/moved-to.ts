/**
 * Record of the archive or folder into which an instance was moved. It is written before that target gets its final
 * name and before the queue is removed here. A repeated command thus completes the move and writes no second target.
 * The commit with which a move begins or ends removes the record (`workers/shard/lifecycle/moved.ts`).
 */
import * as v from 'valibot'
import type { Op, StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import { repository } from '../storage/repository.ts'
import type { Sealer } from '../storage/sealer.ts'

export interface MovedTo {
  path: string
  /** In epoch ms; the head of an archive contains the same time. */
  made: number
}

const SCHEMA: v.GenericSchema<unknown, MovedTo> = v.object({ path: v.string(), made: v.number() })
const records = (sealed: Sealer) => repository({ name: 'target of a moved instance', schema: SCHEMA, version: 1, sealed })

export const movedTo = (store: Pick<StateStore, 'get'>, sealer: Sealer, id: string): Promise<MovedTo | undefined> =>
  records(sealer).get(store, keys.movedTo(id))

export const movedToOp = (sealer: Sealer, id: string, value: MovedTo): Op => records(sealer).encode(keys.movedTo(id), value)
