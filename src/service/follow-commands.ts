/**
 * Carries out what CLI commands on the same store request: creates instances from imported devices, and carries out
 * orders, which are requests that a command has written to the store.
 */
import type { Directory } from '../directory/directory.ts'
import { createOrders, ORDER_MS, type PausedInstances, removeOrderAnswers } from '../directory/orders.ts'
import { SECOND } from '../domain/clock.ts'
import type { Engine } from '../engine/engine.ts'
import type { Logger } from '../log.ts'
import { isAlone } from '../storage/beside-members.ts'
import type { Members } from '../storage/members.ts'
import type { InstanceStarts } from './instance-starts.ts'
import type { ServiceStorage } from './open-storage.ts'
import type { Shutdown } from './shutdown.ts'

export interface CommandsDeps {
  log: Logger
  shutdown: Shutdown
  storage: Pick<ServiceStorage, 'store' | 'steps' | 'onVisit'>
  /** `stop` stops an instance of this service. */
  engine: Pick<Engine, 'call' | 'stop'>
  /**
   * Whether this service has the instance and is not giving it to another service. Undefined if it has all instances.
   */
  isHere: ((instance: string) => boolean) | undefined
  directory: Pick<Directory, 'config' | 'tokenTagOf'>
  starts: InstanceStarts
  paused: PausedInstances
}

/**
 * Interval in ms at which orders that this service could not carry out are read again: it may get their instances soon.
 */
const LOOK_AGAIN = SECOND

export async function followCommands(deps: CommandsDeps): Promise<void> {
  const { log, shutdown, storage, engine, isHere = () => true, directory, starts, paused } = deps
  const { store } = storage
  // While other members of a cluster run, the answers stay, because a command may wait for the answer of one of them.
  if (isAlone(store)) await removeOrderAnswers(store)
  const isThere = (instance: string) => directory.tokenTagOf(instance) !== undefined
  const orders = createOrders({
    store,
    engine,
    startedAt: performance.timeOrigin,
    steps: storage.steps,
    log,
    paused,
    host: (id) => starts.boot(directory.config(id)),
    // An instance that does not exist has no home, so any service answers that it does not exist.
    isOurs: (instance) => isHere(instance) || !isThere(instance),
  })

  let looking: Promise<void> = Promise.resolve()
  let again: NodeJS.Timeout | undefined

  /**
   * Takes imported devices, and carries out the orders in the store. Orders that are left are read again until `until`,
   * a value of `performance.now`.
   */
  async function look(until: number): Promise<void> {
    clearTimeout(again)
    if (shutdown.hasBegun) return
    await starts.takeImports()
    if (shutdown.hasBegun) return
    const areLeft = await orders.carryOut().catch((error) => {
      log.error({ err: error }, 'requests of CLI commands could not be read')
      return false
    })
    if (areLeft && performance.now() < until) again = setTimeout(() => lookNext(until), LOOK_AGAIN).unref()
  }
  function lookNext(until = performance.now() + ORDER_MS) {
    looking = looking.then(() => look(until))
  }
  lookNext()
  storage.onVisit(() => lookNext())
  onLost(store.members, () => lookNext())
  shutdown.add(() => {
    clearTimeout(again)
    return looking
  })
}

/** Calls `listener` when another member has ended, because it may have left an order or a partly processed import. */
function onLost(members: Members | undefined, listener: () => void): void {
  let known: readonly string[] = []
  members?.onLook(() => {
    const before = known
    known = members.others().map(({ id }) => id)
    if (before.some((id) => !known.includes(id))) listener()
  })
}
