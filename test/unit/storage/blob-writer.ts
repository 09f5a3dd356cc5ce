/** A thread that writes a blob. The test terminates it in the middle of the write. */
import { workerData } from 'node:worker_threads'
import { openBlobs } from '../../../src/storage/blobs.ts'
import { blobFiles } from '../../../src/storage/drivers/blob-files.ts'
import { mountBlobs } from '../../../src/storage/open-store.ts'
import { sealer } from './fixtures.ts'

const { dir, counter, key, bytes } = workerData as { dir: string; counter: BigInt64Array; key: string; bytes: number }
const blobs = (await openBlobs(mountBlobs(blobFiles({ dir })), { budgetBytes: Number.MAX_SAFE_INTEGER, counter })).of(sealer)
await blobs.put(key, new Uint8Array(bytes))
