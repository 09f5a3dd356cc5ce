/** A thread that writes a blob, and is terminated in the middle of it. */
import { workerData } from 'node:worker_threads'
import { openBlobs } from '../../../src/storage/blobs.ts'
import { openBlobItems } from '../../../src/storage/open-store.ts'
import { sealer } from './fixtures.ts'

const { dir, counter, key, bytes } = workerData as { dir: string; counter: BigInt64Array; key: string; bytes: number }
const blobs = (await openBlobs(openBlobItems(dir), { budgetBytes: Number.MAX_SAFE_INTEGER, counter })).of(sealer)
await blobs.put(key, new Uint8Array(bytes))
