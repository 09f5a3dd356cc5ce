/** Does what operator commands on the same store ask for: makes instances of imported devices, and carries out orders. */
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
  /** Whether this service has the instance, and does not give it away. Undefined if it has all. */
  isHere: ((instance: string) => boolean) | undefined
  directory: Pick<Directory, 'config' | 'tokenTagOf'>
  starts: InstanceStarts
  paused: PausedInstances
}

/** Interval in ms at which orders are read again that are for an instance without a home, which may soon get it here. */
const LOOK_AGAIN = SECOND

export async function followCommands(deps: CommandsDeps): Promise<void> {
  const { log, shutdown, storage, engine, isHere = () => true, directory, starts, paused } = deps
  const { store } = storage
  // A command may wait for an answer of another service.
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
    // An instance that does not exist has no home, and any service can say so.
    isOurs: (instance) => isHere(instance) || !isThere(instance),
  })

  let looking: Promise<void> = Promise.resolve()
  let again: NodeJS.Timeout | undefined

  /** `until` is a value of `performance.now`, after which no command waits for the orders that are left. */
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

/** A member that ended may have left an imported device half made, or an order. */
function onLost(members: Members | undefined, listener: () => void): void {
  let known: readonly string[] = []
  members?.onLook(() => {
    const before = known
    known = members.others().map(({ id }) => id)
    if (before.some((id) => !known.includes(id))) listener()
  })
}
