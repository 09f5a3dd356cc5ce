/**
 * How a socket reaches the network: its own network and media hosts (trusted CA, the fixed media host redirected in the sandbox) and the
 * instance's proxy. One per instance configuration, shared by its sockets.
 */
import { Agent as HttpsAgent } from 'node:https'
import type { Dispatcher } from 'undici'
import { Failure } from '../../../src/domain/failures.ts'
import type { Ranges } from '../../../src/egress/addresses.ts'
import { type ProxyRoute, proxyRoute } from '../../../src/egress/proxy-route.ts'
import { trustedBy } from '../../../src/egress/trusted.ts'
import type { NetworkOptions } from '../../../src/engine/engine.ts'
import { fileRoute } from '../../../src/media/file-route.ts'

export interface NetworkRoute {
  /** For the WebSocket; undefined without a proxy. */
  agent: HttpsAgent | undefined
  /** For uploads, which go through node:https. */
  fetchAgent: HttpsAgent
  /** For files that are read here: the history. */
  files: Dispatcher
  /** For what the library downloads, blobs of app state, which goes through fetch. */
  fetchOptions: RequestInit
  /** Call after the sessions on this route have ended: cuts the connections that are still open. */
  close(): Promise<void>
}

/** The route of the running session; without one nothing can be sent. */
export function presentRoute(route: NetworkRoute | null): NetworkRoute {
  if (!route) throw new Failure('instance_not_connected')
  return route
}

/** Throws `EgressBlocked` when the proxy is where the account may not go. */
export async function createNetworkRoute(network: NetworkOptions, proxyUrl: string | null, allow: Ranges): Promise<NetworkRoute> {
  const secureContext = trustedBy(network.ca)
  const through = proxyUrl === null ? undefined : proxyRoute(proxyUrl, allow)
  const proxy = through && (await proxyAgent(through))
  const dispatcher = fileRoute(network, through)
  return {
    agent: proxy,
    fetchAgent: proxy ?? new HttpsAgent(secureContext ? { secureContext } : {}),
    files: dispatcher,
    fetchOptions: { dispatcher } as unknown as RequestInit,
    async close() {
      proxy?.destroy()
      // Not `close`, which waits for every answer, even of a host that no longer responds. The session that asked has ended.
      await dispatcher.destroy()
    },
  }
}

/** `socks5h`: the proxy resolves the name. A lookup here would reveal the account's destinations to the local network. */
async function proxyAgent({ url, lookup }: ProxyRoute): Promise<HttpsAgent> {
  // Loaded for the first instance that has such a proxy.
  if (url.startsWith('socks')) {
    const { SocksProxyAgent } = await import('socks-proxy-agent')
    return new SocksProxyAgent(url.replace(/^socks5:/, 'socks5h:'), {
      socketOptions: { lookup } as never,
    }) as unknown as HttpsAgent
  }
  const { HttpsProxyAgent } = await import('https-proxy-agent')
  return new HttpsProxyAgent(url, { lookup }) as unknown as HttpsAgent
}
