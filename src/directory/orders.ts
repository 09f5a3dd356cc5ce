/**
 * Orders of a command to the service on the same store. The command writes an order and notifies the service. Before
 * the service carries the order out, it asks whether the command still waits: after a kill of the command, its operator
 * may have connected the device in another program.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import * as v from 'valibot'
import { MINUTE, SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import type { Steps } from '../domain/steps.ts'
import type { Engine } from '../engine/engine.ts'
import type { Batch, Op, StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import { removeThese } from '../storage/remove-all.ts'
import { repository } from '../storage/repository.ts'

/**
 * `move` stops the instance, because another program uses its device; `resume` starts it again. After `pause` the
 * service does not write to the records of the instance; after `host` a shard thread runs it again.
 */
const ORDERS = ['move', 'resume', 'pause', 'host'] as const
export type OrderName = (typeof ORDERS)[number]

const orders = repository({
  name: 'order to the service',
  version: 1,
  // An order of an earlier release has no time and counts as very old.
  schema: v.object({
    order: v.picklist(ORDERS),
    at: v.optional(v.number(), 0),
    id: v.optional(v.string(), ''),
    confirmed: v.optional(v.literal(true)),
  }),
})
type Order = { order: OrderName; at: number; id: string }
/** Answers of the service: first the question whether the command still waits for its order, and later the result. */
const answers = repository({
  name: 'answer to an order',
  version: 1,
  schema: v.union([v.object({ asks: v.string() }), v.object({ problem: v.nullable(v.string()) })]),
})
type Answer = { asks: string } | { problem: string | null }

/** Time in ms after which a command without a result fails. Closing a connection takes a few seconds. */
export const ORDER_MS = 60 * SECOND

export const newOrder = (order: OrderName, at: number): Order => ({ order, at, id: randomUUID() })

/** Returns the operations that write an order. It replaces a waiting order of the same instance. */
export const orderOps = (instance: string, order: Order): Op[] => [
  orders.encode(keys.order(instance), order),
  answers.remove(keys.orderAnswer(instance)),
]

/** Confirms that the command still waits. Has no effect if another command has replaced the order. */
export async function confirmOrder(store: Pick<StateStore, 'commit'>, instance: string, order: Order): Promise<void> {
  const [key, written] = orders.encode(keys.order(instance), order)
  await store.commit({ guard: { key, equals: written }, ops: [orders.encode(key, { ...order, confirmed: true })] })
}

/** Returns the operation that removes the order of a command that found no running service. */
export const withdrawnOrder = (instance: string): Op => orders.remove(keys.order(instance))

/**
 * Returns the answer of the service; undefined if there is none yet. `asks` is the id of an order that its command must
 * confirm. `problem` is why the service did not carry out the order, or null.
 */
export const answerTo = (store: Pick<StateStore, 'get'>, instance: string): Promise<Answer | undefined> =>
  answers.get(store, keys.orderAnswer(instance))

/**
 * Milliseconds within which a command must confirm its order. A waiting command checks ten times per second whether the
 * service asks.
 */
const CONFIRM_MS = 10 * SECOND
const LOOK_MS = 50
const TOO_LATE = 'The command did not confirm its request in time, so nothing was done. Run the command again.'

/** Longest pause in ms after one order. It is limited, because a command that is killed cannot end its pause. */
const PAUSE_MS = 10 * MINUTE

/**
 * Instances that a command has stopped for a while, with the timers that end the pauses. Such an instance must be
 * neither started nor moved to another service.
 */
export type PausedInstances = Map<string, NodeJS.Timeout>

export interface OrdersDeps {
  store: StateStore
  /** `stop` stops an instance of this service. */
  engine: Pick<Engine, 'call' | 'stop'>
  /** Start of the service in epoch ms. Older orders were meant for an earlier run of the service. */
  startedAt: number
  steps: Steps
  log: Log
  host(instance: string): Promise<unknown>
  /** The paused instances. Only the orders change this map. */
  paused: PausedInstances
  /**
   * Whether this service carries out orders about the instance. If several services use the store, the service that has
   * the instance does. If there is no such instance, any service does.
   */
  isOurs(instance: string): boolean
  /** Waits between two checks whether the command has confirmed an order; tests replace it. */
  pause?(ms: number): Promise<unknown>
}

