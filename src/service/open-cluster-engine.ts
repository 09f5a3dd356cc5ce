import type { Config } from '../config.ts'
import type { PooledEngine } from '../engine/pooled-engine.ts'
import type { Logger } from '../log.ts'
import type { ClusterEngine } from '../peer/engine/cluster-engine.ts'
import type { Homes } from '../peer/engine/homes.ts'
import type { PeerLink } from '../peer/peer-link.ts'
import { eraseClaimed } from '../storage/erase.ts'
import type { Members } from '../storage/members.ts'
import { parseSecretKey } from '../storage/secret-key.ts'
import { withErasure } from './erasing-engine.ts'
import type { ServiceStorage } from './open-storage.ts'
import type { Shutdown } from './shutdown.ts'

export interface ClusterEngineParts {
  local: PooledEngine
  /**
   * Instances and the services that have them. `homes` must know that this service has an instance before the instance
   * is started.
   */
  homes: Homes
  members: Pick<Members, 'others' | 'onLook'>
  link: Pick<PeerLink, 'setEngine'>
  storage: Pick<ServiceStorage, 'store' | 'keyRing' | 'blobs' | 'steps'>
  shutdown: Pick<Shutdown, 'add'>
  log: Logger
}

/**
 * The engine of a service, alone or in a cluster. All measurements are of this service's own threads, except
 * `readings`, which are of the other services.
 */
export type ServiceEngine = PooledEngine & Partial<Pick<ClusterEngine, 'readings' | 'here' | 'shareLimit'>>

/**
 * Opens the engine of a member of a cluster. It must be opened before any instance is started, because it reports each
 * state to the other members.
 */
export async function openClusterEngine(
  { secretKey }: Pick<Config, 'secretKey'>,
  { local, homes, members, link, storage, shutdown, log }: ClusterEngineParts,
): Promise<PooledEngine & ClusterEngine> {
  const [{ createClusterEngine }, { peerKeyOf }] = await Promise.all([
    import('../peer/engine/cluster-engine.ts'),
    import('../peer/peer-key.ts'),
  ])
  const { keyRing, steps } = storage
  const eraseStored = (instance: string) => eraseClaimed([instance], { ...storage, log })
  const own = withErasure(local, { keyRing, eraseStored, steps, log })
  const key = peerKeyOf(parseSecretKey(secretKey ?? '', 'SVC_SECRET_KEY'))
  const cluster = createClusterEngine({ local: own, homes, key, log })
  const follow = () => cluster.setPeers(members.others())
  members.onLook(follow)
  follow()
  link.setEngine(cluster.port)
  // This also closes the threads, and only then the links to the other members, so that these still get the last
  // states.
  shutdown.add(cluster.close)
  return { ...own, ...cluster }
}
