import type { FileDownload } from './file-download.ts'

export interface MediaCopy {
  download: FileDownload
  name: string
  mimeType: string
  fileName: string | null
}

/**
 * Result of copying a received file to the bucket.
 *
 * - `copied`: the object is complete.
 * - `gone`: the network has no such file, or the file differs from the one that was sent. Another try has the same result.
 * - `host`: the network's host failed, and may work later.
 * - `bucket`: the bucket failed, and may work later.
 */
export type MediaCopyResult = { type: 'copied' } | { type: 'gone'; reason: string } | CopyFailure

export interface CopyFailure {
  type: 'host' | 'bucket'
  reason: string
}
