/** The drivers of `blobs:`, for the suite that runs once per driver. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fsLite from 'unstorage/drivers/fs-lite'
import type { BlobItems } from '../../src/storage/blobs/items.ts'
import { mountBlobs, openBlobItems } from '../../src/storage/open-store.ts'

export interface Mount {
  /** The same media, as one thread after another opens them. */
  open(): BlobItems
  stop(): Promise<void>
}

interface Row {
  name: string
  /** The reason why it cannot be tested here. */
  skip: string | false
  start(): Promise<Mount>
}

const inFolder = (open: (dir: string) => BlobItems) => async (): Promise<Mount> => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-blobs-'))
  return { open: () => open(dir), stop: () => rm(dir, { recursive: true }) }
}

export const MOUNTS: readonly Row[] = [
  { name: 'files', skip: false, start: inFolder(openBlobItems) },
  // A driver of unstorage that is not ours, for all of them.
  { name: "unstorage's fs-lite", skip: false, start: inFolder((base) => mountBlobs(fsLite({ base }))) },
]
