/** The parts with which this service is one of several that have instances (`SVC_CLUSTER`). */
import type { Config } from '../config.ts'
import type { PooledEngine } from '../engine/pooled-engine.ts'
import type { Logger } from '../log.ts'
import type { ClusterEngine } from '../peer/engine/cluster-engine.ts'
import type { PeerLink } from '../peer/peer-link.ts'
import type { ClusterHosting } from './cluster/cluster-hosting.ts'
import type { OpenHostingDeps } from './cluster/open-hosting.ts'
import type { ServiceStorage } from './open-storage.ts'
import type { Shutdown } from './shutdown.ts'

export interface ClusterDeps {
  log: Logger
  shutdown: Shutdown
  storage: ServiceStorage
  link: PeerLink | undefined
  local: PooledEngine
}

export interface Cluster {
  /** Reaches the instances of all members. */
  engine: PooledEngine & ClusterEngine
  /** Whether this service has the instance. */
  isHome(instance: string): boolean
  host(deps: Pick<OpenHostingDeps, 'main' | 'directory' | 'starts' | 'isPaused' | 'clock'>): ClusterHosting
}

/** Undefined if this service is no member of a cluster; then no code of one is loaded. */
export async function openCluster(config: Config, deps: ClusterDeps): Promise<Cluster | undefined> {
  const { log, shutdown, storage, link, local } = deps
  const { members, homes, ownerId } = storage.store
  if (members === undefined || homes === undefined || ownerId === undefined || link === undefined) return undefined
  const [{ createHomeMap }, { openHosting }, { openClusterEngine }] = await Promise.all([
    import('./cluster/home-map.ts'),
    import('./cluster/open-hosting.ts'),
    import('./open-cluster-engine.ts'),
  ])
  const map = createHomeMap(homes, members)
  await map.refresh()
  const engine = await openClusterEngine(config, { local, homes: map, members, link, storage, shutdown, log })
  return {
    engine,
    isHome: homes.isOwn,
    host: (parts) => openHosting({ ...parts, self: ownerId, homes, members, map, storage, engine, log }),
  }
}
