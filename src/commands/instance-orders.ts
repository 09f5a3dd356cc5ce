/** Sends orders about an instance to the running service. If no service runs, carries the orders out in the store. */
import { setTimeout as pause } from 'node:timers/promises'
import type { StoredState } from '../../workers/portability/export/moved.ts'
import type { Config } from '../config.ts'
import { answerTo, confirmOrder, newOrder, ORDER_MS, type OrderName, orderOps, withdrawnOrder } from '../directory/orders.ts'
import { SECOND } from '../domain/clock.ts'
import type { Steps } from '../domain/steps.ts'
import { createKillAt } from '../kill-at.ts'
import { keys } from '../storage/record-keys.ts'
import { type Stored, withOwnStore, withStore } from './stored.ts'

const LOOK_AGAIN_MS = 100

export interface FoundInstance {
  id: string
  ringKey: Uint8Array
  state: StoredState
}

/** Returns an instance. Throws if it does not exist, or if no account is linked to it. */
async function find({ store, keyOf }: Stored, id: string): Promise<FoundInstance> {
  if ((await store.get(keys.config(id))) === undefined) throw new Error(`There is no instance ${id}.`)
  const { stateOf } = await import('../../workers/portability/export/moved.ts')
  const ringKey = await keyOf(id)
  const state = ringKey && (await stateOf(store, id, ringKey))
  if (!ringKey || !state?.paired) throw new Error(`Instance ${id} is not linked, so there is nothing to move.`)
  return { id, ringKey, state }
}

/**
 * Orders to the service before and after the work of a command. If no service runs, the command itself makes the
 * changes in the store.
 */
export interface Procedure {
  id: string
  before: readonly OrderName[]
  /**
   * Work after which nothing can be undone. If it fails, only the orders in `afterwards` are sent, and the command has
   * to be repeated.
   */
  finish?(stored: Stored, order: (name: OrderName) => Promise<unknown>): Promise<void>
  afterwards?: readonly OrderName[]
  onFailure?: readonly OrderName[]
  /** Runs before the first order. Throws if the instance cannot be used for the command. */
  check?(stored: Stored, found: FoundInstance): void | Promise<void>
}

export async function between<T>(
  config: Config,
  procedure: Procedure,
  work: (stored: Stored, found: FoundInstance) => Promise<T>,
): Promise<T> {
  const { id, check } = procedure
  const steps = createKillAt(config.killAt)
  const beside = await withStore(config, async (stored) => {
    const found = await find(stored, id)
    await check?.(stored, found)
    const order = (name: OrderName) => isCarriedOut(stored, id, name, steps)
    if (!(await order(procedure.before[0]!))) return undefined
    for (const name of procedure.before.slice(1)) await order(name)
    await steps('export:stopped')
    return { value: await guarded(procedure, found, order, work, stored) }
  })
  if (beside) return beside.value
  return withOwnStore(config, async (stored) => {
    const found = await find(stored, id)
    const { changeState } = await import('../../workers/portability/export/moved.ts')
    const order = async (name: OrderName) => {
      if (name === 'move' || name === 'resume') await changeState(stored.store, id, found.ringKey, name)
    }
    for (const name of procedure.before) await order(name)
    await steps('export:stopped')
    return guarded(procedure, found, order, work, stored)
  })
}

async function guarded<T>(
  { finish = async () => {}, afterwards = [], onFailure = [] }: Procedure,
  found: FoundInstance,
  order: (name: OrderName) => Promise<unknown>,
  work: (stored: Stored, found: FoundInstance) => Promise<T>,
  stored: Stored,
): Promise<T> {
  // An instance that was moved before this command must not be resumed, because its device may be connected in the
  // other program.
  const undo = found.state.reason === 'moved' ? onFailure.filter((name) => name !== 'resume') : onFailure
  const value = await work(stored, found).catch(async (error) => {
    for (const name of undo) await order(name)
    throw error
  })
  try {
    await finish(stored, order)
  } finally {
    for (const name of afterwards) await order(name)
  }
  return value
}

/** Runs `work` without any order to the service, so `work` must not change the instance. */
export const withInstance = <T>(
  config: Config,
  id: string,
  work: (stored: Stored, found: FoundInstance) => Promise<T>,
): Promise<T> => withStore(config, async (stored) => work(stored, await find(stored, id)))

/**
 * Sends an order to the service and waits for its answer. Resolves with false if no service runs. Rejects with the
 * reason if the service did not carry out the order.
 */
async function isCarriedOut({ store }: Stored, id: string, name: OrderName, steps: Steps): Promise<boolean> {
  const order = newOrder(name, Date.now())
  await store.commit({ ops: orderOps(id, order) })
  await steps('export:ordered')
  if (!(await store.visitOwner())) {
    await store.commit({ ops: [withdrawnOrder(id)] })
    return false
  }
  const endsAt = Date.now() + ORDER_MS
  while (Date.now() < endsAt) {
    const answer = await answerTo(store, id)
    if (answer && 'problem' in answer) {
      if (answer.problem === null) return true
      throw new Error(answer.problem)
    }
    if (answer?.asks === order.id) await confirmOrder(store, id, order)
    await pause(LOOK_AGAIN_MS)
  }
  throw new Error(`The service did not answer within ${ORDER_MS / SECOND} s; its log says why. Run the command again.`)
}
