import { join, resolve } from 'node:path'
import type { Variables } from './config-variables.ts'
import type { BlobPlace } from './domain/blob-place.ts'
import { type Bucket, parseBucketUrl, under } from './domain/bucket.ts'
import { parseStoreUrl, schemaOf, withSchema } from './domain/store-url.ts'

export interface DataPlaces {
  dataDir: string
  storeUrl: string
  /** Folder for media of waiting messages, if the operator named one (SVC_BLOBS_DIR); otherwise null. */
  blobsDir: string | null
  keysDir: string | null
  blobs: BlobPlace
  /** Bucket for copies of received files; null if they are not copied. */
  mediaBucket: Bucket | null
  /** True if the sandbox stores its phones, keys, instances and messages for its next start. */
  sandboxKeep: boolean
}

/**
 * Returns the configuration with the sandbox's own store, folders and bucket prefixes, even if SVC_STORE_URL is set. If
 * a real account logged in to the simulated network, its credentials would be erased.
 */
export function sandboxed<C extends DataPlaces>(config: C): C {
  const dataDir = join(config.dataDir, 'sandbox')
  const [blobsDir, keysDir] = [config.blobsDir, config.keysDir].map((dir) => dir && join(dir, 'sandbox')) as (string | null)[]
  const bucket = config.blobs.in === 'bucket' ? under(config.blobs.bucket, 'sandbox') : null
  const own = { dataDir, storeUrl: sandboxUrl(config, dataDir), blobsDir: blobsDir! }
  const mediaBucket = config.mediaBucket && under(config.mediaBucket, 'sandbox')
  return { ...config, ...own, blobs: blobPlace(own, bucket), mediaBucket, keysDir: keysDir! }
}

export function blobPlace(
  { blobsDir, dataDir, storeUrl }: Pick<DataPlaces, 'blobsDir' | 'dataDir' | 'storeUrl'>,
  bucket: Bucket | null,
): BlobPlace {
  if (bucket !== null) return { in: 'bucket', bucket }
  if (blobsDir !== null) return { in: 'files', dir: blobsDir }
  return parseStoreUrl(storeUrl)?.backend === 'postgres' ? { in: 'store' } : { in: 'files', dir: join(dataDir, 'blobs') }
}

export const blobsBeside = (config: DataPlaces, storeUrl: string): BlobPlace =>
  blobPlace({ ...config, storeUrl }, config.blobs.in === 'bucket' ? config.blobs.bucket : null)

export function bucketOf(variable: 'SVC_BLOBS_URL' | 'SVC_MEDIA_URL', known: Variables): Bucket | null {
  const url = known[variable]
  if (url === undefined) return null
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = known
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new Error(`${variable} is set; it needs the credentials of the bucket in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`)
  const place = parseBucketUrl(url, known.AWS_REGION)
  if (variable === 'SVC_BLOBS_URL' && place?.publicEndpoint !== undefined)
    throw new Error(
      'SVC_BLOBS_URL has a public_endpoint; only SVC_MEDIA_URL can have one, because there are no links to the media of waiting messages.',
    )
  if (place === undefined) throw new Error(`AWS_REGION is ${JSON.stringify(known.AWS_REGION)}; it must be the name of a region.`)
  return { ...place, credentials: { accessKeyId, secretAccessKey, sessionToken } }
}

function sandboxUrl({ storeUrl, sandboxKeep, dataDir: serviceDir }: DataPlaces, dataDir: string): string {
  const store = parseStoreUrl(storeUrl)!
  if (!sandboxKeep || store.backend === 'memory') return 'memory:new'
  if (store.backend === 'postgres') return withSchema(storeUrl, `${schemaOf(storeUrl)}_sandbox`)
  return `lmdb:${resolve(store.dir) === join(serviceDir, 'state') ? join(dataDir, 'state') : join(store.dir, 'sandbox')}`
}
