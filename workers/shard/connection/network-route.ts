/**
 * Route of a socket to the network: the network's own hosts (trusted CA, and in the sandbox the redirected media host) and the proxy of the instance.
 * There is one per configuration of an instance, shared by its sockets.
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
  /** Agent for the WebSocket; undefined without a proxy. */
  agent: HttpsAgent | undefined
  /** Agent for uploads, which use node:https. */
  fetchAgent: HttpsAgent
  /** Dispatcher for the files of the history, which this service downloads itself. */
  files: Dispatcher
  /** Options for files of app state, which the library downloads with `fetch`. */
  fetchOptions: RequestInit
  /** Closes the connections of the route that are still open. Must be called after the sessions on this route have ended. */
  close(): Promise<void>
}

/** Returns the route of the running session. Throws without a session, because nothing can be sent. */
export function presentRoute(route: NetworkRoute | null): NetworkRoute {
  if (!route) throw new Failure('instance_not_connected')
  return route
}

/** Creates a route. Throws `EgressBlocked` if the address of the proxy is not allowed. */
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
      // `destroy` is called instead of `close`, because `close` waits for every answer, even if a host no longer responds. The session that made
      // these requests has ended.
      await dispatcher.destroy()
    },
  }
}

/**
 * Creates the agent of a proxy. `socks5h` means that the proxy resolves the name: a look-up here would reveal the
 * account's destinations to the local network.
 */
async function proxyAgent({ url, lookup }: ProxyRoute): Promise<HttpsAgent> {
  // The module is loaded only when the first instance has a SOCKS proxy.
  if (url.startsWith('socks')) {
    const { SocksProxyAgent } = await import('socks-proxy-agent')
    return new SocksProxyAgent(url.replace(/^socks5:/, 'socks5h:'), {
      socketOptions: { lookup } as never,
    }) as unknown as HttpsAgent
  }
  const { HttpsProxyAgent } = await import('https-proxy-agent')
  return new HttpsProxyAgent(url, { lookup }) as unknown as HttpsAgent
}
