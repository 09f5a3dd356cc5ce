/** The place of the media of waiting messages, which all threads of the service open (`storage/open-store.ts`). */
import type { Bucket } from './bucket.ts'

export type BlobPlace =
  | { in: 'files'; dir: string }
  /** The store that holds the records also holds the media. */
  | { in: 'store' }
  | { in: 'bucket'; bucket: Bucket }
