/** The place where the media of waiting messages are stored. All threads of the service open it. */
import type { Bucket } from './bucket.ts'

export type BlobPlace = { in: 'files'; dir: string } | { in: 'store' } | { in: 'bucket'; bucket: Bucket }
