/** Shared part of `instance export` and `instance resume`: marks an instance as moved, while the service runs or in its place. */
import { setTimeout as pause } from 'node:timers/promises'
import type { StoredState } from '../../workers/portability/export/moved.ts'
import type { Config } from '../config.ts'
import { answerTo, type OrderName, orderOps, withdrawnOrder } from '../directory/orders.ts'
import { SECOND } from '../domain/clock.ts'
import { visitOwner } from '../storage/owner.ts'
import { keys } from '../storage/record-keys.ts'
import { type Stored, withOwnStore, withStore } from './stored.ts'

/** Time in which the service has to carry an order out; ending a connection takes a few seconds. */
const ANSWER_MS = 60 * SECOND
const LOOK_AGAIN_MS = 100

export interface FoundInstance {
  id: string
  ringKey: Uint8Array
  state: StoredState
}

/** Throws where `id` names no instance, or one that is not linked. */
async function find({ store, keyOf }: Stored, id: string): Promise<FoundInstance> {
  if ((await store.get(keys.config(id))) === undefined) throw new Error(`There is no instance ${id}.`)
  const { stateOf } = await import('../../workers/portability/export/moved.ts')
  const ringKey = await keyOf(id)
  const state = ringKey && (await stateOf(store, id, ringKey))
  if (!ringKey || !state?.paired) throw new Error(`Instance ${id} is not linked, so there is nothing to move.`)
  return { id, ringKey, state }
}

/**
 * Gives the order to the service, or carries it out in the store where none runs; `then` follows in either case, with the store still open. `check`
 * throws where the order does not fit the instance.
 */
export async function ordered<T>(
  config: Config,
  { id, order, check }: { id: string; order: OrderName; check?(found: FoundInstance): void },
  then: (stored: Stored, found: FoundInstance) => Promise<T>,
): Promise<T> {
  const beside = await withStore(config, async (stored) => {
    const found = await find(stored, id)
    check?.(found)
    return (await isCarriedOut(stored, id, order)) ? { value: await then(stored, found) } : undefined
  })
  if (beside) return beside.value
  return withOwnStore(config, async (stored) => {
    const found = await find(stored, id)
    const { changeState } = await import('../../workers/portability/export/moved.ts')
    await changeState(stored.store, id, found.ringKey, order)
    return then(stored, found)
  })
}

/** Resolves with false where no service runs. Rejects with the reason for which the service did not carry it out. */
async function isCarriedOut({ store }: Stored, id: string, order: OrderName): Promise<boolean> {
  await store.commit({ ops: orderOps(id, order) })
  if (!(await visitOwner(store))) {
    await store.commit({ ops: [withdrawnOrder(id)] })
    return false
  }
  const endsAt = Date.now() + ANSWER_MS
  while (Date.now() < endsAt) {
    const answer = await answerTo(store, id)
    if (answer?.problem === null) return true
    if (answer) throw new Error(answer.problem ?? '')
    await pause(LOOK_AGAIN_MS)
  }
  throw new Error(`The service did not answer within ${ANSWER_MS / SECOND} s; its log says why. Run the command again.`)
}
