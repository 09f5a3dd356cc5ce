/** A GET with limits, to an address that somebody else chose: media by URL, link previews. */
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { FETCH_AGENT } from '../domain/brand.ts'
import type { Ranges } from './addresses.ts'
import { createAgent, drain, type EgressOptions, type NetworkError, networkError } from './egress.ts'
import { MAX_URL_LENGTH } from './targets.ts'
import { request } from './undici.ts'

export interface GuardedFetchOptions {
  allow: Ranges
  timeoutMs: number
  maxBytes: number
  maxRedirects: number
  /**
   * Selects what happens to a body above `maxBytes`: it fails, or its beginning is kept (enough for a link preview).
   */
  tooLarge?: 'fail' | 'cut'
  headers?: Record<string, string>
  /** Functions with which tests replace the name look-up and the sockets. */
  egress?: Pick<EgressOptions, 'resolve' | 'dial'>
}

export interface Fetched {
  url: string
  status: number
  /** Headers with lower-case names. Of repeated headers, the first is returned. */
  headers: Record<string, string>
  body: Uint8Array
}

export type FetchProblem = NetworkError | 'too_large' | 'redirects' | 'url' | 'encoding'

export class FetchFailed extends Error {
  readonly problem: FetchProblem

  constructor(problem: FetchProblem, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.name = 'FetchFailed'
    this.problem = problem
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

export interface Answered {
  url: string
  status: number
  headers: Record<string, string>
  /** The body as it was sent, with its content encoding. Null unless the status is 2xx. */
  body: Readable | null
  signal: AbortSignal
}

/** Throws FetchFailed. A status other than 2xx is returned, with an empty body. */
export function guardedFetch(url: string, options: GuardedFetchOptions): Promise<Fetched> {
  const { maxBytes, tooLarge = 'fail' } = options
  return guardedRequest(url, options, async (answer) => {
    const { url: last, status, headers } = answer
    return { url: last, status, headers, body: await readBody(decoded(answer), maxBytes, tooLarge) }
  })
}

export async function guardedRequest<T>(
  url: string,
  options: GuardedFetchOptions,
  read: (answer: Answered) => Promise<T>,
): Promise<T> {
  const { allow, timeoutMs, maxBytes, maxRedirects, tooLarge = 'fail', headers = {}, egress } = options
  const agent = createAgent({ allow, plainHttp: 'public', ...egress }, { maxResponseSize: tooLarge === 'fail' ? maxBytes : -1 })
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    let target = webUrl(url)
    for (let redirects = 0; ; redirects++) {
      const answer = await request(target, {
        dispatcher: agent,
        signal,
        headers: { 'accept-encoding': 'identity', 'user-agent': FETCH_AGENT, ...credentials(target), ...headers },
      })
      const location = first(answer.headers.location)
      if (REDIRECTS.has(answer.statusCode) && location !== undefined) {
        await drain(answer.body)
        if (redirects === maxRedirects) throw new FetchFailed('redirects', `The URL redirects more than ${maxRedirects} times.`)
        target = webUrl(location, target)
        continue
      }
      const flat = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, first(value) ?? '']))
      const good = answer.statusCode >= 200 && answer.statusCode < 300
      if (!good) await drain(answer.body)
      const { href } = target
      return await read({ url: href, status: answer.statusCode, headers: flat, body: good ? answer.body : null, signal })
    }
  } catch (cause) {
    throw cause instanceof FetchFailed ? cause : asFailure(cause)
  } finally {
    await agent.destroy()
  }
}

async function readBody(stream: AsyncIterable<Buffer>, maxBytes: number, tooLarge: 'fail' | 'cut'): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.byteLength
    if (size > maxBytes) {
      if (tooLarge === 'fail') throw new FetchFailed('too_large', `The URL returned more than ${maxBytes} bytes.`)
      chunks.push(chunk.subarray(0, chunk.byteLength - (size - maxBytes)))
      break
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Removes the content encoding, which some servers use although none is requested. The caller must limit the size of
 * the decoded bytes.
 */
export async function* decoded({ body, headers }: Pick<Answered, 'body' | 'headers'>): AsyncGenerator<Buffer> {
  if (body === null) return
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return yield* body
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]!() : undefined
  if (decoder === undefined)
    throw new FetchFailed('encoding', 'The URL returned a content encoding that the service did not request.')
  // The rejection of the pipeline is ignored here, because a failure of either stream destroys the decoder, and
  // `yield*` below then throws the error.
  pipeline(body, decoder).catch(() => {})
  try {
    yield* decoder
  } catch (cause) {
    const isBadEncoding = /^(Z_|ERR__|ERR_BROTLI)/.test(String((cause as { code?: unknown }).code))
    throw isBadEncoding ? new FetchFailed('encoding', 'The response of the URL cannot be decoded.', { cause }) : cause
  }
}

function webUrl(text: string, base?: URL): URL {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text, base?.href)) throw new FetchFailed('url', 'The URL is not valid.')
  const url = new URL(text, base)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new FetchFailed('url', 'The URL must be http or https.')
  url.hash = ''
  return url
}

/**
 * Returns the header for `user:password@` in a URL, which undici silently ignores. A redirect to another origin does
 * not get the credentials.
 */
function credentials({ username, password }: URL): { authorization?: string } {
  if (username === '' && password === '') return {}
  // The credentials are decoded to bytes, because they need not be UTF-8.
  const bytes = `${username}:${password}`.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return { authorization: `Basic ${Buffer.from(bytes, 'latin1').toString('base64')}` }
}

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

function asFailure(cause: unknown): FetchFailed {
  if ((cause as { code?: string }).code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return new FetchFailed('too_large', 'The response of the URL is too large.', { cause })
  const problem = networkError(cause)
  return new FetchFailed(problem, SENTENCES[problem], { cause })
}

const SENTENCES: Record<NetworkError, string> = {
  timeout: 'The URL did not respond in time.',
  dns: 'The host of the URL was not found.',
  tls: 'The TLS connection to the URL failed.',
  refused: 'The host of the URL refused the connection.',
  blocked: 'The URL points to a private, loopback or reserved address, which is not allowed.',
  connection: 'The connection to the URL failed.',
}
