/**
 * A bucket of object storage, named by the URL `s3://<bucket>/<prefix>?endpoint=<URL>&region=<region>`.
 * `&public_endpoint=<URL>` is added if readers reach the server at another address. The credentials are in environment
 * variables, because the URL is logged.
 */
export interface Bucket {
  /** URL of the server, without a slash at its end. */
  endpoint: string
  /** Base URL at which readers of links reach the server; undefined if it is the same. */
  publicEndpoint?: string
  name: string
  /** Prefix of all keys in the bucket; empty, or with a slash at its end. */
  prefix: string
  region: string
  credentials: BucketCredentials
}

export interface BucketCredentials {
  accessKeyId: string
  secretAccessKey: string
  /** Token that belongs to temporary credentials; undefined for permanent ones. */
  sessionToken: string | undefined
}

export const BUCKET_URLS =
  's3://<bucket>/<prefix>?endpoint=<http or https URL>&region=<region>, in which only the bucket is required'

const NAME = /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i
const REGION = /^[a-z0-9-]{1,40}$/
const SEGMENT = /^(?!\.{1,2}$)[\w.-]+$/
const PARAMETERS = ['endpoint', 'public_endpoint', 'region']
/** Region that cloud tools assume by default. Servers without regions accept it. */
const DEFAULT_REGION = 'us-east-1'

/**
 * Parses a bucket URL. `otherRegion` is used if the URL has no region. Returns undefined if a part of the URL cannot be
 * used.
 */
export function parseBucketUrl(url: string, otherRegion = DEFAULT_REGION): Omit<Bucket, 'credentials'> | undefined {
  const [, name, path = '', query = ''] = /^s3:\/\/([^/?#]*)\/?([^?#]*)(?:\?([^#]*))?$/.exec(url) ?? []
  if (name === undefined || !NAME.test(name)) return undefined
  const segments = path.split('/').filter(Boolean)
  if (!segments.every((segment) => SEGMENT.test(segment))) return undefined
  const parameters = new URLSearchParams(query)
  if ([...parameters.keys()].some((key) => !PARAMETERS.includes(key))) return undefined
  const region = parameters.get('region') ?? otherRegion
  if (!REGION.test(region)) return undefined
  const endpoint = parameters.get('endpoint') ?? `https://s3.${region}.amazonaws.com`
  const publicEndpoint = parameters.get('public_endpoint')
  if (!isEndpoint(endpoint) || (publicEndpoint !== null && !isEndpoint(publicEndpoint))) return undefined
  return {
    name,
    prefix: segments.map((segment) => `${segment}/`).join(''),
    region,
    endpoint: withoutSlash(endpoint),
    ...(publicEndpoint === null ? {} : { publicEndpoint: withoutSlash(publicEndpoint) }),
  }
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '')

function isEndpoint(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password, search, hash } = new URL(value)
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '')
}

export const under = (bucket: Bucket, folder: string): Bucket => ({ ...bucket, prefix: `${bucket.prefix}${folder}/` })

export const shownBucket = ({ name, prefix, endpoint }: Pick<Bucket, 'name' | 'prefix' | 'endpoint'>): string =>
  `${name}/${prefix} at ${endpoint}`
