/** Requests of the main thread about the copies in the bucket. They never contain the bytes of a file. */
import type { Bucket } from '../../domain/bucket.ts'
import { SECOND } from '../../domain/clock.ts'
import { BucketFailure, bucketClient } from '../../storage/bucket/bucket-client.ts'
import { presigned } from '../../storage/bucket/presigned.ts'

/** Time limit in ms of the question whether a copy exists. A reader of the file may wait for the answer. */
const READER_WAITS = 3 * SECOND

export interface CopyBucket {
  /** Whether the bucket has the copy. Rejects if the bucket reports an error or does not answer. */
  isThere(name: string): Promise<boolean>
  linkTo(name: string, ms: number): Promise<string>
  firstNames(): Promise<string[]>
  names(prefix: string): Promise<string[]>
  remove(name: string): Promise<void>
}

export function copyBucket(bucket: Bucket): CopyBucket {
  const client = bucketClient(bucket)
  const impatient = bucketClient(bucket, { retries: [] })
  return {
    async isThere(key) {
      try {
        await impatient.request({ method: 'HEAD', key, signal: AbortSignal.timeout(READER_WAITS) })
        return true
      } catch (error) {
        // The answer to HEAD has no body and therefore no error code.
        if (error instanceof BucketFailure && error.status === 404) return false
        throw error
      }
    },
    linkTo: (key, ms) => presigned(bucket, key, ms),
    firstNames: client.firstKeys,
    names: client.list,
    remove: async (key) => void (await client.request({ method: 'DELETE', key, expected: 'NoSuchKey' })),
  }
}
