import type { Directory } from '../directory/directory.ts'
import { createOrders, removeOrderAnswers } from '../directory/orders.ts'
import type { InstanceConfig } from '../domain/instance.ts'
import type { PooledEngine } from '../engine/pooled-engine.ts'
import type { Logger } from '../log.ts'
import { claimHomes } from '../storage/homes.ts'
import type { InstanceStarts } from './instance-starts.ts'
import type { ServiceStorage } from './open-storage.ts'
import type { Shutdown } from './shutdown.ts'

export interface HostingDeps {
  log: Logger
  shutdown: Shutdown
  storage: ServiceStorage
  engine: PooledEngine
  directory: Directory
  starts: InstanceStarts
  stored: readonly InstanceConfig[]
}

/**
 * Resolves when commands can be processed, before the instances have started: many take a long time at 25 sessions per
 * second.
 */
export async function hostInstances(deps: HostingDeps): Promise<void> {
  const { log, shutdown, storage, engine, directory, starts } = deps
  const own = await claimHomes(
    storage.store.homes,
    deps.stored.map(({ id }) => id),
  )
  const hosted = deps.stored.filter(({ id }) => own.has(id))
  const others = deps.stored.length - hosted.length
  if (others > 0) log.warn({ instances: others }, 'another service has some of the instances, so this one does not start them')
  void starts.bootAll(hosted)

  await removeOrderAnswers(storage.store)
  const carryOutOrders = createOrders({
    store: storage.store,
    engine,
    startedAt: performance.timeOrigin,
    steps: storage.steps,
    log,
    host: (id) => starts.boot(directory.config(id)),
  })

  async function look() {
    await starts.takeImports()
    if (shutdown.hasBegun) return
    await carryOutOrders().catch((error) => log.error({ err: error }, 'requests of CLI commands could not be read'))
  }
  let looking = look()
  storage.onVisit(() => {
    looking = looking.then(look)
  })
  shutdown.add(() => looking)
}
