/**
 * Route of a socket to the network: hosts, trusted CA and proxy. All sockets of an instance share it until the proxy of
 * the instance changes.
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
  agent: HttpsAgent | undefined
  fetchAgent: HttpsAgent
  /** Dispatcher for the files that this service downloads itself, such as those of the history. */
  files: Dispatcher
  fetchOptions: RequestInit
  /** Must be called after the sessions on this route have ended. */
  close(): Promise<void>
}

/**
 * Returns the route. Throws `instance_not_connected` if there is none, because nothing can be sent without a session.
 */
export function presentRoute(route: NetworkRoute | null): NetworkRoute {
  if (!route) throw new Failure('instance_not_connected')
  return route
}

/** Creates a route. Rejects with `EgressBlocked` if the address of the proxy is not allowed. */
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
      // `close` would wait for every answer, even of a host that no longer responds. The session that sent the requests
      // has ended, so nobody needs the answers.
      await dispatcher.destroy()
    },
  }
}

/**
 * `socks5h` means that the proxy resolves the name: a look-up on this machine would reveal the account's destinations
 * to the local network.
 */
async function proxyAgent({ url, lookup }: ProxyRoute): Promise<HttpsAgent> {
  // This module is loaded only if an instance has a SOCKS proxy.
  if (url.startsWith('socks')) {
    const { SocksProxyAgent } = await import('socks-proxy-agent')
    return new SocksProxyAgent(url.replace(/^socks5:/, 'socks5h:'), {
      socketOptions: { lookup } as never,
    }) as unknown as HttpsAgent
  }
  const { HttpsProxyAgent } = await import('https-proxy-agent')
  return new HttpsProxyAgent(url, { lookup }) as unknown as HttpsAgent
}
