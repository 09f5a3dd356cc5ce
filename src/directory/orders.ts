/**
 * Orders of a command to the service that runs on the same store: the command writes an order and visits the service (`storage/owner.ts`), which
 * carries it out, removes it and writes an answer. An order that a kill leaves behind is carried out by the next start.
 */
import * as v from 'valibot'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import type { Engine } from '../engine/engine.ts'
import type { Op, StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import { removeThese } from '../storage/remove-all.ts'
import { repository } from '../storage/repository.ts'

/**
 * `move` and `resume` stop the instance because another program uses its device, and start it again. After `pause` no shard has the instance, so
 * nothing writes to its records; `host` assigns it to a shard again.
 */
const ORDERS = ['move', 'resume', 'pause', 'host'] as const
export type OrderName = (typeof ORDERS)[number]

const orders = repository({
  name: 'order to the service',
  version: 1,
  schema: v.object({ order: v.picklist(ORDERS) }),
})
const answers = repository({
  name: 'answer to an order',
  version: 1,
  schema: v.object({ problem: v.nullable(v.string()) }),
})

/** At most one request per instance waits: a later one replaces it. */
export const orderOps = (instance: string, order: OrderName): Op[] => [
  orders.encode(keys.order(instance), { order }),
  answers.remove(keys.orderAnswer(instance)),
]

/** Withdraws the request, for a command that found no running service. */
export const withdrawnOrder = (instance: string): Op => orders.remove(keys.order(instance))

/** `problem`: the reason why the service did not carry it out, or null. Undefined while the request waits. */
export const answerTo = (store: Pick<StateStore, 'get'>, instance: string): Promise<{ problem: string | null } | undefined> =>
  answers.get(store, keys.orderAnswer(instance))

export interface OrdersDeps {
  store: StateStore
  engine: Pick<Engine, 'call' | 'stop'>
  log: Log
  /** Assigns the instance to a shard again. */
  host(instance: string): Promise<unknown>
}

/** Carries out all waiting requests. */
export function createOrders({ store, engine, log, host }: OrdersDeps): () => Promise<void> {
  const tell = (instance: string, operation: 'instance.move' | 'instance.resume') =>
    engine.call(instance, { kind: 'control', operation, input: {} })

  const doing: Readonly<Record<OrderName, (instance: string) => Promise<unknown>>> = {
    move: (instance) => tell(instance, 'instance.move'),
    resume: (instance) => tell(instance, 'instance.resume'),
    pause: (instance) => engine.stop(instance, 'keep'),
    host,
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

  return async () => {
    for await (const { key, value } of orders.list(store, keys.orders)) {
      const instance = key.slice(keys.orders.length)
      const problem = await carryOut(instance, value.order)
      await store.commit({ ops: [orders.remove(key), answers.encode(keys.orderAnswer(instance), { problem })] })
    }
  }
}

/** Removes answers that no command waits for. */
export async function removeOrderAnswers(store: StateStore): Promise<void> {
  const ops: Op[] = []
  for await (const [key] of store.range(keys.orderAnswers)) ops.push([key, null])
  await removeThese(store, ops)
}
