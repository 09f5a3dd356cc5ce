import type { Log } from '../../domain/log.ts'
import type { MediaCopy, MediaCopyResult } from '../../domain/media-copy.ts'
import type { CopyBucket } from './copy-bucket.ts'

export interface BucketWatchDeps {
  bucket: Pick<CopyBucket, 'isThere'>
  /** Copies a file. Never rejects. */
  copy(task: MediaCopy): Promise<MediaCopyResult>
  log: Log
}

export interface BucketWatch {
  /**
   * Tries to copy a file. While the bucket is known to fail, the bucket is asked first, so that the file is not
   * downloaded for nothing.
   */
  tried(task: MediaCopy): Promise<MediaCopyResult>
  heard(result: MediaCopyResult): void
  readonly isAway: boolean
}

export function createBucketWatch({ bucket, copy, log }: BucketWatchDeps, onBack: () => void): BucketWatch {
  let isAway = false

  return {
    async tried(task) {
      if (isAway) {
        try {
          if (await bucket.isThere(task.name)) return { type: 'copied' }
        } catch (error) {
          return { type: 'bucket', reason: (error as Error).message }
        }
      }
      return copy(task)
    },
    heard(result) {
      if (result.type === 'bucket' && !isAway) {
        log.error({ problem: result.reason }, 'received files cannot be copied to the bucket; they wait')
        isAway = true
      }
      if (result.type !== 'copied' || !isAway) return
      isAway = false
      log.info({}, 'received files can be copied to the bucket again')
      onBack()
    },
    get isAway() {
      return isAway
    },
  }
}
