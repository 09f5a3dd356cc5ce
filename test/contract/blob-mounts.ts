/**
 * The drivers with which `blobs.test.ts` runs. They store the media of waiting messages (`blobs:`).
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fsLite from 'unstorage/drivers/fs-lite'
import type { BlobItems } from '../../src/storage/blobs/items.ts'
import { blobBucket } from '../../src/storage/drivers/blob-bucket.ts'
import { blobFiles } from '../../src/storage/drivers/blob-files.ts'
import { mountBlobs, openBlobItems, openStore } from '../../src/storage/open-store.ts'
import { noPostgres, startCluster } from '../harness/postgres.ts'
import { noS3, startS3 } from '../harness/s3.ts'

export interface Mount {
  open(): BlobItems
  stop(): Promise<void>
}

interface Row {
  name: string
  /** Reason to skip the tests of the driver, or false if it can be tested. */
  skip: string | false
  start(): Promise<Mount>
}

const inFolder = (open: (dir: string) => BlobItems) => async (): Promise<Mount> => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-blobs-'))
  return { open: () => open(dir), stop: () => rm(dir, { recursive: true }) }
}

async function inPostgres(): Promise<Mount> {
  const cluster = await startCluster()
  const first = await openStore(cluster.url('media'))
  // This store plays the role of another thread of the same service, so both threads use the same media.
  const second = await openStore(first.threadUrl, { claims: { all: new BigInt64Array(2), own: 1 } })
  const mounts = await Promise.all([first, second].map((store) => openBlobItems({ in: 'store' }, store)))
  let opened = 0
  return {
    open: () => mounts[opened++ % 2]!,
    async stop() {
      for (const store of [second, first]) await store.close()
      await cluster.stop()
    },
  }
}

async function inBucket(): Promise<Mount> {
  const server = await startS3()
  // This object belongs to another program: it is in another folder of the bucket, so it must not be deleted.
  await server.client('other').request({ method: 'PUT', key: 'owner/blob/0-1', body: 'x' })
  const bucket = server.bucket('media')
  return { open: () => mountBlobs(blobBucket({ bucket })), stop: server.stop }
}

export const MOUNTS: readonly Row[] = [
  { name: 'files', skip: false, start: inFolder((dir) => mountBlobs(blobFiles({ dir }))) },
  { name: 'PostgreSQL', skip: noPostgres, start: inPostgres },
  { name: 'a bucket', skip: noS3, start: inBucket },
  // Stands for the drivers of unstorage, which this project did not write.
  { name: "unstorage's fs-lite", skip: false, start: inFolder((base) => mountBlobs(fsLite({ base }))) },
]