export interface Orders {
  /**
   * Carries out the waiting orders. Resolves with true if there are orders for another service, or for an instance that
   * no service has.
   */
  carryOut(): Promise<boolean>
}

export function createOrders({
  store,
  engine,
  startedAt,
  steps,
  log,
  host,
  paused,
  isOurs,
  pause: untilNextLook = wait,
}: OrdersDeps): Orders {
  /** Ends the pause of an instance, if there is one. The instance then runs again, if this service has it. */
  async function goOn(instance: string): Promise<unknown> {
    clearTimeout(paused.get(instance))
    return paused.delete(instance) && isOurs(instance) ? host(instance) : undefined
  }

  async function pause(instance: string): Promise<void> {
    const wasPaused = paused.has(instance)
    clearTimeout(paused.get(instance))
    const ended = setTimeout(() => {
      log.warn({ instance_id: instance }, 'a CLI command stopped an instance and did not end; the instance is started again')
      goOn(instance).catch((error) => log.error({ err: error, instance_id: instance }, 'the instance could not be started'))
    }, PAUSE_MS)
    // From now on the instance is neither moved to another service nor started again.
    paused.set(instance, ended.unref())
    if (wasPaused) return
    try {
      await engine.stop(instance, 'keep')
    } catch (error) {
      clearTimeout(ended)
      paused.delete(instance)
      throw error
    }
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

  async function obey(instance: string, order: OrderName): Promise<string | null> {
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

  async function drop(instance: string, order: Order, batch: Batch): Promise<boolean> {
    const isDropped = await store.commit(batch)
    if (isDropped)
      log.warn({ instance_id: instance, order: order.order }, 'a request of a CLI command that has ended was dropped')
    return isDropped
  }

  function dropSilent(instance: string, order: Order): Promise<boolean> {
    const [key, read] = orders.encode(keys.order(instance), order)
    const answer = answers.encode(keys.orderAnswer(instance), { problem: TOO_LATE })
    return drop(instance, order, { guard: { key, equals: read }, ops: [orders.remove(key), answer] })
  }

  /**
   * Asks the command whether it still waits. Resolves with false if it does not, or if another order has replaced this
   * one.
   */
  async function isAwaited(instance: string, order: Order): Promise<boolean> {
    await store.commit({ ops: [answers.encode(keys.orderAnswer(instance), { asks: order.id })] })
    for (let waited = 0; ; waited += LOOK_MS) {
      const now = await orders.get(store, keys.order(instance))
      if (now?.id !== order.id) return false
      if (now.confirmed) return true
      if (waited >= CONFIRM_MS && (await dropSilent(instance, order))) return false
      await untilNextLook(LOOK_MS)
    }
  }

  /**
   * Carries out or drops an order. Resolves with false if the instance has moved to another service: the order is left
   * to that service.
   */
  async function take(key: string, instance: string, order: Order): Promise<boolean> {
    if (order.at < startedAt) {
      await drop(instance, order, { ops: [orders.remove(key)] })
      return true
    }
    if (!(await isAwaited(instance, order))) return true
    if (!isOurs(instance)) return false
    const problem = await obey(instance, order.order)
    await steps('order:taken')
    await store.commit({ ops: [orders.remove(key), answers.encode(keys.orderAnswer(instance), { problem })] })
    return true
  }

  return {
    async carryOut() {
      let areLeft = false
      for await (const { key, value } of orders.list(store, keys.orders)) {
        const instance = key.slice(keys.orders.length)
        if (!isOurs(instance) || !(await take(key, instance, value))) areLeft = true
      }
      return areLeft
    },
  }
}

export async function removeOrderAnswers(store: StateStore): Promise<void> {
  const ops: Op[] = []
  for await (const [key] of store.range(keys.orderAnswers)) ops.push([key, null])
  await removeThese(store, ops)
}
