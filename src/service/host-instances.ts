import type { Directory } from '../directory/directory.ts'
import type { PausedInstances } from '../directory/orders.ts'
import type { InstanceConfig } from '../domain/instance.ts'
import { isDiskFull } from '../domain/storage-failure.ts'
import type { Engine } from '../engine/engine.ts'
import type { Logger } from '../log.ts'
import { claimHomes, type Homes } from '../storage/homes.ts'
import { followCommands } from './follow-commands.ts'
import type { InstanceStarts } from './instance-starts.ts'
import type { ServiceStorage } from './open-storage.ts'
import type { Shutdown } from './shutdown.ts'

export interface HostingDeps {
  log: Logger
  shutdown: Shutdown
  storage: ServiceStorage
  /** `stop` stops an instance of this service. */
  engine: Pick<Engine, 'call' | 'stop'>
  /** Whether the instance runs in this service, and not in another one of its cluster. Undefined without a cluster. */
  isHere: ((instance: string) => boolean) | undefined
  directory: Directory
  starts: InstanceStarts
  paused: PausedInstances
  hosted: readonly InstanceConfig[]
}

/**
 * Resolves with the instances that this service has. It must resolve before the first request is served: a slow database
 * delays it, and a request in that time could change or delete an instance that is then started from its old settings.
 */
export async function claimHosted(
  homes: Homes | undefined,
  stored: readonly InstanceConfig[],
  log: Logger,
): Promise<readonly InstanceConfig[]> {
  const own = await claimHomes(
    homes,
    stored.map(({ id }) => id),
  ).catch((error: unknown) => {
    if (!isDiskFull(error)) throw error
    // No other service can write now. Instances without a home are claimed at the next start.
    log.warn({ err: error }, 'the disk of the database is full, so it is not stored there which service has the instances')
    return undefined
  })
  if (own === undefined) return stored
  const hosted = stored.filter(({ id }) => own.has(id))
  const others = stored.length - hosted.length
  if (others > 0) log.warn({ instances: others }, 'another service has some of the instances, so this one does not start them')
  return hosted
}

/**
 * Resolves when commands can be processed, before the instances have started: many take a long time at 25 sessions per
 * second. All of them are in line for their start when this returns its promise.
 */
export async function hostInstances(deps: HostingDeps): Promise<void> {
  void deps.starts.bootAll(deps.hosted, deps.storage.hasTakenOver ? 'takeover' : 'boot')
  await followCommands(deps)
}
