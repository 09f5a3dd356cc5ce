import type { Directory } from '../../directory/directory.ts'
import { type Clock, SECOND, steadyClock } from '../../domain/clock.ts'
import type { PooledEngine } from '../../engine/pooled-engine.ts'
import type { Logger } from '../../log.ts'
import type { Tally } from '../../metrics/tally.ts'
import type { ClusterEngine } from '../../peer/engine/cluster-engine.ts'
import type { PeerLink } from '../../peer/peer-link.ts'
import type { Homes } from '../../storage/homes.ts'
import type { MainRecords } from '../../storage/main-records/main-records.ts'
import type { InstanceStarts } from '../instance-starts.ts'
import type { ServiceStorage } from '../open-storage.ts'
import { type ClusterHosting, createClusterHosting } from './cluster-hosting.ts'
import type { ClusterHostingDeps } from './contract.ts'
import { eraseOrImport } from './erase-or-import.ts'
import type { HomeMap } from './home-map.ts'
import { hostedDirectory } from './hosted-directory.ts'

export interface OpenHostingDeps {
  self: string
  homes: Homes
  members: ClusterHostingDeps['members']
  map: HomeMap
  storage: Pick<ServiceStorage, 'store' | 'keyRing' | 'blobs'>
  main: Pick<MainRecords, 'catchUp'>
  directory: Directory
  engine: Pick<ClusterEngine, 'leave' | 'isBusy'> & Pick<PooledEngine, 'shardOf' | 'failingFor' | 'generations'>
  starts: Pick<InstanceStarts, 'boot' | 'takeImports'>
  link: Pick<PeerLink, 'askToLook' | 'setLook'>
  /** Whether a CLI command has stopped the instance for a while. */
  isPaused(instance: string): boolean
  startsPerSecond: number
  /** The clock with which the threads write times into the states of instances. */
  clock: Clock
  tally: Tally
  log: Logger
}

/**
 * Milliseconds within which another member must answer the request to look. A missing answer does no harm, because each
 * member also looks by itself.
 */
const ASKED_WITHIN = SECOND

/** Creates the hosting of a member of a cluster. Its `begin` starts the instances. */
export function openHosting({
  storage,
  main,
  directory,
  engine,
  starts,
  link,
  isPaused,
  clock,
  ...rest
}: OpenHostingDeps): ClusterHosting {
  const hosting = createClusterHosting({
    ...rest,
    store: storage.store,
    keyRing: storage.keyRing,
    directory: hostedDirectory({ directory, main, isPaused, clock }),
    isBusy: engine.isBusy,
    start: starts.boot,
    stop: engine.leave,
    isHosted: (instance) => engine.shardOf(instance) !== undefined,
    canStart: () => engine.generations().some((generation) => generation !== undefined),
    failingFor: engine.failingFor,
    erase: (instances) => eraseOrImport(instances, { ...storage, homes: rest.homes, directory, starts, log: rest.log }),
    askToLook: (member) => link.askToLook(member, AbortSignal.timeout(ASKED_WITHIN)),
    clock: steadyClock,
  })
  link.setLook(hosting.look)
  return hosting
}
