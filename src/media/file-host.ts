/**
 * Reads files from WhatsApp's file host. Other people choose the files, and users choose proxies, so size and time of
 * the answer are limited.
 */
import { SECOND } from '../domain/clock.ts'
import type { FileDownload } from '../domain/file-download.ts'
import { drain } from '../egress/egress.ts'
import { request } from '../egress/undici.ts'
import { ChangedFile, decisiveSealedLength } from './decrypt.ts'
import type { Routes } from './routes.ts'

const MEDIA_ORIGIN = 'https://mmg.whatsapp.net'
/** Milliseconds without a byte after which the host counts as unreachable. */
const SILENCE = 30 * SECOND
/**
 * Minimum rate in bytes per ms (16 KB/s), after the first 30 s. Time in which no code waits for the host does not
 * count.
 */
const SLOWEST = 16
/** Maximum number of bytes of an encrypted file. WhatsApp's own limit for documents is 2 GB. */
const MAX_SEALED = 2.1e9

export interface FileHost {
  /** Requests a file. Also resolves for a status other than 200. */
  get(download: Pick<FileDownload, 'file' | 'path' | 'proxyUrl'>, signal: AbortSignal): Promise<Answer>
}
type Answer = { status: number } | { body: AsyncIterable<Uint8Array>; length: number | null }

export function createFileHost(routes: Routes, now = () => performance.now(), maxSealed = MAX_SEALED): FileHost {
  return {
    async get({ file, path, proxyUrl }, signal) {
      // The path may come from an untrusted message. `@host`, for example, would lead to another host.
      if (!path.startsWith('/')) throw new Error('the URL of a received file does not point to a media host of the network')
      const response = await request(MEDIA_ORIGIN + path, {
        dispatcher: routes.of(proxyUrl),
        headersTimeout: SILENCE,
        bodyTimeout: SILENCE,
        signal,
        // The host answers only requests with this `origin` header.
        headers: { origin: 'https://web.whatsapp.com' },
      })
      // Without a listener, an error while no code reads would end the thread. The reader gets the error nevertheless.
      response.body.on('error', () => {})
      // Redirects are not followed, because other hosts must not be reached.
      if (response.statusCode !== 200) {
        await drain(response.body)
        return { status: response.statusCode }
      }
      const declared = Number(response.headers['content-length'] ?? Number.NaN)
      const wanted = decisiveSealedLength(file)
      const limit = Math.min(wanted ?? maxSealed, maxSealed)
      if (declared > limit || (wanted !== null && declared < wanted)) {
        response.body.destroy()
        throw new ChangedFile('length')
      }
      return { body: bounded(response.body, limit, now), length: Number.isNaN(declared) ? null : declared }
    },
  }
}

async function* bounded(source: AsyncIterable<Uint8Array>, limit: number, now: () => number): AsyncGenerator<Uint8Array> {
  let received = 0
  let waited = 0
  let since = now()
  for await (const chunk of source) {
    waited += now() - since
    received += chunk.length
    if (received > limit) throw new ChangedFile('length')
    if (waited > SILENCE + received / SLOWEST) throw new Error('the host of a received file is too slow')
    yield chunk
    since = now()
  }
}
