/**
 * The main module of the thread that copies received files to a bucket. It downloads, decrypts and verifies each file.
 * If a file was altered, the upload fails before its last part, so that no object is created.
 */
import { workerData } from 'node:worker_threads'
import type { Bucket } from '../../src/domain/bucket.ts'
import type { Logging } from '../../src/domain/log.ts'
import type { MediaCopy, MediaCopyResult } from '../../src/domain/media-copy.ts'
import { parseRanges } from '../../src/egress/addresses.ts'
import { proxyRoute } from '../../src/egress/proxy-route.ts'
import { disposition, typeOf } from '../../src/features/media.ts'
import { createLog } from '../../src/log.ts'
import { asStored, ChangedFile, decrypted } from '../../src/media/decrypt.ts'
import { createFileHost } from '../../src/media/file-host.ts'
import { createRoutes, type RouteOptions } from '../../src/media/routes.ts'
import { BucketFailure, bucketClient } from '../../src/storage/bucket/bucket-client.ts'
import { upload } from '../../src/storage/bucket/upload.ts'
import { giveWay } from './give-way.ts'

giveWay()
const { network, egressAllow, logging, bucket } = workerData as Pick<RouteOptions, 'network'> & {
  egressAllow: readonly string[]
  logging: Logging
  bucket: Bucket
}
const log = createLog(logging, 'copy')
const allow = parseRanges(egressAllow)
const host = createFileHost(createRoutes({ network, proxyRoute: (url) => proxyRoute(url, allow), log }))
const client = bucketClient(bucket)

/** Status codes of the media host for a deleted file or an expired URL. */
const GONE = new Set([403, 404, 410])

/** Copies one file, and returns the outcome. Never rejects. */
export async function copy({ download, name, mimeType, fileName }: MediaCopy): Promise<MediaCopyResult> {
  const stopped = new AbortController()
  try {
    const answer = await host.get(download, stopped.signal)
    if ('status' in answer) {
      const reason = `The network's file host answered ${answer.status}.`
      return { type: GONE.has(answer.status) ? 'gone' : 'host', reason }
    }
    const opened = decrypted(asStored(download.file, answer.length), answer.body)
    const headers = { 'content-type': typeOf(mimeType), 'content-disposition': disposition(fileName) }
    await upload(client, { key: name, headers }, opened)
    return { type: 'copied' }
  } catch (error) {
    const reason = (error as Error).message
    if (error instanceof BucketFailure) return { type: 'bucket', reason }
    return { type: error instanceof ChangedFile ? 'gone' : 'host', reason }
  } finally {
    stopped.abort()
  }
}
