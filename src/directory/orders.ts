/**
 * Orders of a command to the service that runs on the same store: the command writes an order and visits the service (`storage/owner.ts`), which
 * carries it out, removes it and writes an answer. An order for which no command waits is dropped: if the command was killed, its operator assumes
 * that it had no effect, and may have connected the device in another program in the meantime.
 */
import * as v from 'valibot'
import { type Clock, MINUTE, SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import type { Steps } from '../domain/steps.ts'
import type { Engine } from '../engine/engine.ts'
import type { Op, StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import { removeThese } from '../storage/remove-all.ts'
import { repository } from '../storage/repository.ts'

/**
 * `move` and `resume` stop the instance because another program uses its device, and start it again. After `pause` no shard has the instance, so nothing writes to its records. After `host` the instance is on a shard again.
 */
const ORDERS = ['move', 'resume', 'pause', 'host'] as const
export type OrderName = (typeof ORDERS)[number]

const orders = repository({
  name: 'order to the service',
  version: 1,
  // An order of an earlier release has no time. It counts as very old, because its command has ended.
  schema: v.object({ order: v.picklist(ORDERS), at: v.optional(v.number(), 0) }),
})
const answers = repository({
  name: 'answer to an order',
  version: 1,
  schema: v.object({ problem: v.nullable(v.string()) }),
})

/** Time for the service to carry out an order; ending a connection takes a few seconds. After this time the command fails. */
export const ORDER_MS = 60 * SECOND

/** Writes an order. At most one order per instance waits: a later one replaces it. */
export const orderOps = (instance: string, order: OrderName, at: number): Op[] => [
  orders.encode(keys.order(instance), { order, at }),
  answers.remove(keys.orderAnswer(instance)),
]

/** Withdraws the order, for a command that found no running service. */
export const withdrawnOrder = (instance: string): Op => orders.remove(keys.order(instance))

/** Returns the answer to an order; undefined while the order waits. `problem` is the reason why the service did not carry out the order, or null. */
export const answerTo = (store: Pick<StateStore, 'get'>, instance: string): Promise<{ problem: string | null } | undefined> =>
  answers.get(store, keys.orderAnswer(instance))

/**
 * Longest time that an instance is without a shard. The limit is needed because a killed command does not end its pause. A command that still works
 * orders the pause again before it removes anything.
 */
const PAUSE_MS = 10 * MINUTE

export interface OrdersDeps {
  store: StateStore
  engine: Pick<Engine, 'call' | 'stop'>
  clock: Clock
  /** Time at which this service started. Orders that were written before this time were meant for an earlier service. */
  startedAt: number
  steps: Steps
  log: Log
  /** Assigns the instance to a shard again. */
  host(instance: string): Promise<unknown>
}

/** Carries out all waiting orders. */
export function createOrders({ store, engine, clock, startedAt, steps, log, host }: OrdersDeps): () => Promise<void> {
  const paused = new Map<string, NodeJS.Timeout>()

  /** Assigns a paused instance to a shard again, because its command has ended or was killed. */
  async function goOn(instance: string): Promise<unknown> {
    clearTimeout(paused.get(instance))
    return paused.delete(instance) ? host(instance) : undefined
  }

  async function pause(instance: string): Promise<void> {
    clearTimeout(paused.get(instance))
    if (!paused.has(instance)) await engine.stop(instance, 'keep')
    const ended = setTimeout(() => {
      log.warn({ instance_id: instance }, 'a CLI command stopped an instance and did not end; the instance is started again')
      goOn(instance).catch((error) => log.error({ err: error, instance_id: instance }, 'the instance could not be started'))
    }, PAUSE_MS)
    paused.set(instance, ended.unref())
  }

  async function tell(instance: string, operation: 'instance.move' | 'instance.callOffMove'): Promise<unknown> {
    await goOn(instance)
    return engine.call(instance, { kind: 'control', operation, input: {} })
  }

  const doing: Readonly<Record<OrderName, (instance: string) => Promise<unknown>>> = {
    move: (instance) => tell(instance, 'instance.move'),
    resume: (instance) => tell(instance, 'instance.callOffMove'),
    pause,
    host: goOn,
  }

  async function carryOut(instance: string, order: OrderName): Promise<string | null> {
    try {
      await doing[order](instance)
      log.info({ instance_id: instance, order }, 'a request of a CLI command was carried out')
      return null
    } catch (error) {
      log.error({ err: error, instance_id: instance, order }, 'a request of a CLI command failed')
      if (error instanceof Failure) return error.message
      throw error
    }
  }

  const isForgotten = (at: number) => at < startedAt || clock.now() - at > ORDER_MS

  return async () => {
    for await (const { key, value } of orders.list(store, keys.orders)) {
      const instance = key.slice(keys.orders.length)
      if (isForgotten(value.at)) {
        log.warn({ instance_id: instance, order: value.order }, 'a request of a CLI command that has ended was dropped')
        await store.commit({ ops: [orders.remove(key)] })
        continue
      }
      const problem = await carryOut(instance, value.order)
      await steps('order:taken')
      await store.commit({ ops: [orders.remove(key), answers.encode(keys.orderAnswer(instance), { problem })] })
    }
  }
}

/** Removes the answers of an earlier service, for which no command waits. */
export async function removeOrderAnswers(store: StateStore): Promise<void> {
  const ops: Op[] = []
  for await (const [key] of store.range(keys.orderAnswers)) ops.push([key, null])
  await removeThese(store, ops)
}
