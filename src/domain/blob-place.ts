import type { Bucket } from './bucket.ts'

export type BlobPlace = { in: 'files'; dir: string } | { in: 'store' } | { in: 'bucket'; bucket: Bucket }
