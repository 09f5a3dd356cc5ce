/**
 * The parts that make this service a member of a cluster, in which each service has some of the instances
 * (`SVC_CLUSTER`).
 */
import type { Config } from '../config.ts'
import { SECOND, steadyClock } from '../domain/clock.ts'
import type { HomePlace } from '../domain/nodes.ts'
import type { PooledEngine } from '../engine/pooled-engine.ts'
import type { Logger } from '../log.ts'
import type { Tally } from '../metrics/tally.ts'
import type { ClusterEngine } from '../peer/engine/cluster-engine.ts'
import type { PeerLink } from '../peer/peer-link.ts'
import type { ClusterHosting } from './cluster/cluster-hosting.ts'
import type { StartAgain } from './cluster/contract.ts'
import type { OpenHostingDeps } from './cluster/open-hosting.ts'
import { leaveCluster } from './leave-cluster.ts'
import type { ServiceStorage } from './open-storage.ts'
import type { Shutdown } from './shutdown.ts'

export interface ClusterDeps {
  log: Logger
  shutdown: Shutdown
  storage: ServiceStorage
  link: PeerLink | undefined
  local: PooledEngine
  tally: Tally
}

export interface Cluster {
  /** Reaches the instances of all members. */
  engine: PooledEngine & ClusterEngine
  /** Whether this service has the instance. */
  isHome(instance: string): boolean
  /** Whether this service has the instance and is not giving it to another one. */
  isHere(instance: string): boolean
  /** Returns how an instance of this service is started again. */
  howOf(instance: string): StartAgain
  /** Number of instances of a member. `member` is the id by which the homes name it. */
  instancesOf(member: string): number
  /** Number of these instances by where they are. */
  placesOf(instances: Iterable<string>): Record<HomePlace, number>
  host(deps: Pick<OpenHostingDeps, 'main' | 'directory' | 'starts' | 'isPaused' | 'clock'>): MemberHosting
}

export interface MemberHosting extends Pick<ClusterHosting, 'begin' | 'stop' | 'beforeGiving' | 'failingFor'> {
  /** Moves the instances to the other members. This member answers requests until they have moved. */
  leave(leftMs: number): Promise<void>
}

/** Maximum time in ms for which a start waits for the states of the other members' instances. */
const HEARD_WITHIN = 2 * SECOND

/** Resolves with undefined if this service is not a member of a cluster. The code for members is then not loaded. */
export async function openCluster(config: Config, deps: ClusterDeps): Promise<Cluster | undefined> {
  const { log, shutdown, storage, link, local, tally } = deps
  const { members, homes, ownerId } = storage.store
  if (members === undefined || homes === undefined || ownerId === undefined || link === undefined) return undefined
  const [{ createHomeMap }, { openHosting }, { startHowOf }, { openClusterEngine }] = await Promise.all([
    import('./cluster/home-map.ts'),
    import('./cluster/open-hosting.ts'),
    import('./cluster/start-how.ts'),
    import('./open-cluster-engine.ts'),
  ])
  const map = createHomeMap(homes, members)
  await map.refresh()
  const engine = await openClusterEngine(config, { local, homes: map, members, link, storage, shutdown, log })
  return {
    engine,
    isHome: homes.isOwn,
    isHere: (instance) => map.whereIs(instance) === 'here',
    howOf: (instance) => startHowOf(map.homeOf(instance), ownerId),
    instancesOf: (member) => map.countsOf([member]).get(member)!,
    placesOf: map.placesOf,
    host(parts) {
      const { startsPerSecond } = config
      const member = { self: ownerId, homes, members, map, startsPerSecond }
      const hosting = openHosting({ ...parts, ...member, storage, engine, link, tally, log })
      // Waits for the states of the other members' instances, which the first requests would otherwise see as never
      // connected.
      const begin = async () => void (await Promise.all([hosting.begin(), engine.hasHeard(HEARD_WITHIN)]))
      return { ...hosting, begin, leave: (leftMs) => leaveCluster({ hosting, members, clock: steadyClock }, leftMs) }
    },
  }
}
