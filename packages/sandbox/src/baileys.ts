/** The options with which an unmodified Baileys connects to the sandbox. */
import { readFileSync } from 'node:fs'
import { Agent as HttpsAgent } from 'node:https'
import { Agent, buildConnector } from 'undici'
import type { SandboxNetworkReady } from './sandbox-start.ts'

export interface BaileysOptions {
  waWebSocketUrl: string
  /** Agent for uploads. */
  fetchAgent: HttpsAgent
  /** Options of `fetch` for downloads. */
  options: RequestInit
}

/**
 * Returns options for `makeWASocket`: the address of the network, and routes for media. Requests to the fixed media
 * hosts (`*.whatsapp.net`) also go to the sandbox.
 */
export function baileysOptions({ url, ca: file, media_host }: SandboxNetworkReady['network']): BaileysOptions {
  const ca = readFileSync(file, 'utf8')
  const direct = buildConnector({ ca })
  const port = media_host.slice(media_host.lastIndexOf(':') + 1)
  const dispatcher = new Agent({
    connect: (to, done) =>
      to.hostname.endsWith('.whatsapp.net')
        ? direct({ ...to, hostname: '127.0.0.1', host: media_host, port, servername: to.hostname }, done)
        : direct(to, done),
  })
  // Both Node's own `fetch` and the package undici accept the dispatcher, but their types differ.
  return { waWebSocketUrl: url, fetchAgent: new HttpsAgent({ ca }), options: { dispatcher } as unknown as RequestInit }
}
