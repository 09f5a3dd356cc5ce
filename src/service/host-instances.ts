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
  /**
   * Whether this service has the instance and is not giving it to another service. Undefined if it has all instances.
   */
  isHere: ((instance: string) => boolean) | undefined
  directory: Directory
  starts: InstanceStarts
  paused: PausedInstances
  hosted: readonly InstanceConfig[]
}

/**
 * Claims the stored instances, and resolves with those that this service has. No request may be served before this: an
 * instance could be changed or deleted, and then started with its old settings.
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
    // No other service can write to the full disk either, so this one starts all instances. Its next start claims those
    // without a home.
    log.warn({ err: error }, 'the disk of the database is full, so the database does not record which service has the instances')
    return undefined
  })
  if (own === undefined) return stored
  const hosted = stored.filter(({ id }) => own.has(id))
  const others = stored.length - hosted.length
  if (others > 0) log.warn({ instances: others }, 'another service has some of the instances, so this one does not start them')
  return hosted
}

/**
 * Queues the start of all instances at once, and then begins to follow CLI commands. Resolves when commands are
 * processed; instances may still be starting then.
 */
export async function hostInstances(deps: HostingDeps): Promise<void> {
  void deps.starts.bootAll(deps.hosted)
  await followCommands(deps)
}
