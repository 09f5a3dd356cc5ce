import type { Config } from '../config.ts'
import type { PooledEngine } from '../engine/pooled-engine.ts'
import type { Logger } from '../log.ts'
import type { ClusterEngine } from '../peer/engine/cluster-engine.ts'
import type { Homes } from '../peer/engine/homes.ts'
import type { ActiveService } from '../peer/forward-rules.ts'
import type { PeerLink } from '../peer/peer-link.ts'
import { parseSecretKey } from '../storage/secret-key.ts'
import { type ErasingDeps, withErasure } from './erasing-engine.ts'
import type { Shutdown } from './shutdown.ts'

export interface ClusterEngineParts extends Pick<ErasingDeps, 'keyRing' | 'eraseStored' | 'steps'> {
  local: PooledEngine
  /** Must know the homes before an instance is started. */
  homes: Homes
  members: { others(): readonly ActiveService[]; onLook(listener: () => void): void }
  link: Pick<PeerLink, 'setEngine'>
  shutdown: Shutdown
  log: Logger
}

/** Its threads, and what is measured in them, are those of this service. */
export type ServiceEngine = PooledEngine & Partial<Pick<ClusterEngine, 'readings'>>

/**
 * The engine of one of several services that have instances. It must be opened before any instance is started, so that the
 * others hear of every state.
 */
export async function openClusterEngine(
  { secretKey }: Pick<Config, 'secretKey'>,
  { local, homes, members, link, shutdown, log, ...erasing }: ClusterEngineParts,
): Promise<ServiceEngine> {
  const [{ createClusterEngine }, { peerKeyOf }] = await Promise.all([
    import('../peer/engine/cluster-engine.ts'),
    import('../peer/peer-key.ts'),
  ])
  const key = peerKeyOf(parseSecretKey(secretKey ?? '', 'SVC_SECRET_KEY'))
  const own = withErasure(local, { ...erasing, log })
  const cluster = createClusterEngine({ local: own, homes, key, log })
  const follow = () => cluster.setPeers(members.others())
  members.onLook(follow)
  follow()
  link.setEngine(cluster.port)
  // Ends before the threads, whose last states it still tells the others.
  shutdown.add(cluster.close)
  return { ...own, ...cluster }
}
