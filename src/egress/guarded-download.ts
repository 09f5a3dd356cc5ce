/**
 * Downloads a file from an address that somebody else chose. A large body is not in memory as a whole, and the download
 * is aborted if the body is too large.
 */
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Through } from '../domain/bytes.ts'
import { decoded, FetchFailed, type GuardedFetchOptions, guardedRequest } from './guarded-fetch.ts'

export interface Downloaded {
  url: string
  status: number
  size: number
}

const WAITING = 512 * 1_024

/**
 * Writes the body of a URL to a file. `through` converts the body on its way. Throws FetchFailed. A status other than
 * 2xx is returned, and writes nothing.
 */
export function guardedDownload(
  url: string,
  path: string,
  options: Omit<GuardedFetchOptions, 'tooLarge'>,
  through: Through = (bytes) => bytes,
): Promise<Downloaded> {
  return guardedRequest(url, options, async (response) => {
    const { url: last, status, headers, signal } = response
    if (response.body === null) return { url: last, status, size: 0 }
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
    // The limit applies to the decoded bytes, too.
    const kept = (bytes: AsyncIterable<Uint8Array>) => through(counted(bytes))
    const file = createWriteStream(path, { highWaterMark: WAITING })
    await pipeline(decoded(response), kept, file, { signal })
    return { url: last, status, size }
  })
}
