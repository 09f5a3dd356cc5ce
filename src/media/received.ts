/** Reads received files by their link: from the network's host, through the instance's proxy, asking the phone again for what is gone. */
import { type Dispatcher, request } from 'undici'
import { type Clock, SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import type { NetworkOptions } from '../engine/engine.ts'
import type { ProxyWay } from '../webhooks/proxy-way.ts'
import { decrypted } from './decrypt.ts'
import { fileRoute } from './file-route.ts'
import type { MediaLinks, ReceivedFile } from './links.ts'

export interface ReceivedMediaDeps {
  links: MediaLinks
  network: NetworkOptions
  /** Throws when the proxy is where an account may not go. */
  proxyWay(proxyUrl: string): ProxyWay
  clock: Clock
  log: Log
  /** Undefined: there is no such instance. */
  proxyOf(instance: string): string | null | undefined
  /** Asks the phone to upload it again; resolves with its new path. Rejects with `Failure`. */
  askAgain(instance: string, file: ReceivedFile): Promise<string>
}

export interface OpenFile {
  file: ReceivedFile
  stream: ReadableStream<Uint8Array>
}

export interface ReceivedMedia {
  /** Undefined for a link that leads nowhere. Rejects with `media_download_failed`. */
  open(link: string): Promise<OpenFile | undefined>
  close(): Promise<void>
}

const MEDIA_ORIGIN = 'https://mmg.whatsapp.net'
/** Without a byte for this long, in ms, the host is not answering. */
const SILENCE = 30 * SECOND
/** Routes kept open, one per proxy. */
const MAX_ROUTES = 32
/** The host has forgotten it, or its link has run out. */
const GONE = new Set([403, 404, 410])

export function createReceivedMedia({
  links,
  network,
  proxyWay,
  clock,
  log,
  proxyOf,
  askAgain,
}: ReceivedMediaDeps): ReceivedMedia {
  const routes = new Map<string | null, Dispatcher>()

  function routeOf(proxyUrl: string | null): Dispatcher {
    const known = routes.get(proxyUrl)
    if (known) return known
    for (const [oldest, route] of routes) {
      if (routes.size < MAX_ROUTES) break
      routes.delete(oldest)
      // It ends when what is under way through it has ended.
      route.close().catch((error: unknown) => log.warn({ err: error }, 'a route to received files did not close'))
    }
    const route = fileRoute(network, proxyUrl === null ? undefined : proxyWay(proxyUrl))
    routes.set(proxyUrl, route)
    return route
  }

  async function fetched(path: string, proxyUrl: string | null) {
    try {
      const response = await request(MEDIA_ORIGIN + path, {
        dispatcher: routeOf(proxyUrl),
        headersTimeout: SILENCE,
        bodyTimeout: SILENCE,
        // The host answers only who says that it comes from there.
        headers: { origin: 'https://web.whatsapp.com' },
      })
      if (response.statusCode === 200) return response.body
      await response.body.dump()
      return response.statusCode
    } catch (cause) {
      throw new Failure('media_download_failed', { cause })
    }
  }

  return {
    async open(link) {
      const opened = links.open(link, clock.now())
      const proxyUrl = opened ? proxyOf(opened.instance) : undefined
      if (!opened || proxyUrl === undefined) return undefined
      const { instance, file } = opened
      let body = await fetched(file.path, proxyUrl)
      if (typeof body === 'number' && GONE.has(body)) body = await fetched(await askAgain(instance, file), proxyUrl)
      if (typeof body === 'number')
        throw new Failure('media_download_failed', { message: `The network's file host answered ${body}.` })
      return { file, stream: streamOf(decrypted(file, body)) }
    },
    async close() {
      await Promise.all([...routes.values()].map((route) => route.destroy()))
      routes.clear()
    },
  }
}

/** Pulled, never pushed: a slow reader holds the host back. */
function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}
