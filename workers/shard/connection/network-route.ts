/**
 * How a socket reaches the outside: its own network and media hosts (trusted CA, the fixed media host redirected in the sandbox) and the
 * instance's proxy. One per instance configuration, shared by its sockets.
 */
import { Agent as HttpsAgent } from 'node:https'
import { HttpsProxyAgent } from 'https-proxy-agent'
import { SocksProxyAgent } from 'socks-proxy-agent'
import type { Ranges } from '../../../src/egress/addresses.ts'
import { type ProxyRoute, proxyRoute } from '../../../src/egress/proxy-route.ts'
import type { NetworkOptions } from '../../../src/engine/engine.ts'
import { authorities, fileRoute } from '../../../src/media/file-route.ts'

export interface Outside {
  /** For the WebSocket; undefined without a proxy. */
  agent: HttpsAgent | undefined
  /** For uploads, which go through node:https. */
  fetchAgent: HttpsAgent
  /** For downloads, history and app-state blobs, which go through fetch. */
  fetchOptions: RequestInit
  /** Once the sessions that go this way have ended: what is still under way is cut. */
  close(): Promise<void>
}

/** Throws `EgressBlocked` when the proxy is where the account may not go. */
export function createOutside(network: NetworkOptions, proxyUrl: string | null, allow: Ranges): Outside {
  const ca = authorities(network)
  const way = proxyUrl === null ? undefined : proxyRoute(proxyUrl, allow)
  const proxy = way && proxyAgent(way)
  const dispatcher = fileRoute(network, way)
  return {
    agent: proxy,
    fetchAgent: proxy ?? new HttpsAgent(ca ? { ca } : {}),
    fetchOptions: { dispatcher } as unknown as RequestInit,
    async close() {
      proxy?.destroy()
      // Not its `close`, which waits for every answer, that of a host that has gone silent too. Whoever asked is an ended session.
      await dispatcher.destroy()
    },
  }
}

/** `socks5h`: the proxy resolves the name. A look-up here would tell our own network where the account goes. */
const proxyAgent = ({ url, lookup }: ProxyRoute): HttpsAgent =>
  (url.startsWith('socks')
    ? new SocksProxyAgent(url.replace(/^socks5:/, 'socks5h:'), { socketOptions: { lookup } as never })
    : new HttpsProxyAgent(url, { lookup })) as unknown as HttpsAgent
