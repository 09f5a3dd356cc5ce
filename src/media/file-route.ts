/**
 * Routes requests for received files to WhatsApp's hosts: through the instance's proxy, or directly, with the
 * certificate authority and the host of the sandbox if they are set.
 */
import type { Dispatcher } from 'undici'
import type { ProxyRoute } from '../egress/proxy-route.ts'
import { trustedBy } from '../egress/trusted.ts'
import { Agent, buildConnector, proxyAgent } from '../egress/undici.ts'
import type { NetworkOptions } from '../engine/engine.ts'

/** Matches the network's hosts. The sandbox replaces all of them by one host of this machine. */
const FIXED_HOSTS = /\.whatsapp\.net$/

export function fileRoute(network: NetworkOptions, proxy: ProxyRoute | undefined): Dispatcher {
  return proxy ? proxied(proxy) : direct(network)
}

function proxied({ url, lookup }: ProxyRoute): Dispatcher {
  if (!url.startsWith('socks')) return proxyAgent({ uri: url, proxyTls: { lookup } })
  const { hostname, port, username, password } = new URL(url)
  const proxy = {
    type: 5 as const,
    host: hostname,
    port: Number(port || 1080),
    ...(username ? { userId: decodeURIComponent(username), password: decodeURIComponent(password) } : {}),
  }
  const connect = buildConnector({})
  return new Agent({
    connect(options, callback) {
      const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80))
      // The proxy resolves the host name: a look-up here would reveal where the account connects.
      const destination = { host: options.hostname, port }
      const wanted = { proxy, command: 'connect' as const, destination, socket_options: { lookup } as never }
      // The module is loaded for the first connection, because few instances have a SOCKS proxy.
      import('socks')
        .then(({ SocksClient }) => SocksClient.createConnection(wanted))
        .then(
          ({ socket }) =>
            options.protocol === 'https:'
              ? connect({ ...options, httpSocket: socket } as typeof options, callback)
              : callback(null, socket),
          (error: Error) => callback(error, null),
        )
    },
  })
}

function direct(network: NetworkOptions): Dispatcher {
  const secureContext = trustedBy(network.ca)
  const connect = buildConnector(secureContext ? { secureContext } : {})
  const { mediaHost } = network
  if (mediaHost === null) return new Agent({ connect })
  const [hostname = '', port = ''] = mediaHost.split(':')
  return new Agent({
    connect: (options, callback) =>
      FIXED_HOSTS.test(options.hostname)
        ? connect({ ...options, hostname, host: mediaHost, port, servername: options.hostname }, callback)
        : connect(options, callback),
  })
}
