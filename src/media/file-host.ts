/**
 * The network's host of files, which may be anybody's machine behind a proxy of the instance: its answer is bounded in bytes before it is
 * read, and in time while it is.
 */
import { SECOND } from '../domain/clock.ts'
import type { FileDownload } from '../domain/file-download.ts'
import { drain } from '../egress/egress.ts'
import { request } from '../egress/undici.ts'
import { ChangedFile, decisiveSealedLength } from './decrypt.ts'
import type { Routes } from './routes.ts'

const MEDIA_ORIGIN = 'https://mmg.whatsapp.net'
/** Without a byte for this long, in ms, the host is not answering. */
const SILENCE = 30 * SECOND
/** Below this, in bytes per ms (16 KB/s), a host only holds a place. Counted while we wait for it, beyond the first `SILENCE`. */
const SLOWEST = 16
/** The network's own limit for documents is 2 GB. */
const MAX_SEALED = 2.1e9

export interface FileHost {
  /** A status other than 200 is an answer. */
  get(download: Pick<FileDownload, 'file' | 'path' | 'proxyUrl'>, signal: AbortSignal): Promise<Answer>
}
/** `length` is what the host declares; null: it declares none. */
type Answer = { status: number } | { body: AsyncIterable<Uint8Array>; length: number | null }

export function createFileHost(routes: Routes, now = () => performance.now(), maxSealed = MAX_SEALED): FileHost {
  return {
    async get({ file, path, proxyUrl }, signal) {
      // The phone's answer is as little trusted as a message: `@host` would lead elsewhere.
      if (!path.startsWith('/')) throw new Error('the URL of a received file does not point to a media host of the network')
      const response = await request(MEDIA_ORIGIN + path, {
        dispatcher: routes.of(proxyUrl),
        headersTimeout: SILENCE,
        bodyTimeout: SILENCE,
        signal,
        // The host answers only requests with this origin.
        headers: { origin: 'https://web.whatsapp.com' },
      })
      // The reader gets the error. Without a listener, one that fails while nobody reads would end the thread, and every other download with it.
      response.body.on('error', () => {})
      // No redirect is followed: the network's host has none, and anybody else's may not be reached.
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
