/** One bounded GET into a file, to an address somebody else chose: the body is never in memory, and cut off as soon as it is too large. */
import { createWriteStream } from 'node:fs'
import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Through } from '../domain/bytes.ts'
import { FetchFailed, type GuardedFetchOptions, guardedRequest } from './guarded-fetch.ts'

export interface Downloaded {
  /** After redirects. */
  url: string
  status: number
  /** Bytes that came; 0 unless the status is 2xx. */
  size: number
}

/** Bytes that may wait for the disk: it is given the pieces of a download together. */
const WAITING = 512 * 1_024

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** Throws FetchFailed. A status other than 2xx is an answer, not an error, and writes nothing. The file has what comes out of `through`. */
export function guardedDownload(
  url: string,
  path: string,
  options: Omit<GuardedFetchOptions, 'tooLarge'>,
  through: Through = (bytes) => bytes,
): Promise<Downloaded> {
  return guardedRequest(url, options, async ({ url: last, status, headers, body, signal }) => {
    if (body === null) return { url: last, status, size: 0 }
    const tooLarge = () => new FetchFailed('too_large', `The URL returned more than ${options.maxBytes} bytes.`)
    if (Number(headers['content-length'] ?? 0) > options.maxBytes) throw tooLarge()
    let size = 0
    async function* counted(bytes: AsyncIterable<Uint8Array>) {
      for await (const chunk of bytes) {
        size += chunk.byteLength
        if (size > options.maxBytes) throw tooLarge()
        yield chunk
      }
    }
    const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase()
    const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined
    if (encoding !== '' && encoding !== 'identity' && decoder === undefined)
      throw new FetchFailed('encoding', 'The URL returned a content encoding that the service did not request.')
    // The limit holds for the decoded bytes.
    const kept = (bytes: AsyncIterable<Uint8Array>) => through(counted(bytes))
    const file = createWriteStream(path, { highWaterMark: WAITING })
    const done = decoder ? pipeline(body, decoder(), kept, file, { signal }) : pipeline(body, kept, file, { signal })
    await done.catch((cause: unknown) => {
      const isBadEncoding = decoder !== undefined && String((cause as { code?: unknown }).code).startsWith('Z_')
      throw isBadEncoding ? new FetchFailed('encoding', 'The response of the URL cannot be decoded.', { cause }) : cause
    })
    return { url: last, status, size }
  })
}
