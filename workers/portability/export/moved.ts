/**
 * Marks an instance as moved to another program in its stored state, or removes the mark. Only a command that has the
 * store for itself may do this, because a running service writes this state.
 */
import type { RuntimeState } from '../../../src/domain/instance.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createSealer } from '../../../src/storage/sealer.ts'
import { endEarlierMove } from '../../shard/lifecycle/moved.ts'
import { runtimeRecords } from '../../shard/lifecycle/runtime-record.ts'

export type StoredState = Pick<RuntimeState, 'status' | 'reason' | 'paired'>

export const stateOf = (store: Pick<StateStore, 'get'>, id: string, ringKey: Uint8Array): Promise<RuntimeState | undefined> =>
  runtimeRecords(createSealer(ringKey)).get(store, keys.runtime(id))

/**
 * The new state for each command. The next start of the service connects the instance after `resume`, but not after
 * `move`.
 */
const CHANGES = {
  move: { status: 'stopped', reason: 'moved' },
  resume: { status: 'disconnected', reason: 'connection_lost' },
} as const

export async function changeState(
  store: StateStore,
  id: string,
  ringKey: Uint8Array,
  change: keyof typeof CHANGES,
): Promise<void> {
  const records = runtimeRecords(createSealer(ringKey))
  const state = await records.get(store, keys.runtime(id))
  if (!state) return
  const changed = { ...state, ...CHANGES[change] }
  await store.commit({ ops: [records.encode(keys.runtime(id), changed), ...endEarlierMove(id, state, changed)] })
}
