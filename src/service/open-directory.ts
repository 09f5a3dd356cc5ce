import type { Config } from '../config.ts'
import type { Directory } from '../directory/directory.ts'
import { createInstanceDirectory } from '../directory/instance-directory.ts'
import type { Clock } from '../domain/clock.ts'
import { parseRanges } from '../egress/addresses.ts'
import { checkProxy, checkUrl } from '../egress/targets.ts'
import type { Engine } from '../engine/engine.ts'
import type { Logger } from '../log.ts'
import { importedMediaIn } from '../storage/staged-blobs.ts'
import type { Cluster } from './open-cluster.ts'
import type { ServiceRecords } from './open-records.ts'
import type { ServiceStorage } from './open-storage.ts'

export interface OpenDirectoryDeps {
  log: Logger
  storage: ServiceStorage
  records: ServiceRecords
  engine: Engine
  cluster: Cluster | undefined
  /** Address of the service, which is part of the addresses of its instances. */
  baseUrl: string
  clock: Clock
}

/**
 * Opens the directory of all instances. It refuses a webhook or a proxy whose URL has an IP address that is not public,
 * unless `SVC_EGRESS_ALLOW` contains the address.
 */
export function openDirectory(
  { egressAllow }: Config,
  { storage: { store, sealer, keyRing, steps, blobs, blobsUsed }, records, ...rest }: OpenDirectoryDeps,
): Directory {
  const allow = parseRanges(egressAllow)
  return createInstanceDirectory({
    ...rest,
    ...records,
    store,
    sealer,
    keyRing,
    steps,
    checkUrl: (url) => checkUrl(url, allow),
    checkProxy: (url) => checkProxy(url, allow),
    importedMedia: importedMediaIn(blobs, blobsUsed),
  })
}
