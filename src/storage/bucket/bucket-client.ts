/**
 * Requests to a bucket, signed by aws4fetch. The bucket is named in the path, because a bucket name in the host does
 * not work with every server.
 *
 * The S3 driver of unstorage is not used: it takes no session token, has no time limits, and lists only the first 1,000
 * keys of the bucket.
 */
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { type Bucket, shownBucket } from '../../domain/bucket.ts'
import { SECOND } from '../../domain/clock.ts'

const DEADLINE = 30 * SECOND
/** Waits in ms before the second and the third attempt of a request that may succeed a moment later (`mayPass`). */
const RETRIES = [200, SECOND]
/** Maximum number of keys per page of a list. S3 returns no more. */
const PAGE = 1_000

export type Query = Readonly<Record<string, string>>

export interface BucketRequest {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Name of the object without the prefix of the bucket; absent for a request about the bucket itself. */
  key?: string | undefined
  query?: Query | undefined
  headers?: Readonly<Record<string, string>> | undefined
  body?: Uint8Array | string | undefined
  /** Error code that the caller treats as a normal answer, for example `NoSuchKey`. */
  expected?: string | undefined
  signal?: AbortSignal | undefined
}

export interface BucketAnswer {
  status: number
  headers: Headers
  bytes: Uint8Array
  /** The expected error code, if the server has answered with it; undefined for success. */
  code: string | undefined
}

export interface BucketClient {
  shown: string
  /** Sends a request. Rejects with `BucketFailure`, unless the signal of the request is aborted. */
  request(request: BucketRequest): Promise<BucketAnswer>
  failure(status: number, code: string | undefined): BucketFailure
  firstKeys(): Promise<string[]>
  check(): Promise<void>
  list(prefix: string): Promise<string[]>
}

export interface ClientOptions {
  retries?: readonly number[]
  page?: number
}

/** Error of a request to a bucket that has failed. The message is a sentence for the operator. */
export class BucketFailure extends Error {
  readonly status: number | undefined

  constructor(message: string, { status, ...options }: ErrorOptions & { status?: number } = {}) {
    super(message, options)
    this.name = 'BucketFailure'
    this.status = status
  }
}

export function bucketClient(bucket: Bucket, { retries = RETRIES, page = PAGE }: ClientOptions = {}): BucketClient {
  const shown = shownBucket(bucket)
  const { credentials, region } = bucket
  const size: Query = { 'max-keys': String(page) }

  const failure = (status: number, code: string | undefined) =>
    new BucketFailure(`The bucket ${shown} answered ${status}${code === undefined ? '' : ` (${code})`}.`, { status })

  async function once({ method, key, query, headers, body, expected, signal }: BucketRequest): Promise<BucketAnswer> {
    const signer = new AwsV4Signer({
      method,
      url: urlOf(bucket, key, query).href,
      headers: { ...headers, 'x-amz-content-sha256': sha256(body ?? '') },
      ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      ...credentials,
      service: 's3',
      region,
    })
    const signed = await signer.sign()
    const limit = AbortSignal.timeout(DEADLINE)
    const answer = await fetch(signed.url, {
      method,
      headers: signed.headers,
      ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      redirect: 'error',
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const { status, headers: got } = answer
    if (answer.ok) return { status, headers: got, bytes, code: undefined }
    const code = /<Code>(\w+)<\/Code>/.exec(textOf(bytes))?.[1]
    if (code !== undefined && code === expected) return { status, headers: got, bytes, code }
    throw failure(status, code)
  }

  async function attempt(request: BucketRequest): Promise<BucketAnswer> {
    try {
      return await once(request)
    } catch (cause) {
      if (cause instanceof BucketFailure) throw cause
      request.signal?.throwIfAborted()
      throw new BucketFailure(`The bucket ${shown} cannot be reached: ${reasonOf(cause)}.`, { cause })
    }
  }

  async function request(request: BucketRequest): Promise<BucketAnswer> {
    for (const ms of retries) {
      try {
        return await attempt(request)
      } catch (error) {
        if (!(error instanceof BucketFailure && mayPass(error))) throw error
        await wait(ms, undefined, { signal: request.signal })
      }
    }
    return attempt(request)
  }

  const keysIn = (answer: Uint8Array) =>
    [...textOf(answer).matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key!.slice(bucket.prefix.length))

  return {
    shown,
    request,
    failure,
    firstKeys: async () => keysIn((await request({ method: 'GET', query: listQuery(bucket, '', size) })).bytes),
    check: async () => void (await request({ method: 'GET', query: listQuery(bucket, '', { 'max-keys': '1' }) })),
    async list(prefix) {
      const found: string[] = []
      for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
        const more: Query = token === undefined ? size : { ...size, 'continuation-token': token }
        const { bytes } = await request({ method: 'GET', query: listQuery(bucket, prefix, more) })
        found.push(...keysIn(bytes))
        token = /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(textOf(bytes))?.[1]
      }
      return found
    },
  }
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')

const listQuery = ({ prefix }: Bucket, folder: string, more: Query): Query => ({
  'list-type': '2',
  prefix: prefix + folder,
  ...more,
})

export function urlOf({ endpoint, name, prefix }: Bucket, key: string | undefined, query: Query = {}): URL {
  const url = new URL(`${endpoint}/${name}${key === undefined ? '' : `/${prefix}${key}`}`)
  for (const [parameter, value] of Object.entries(query)) url.searchParams.set(parameter, value)
  return url
}

/** True if the same request may succeed a moment later: the server was busy, or an idle connection was closed. */
const mayPass = ({ status, cause }: BucketFailure): boolean =>
  status === undefined ? !isTimeout(cause) : status >= 500 || status === 429

const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError'

function reasonOf(error: unknown): string {
  if (isTimeout(error)) return `it did not answer within ${DEADLINE / SECOND} s`
  const { cause } = error as { cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? String(error)
}

const sha256 = (body: Uint8Array | string) => createHash('sha256').update(body).digest('hex')
