/** The drivers of `blobs:`, for the suite that runs once per driver. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fsLite from 'unstorage/drivers/fs-lite'
import type { BlobItems } from '../../src/storage/blobs/items.ts'
import { mountBlobs, type OpenStore, openBlobItems, openStore } from '../../src/storage/open-store.ts'
import { noPostgres, startCluster } from '../harness/postgres.ts'

export interface Mount {
  /** Opens the same media again, as one thread after another does. */
  open(): BlobItems
  stop(): Promise<void>
}

interface Row {
  name: string
  /** The reason why the driver cannot be tested here, or false. */
  skip: string | false
  start(): Promise<Mount>
}

const inFolder = (open: (dir: string) => BlobItems) => async (): Promise<Mount> => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-blobs-'))
  return { open: () => open(dir), stop: () => rm(dir, { recursive: true }) }
}

async function inPostgres(): Promise<Mount> {
  const cluster = await startCluster()
  const stores: OpenStore[] = []
  const first = await openStore(cluster.url('media'))
  // Another thread of the same service.
  const second = await openStore(first.threadUrl, { claims: { all: new BigInt64Array(2), own: 1 } })
  stores.push(second, first)
  let opened = 0
  return {
    open: () => openBlobItems(null, stores[opened++ % 2]),
    async stop() {
      for (const store of stores) await store.close()
      await cluster.stop()
    },
  }
}

export const MOUNTS: readonly Row[] = [
  { name: 'files', skip: false, start: inFolder(openBlobItems) },
  { name: 'PostgreSQL', skip: noPostgres, start: inPostgres },
  // A driver of unstorage that is not ours represents all others.
  { name: "unstorage's fs-lite", skip: false, start: inFolder((base) => mountBlobs(fsLite({ base }))) },
]
