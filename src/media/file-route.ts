/** How requests for the network's files reach its hosts: its own authority, the redirected host of the sandbox, and the instance's proxy. */
import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import type { Dispatcher } from 'undici'
import type { ProxyRoute } from '../egress/proxy-route.ts'
import { Agent, buildConnector, proxyAgent } from '../egress/undici.ts'
import type { NetworkOptions } from '../engine/engine.ts'

/** Hosts of the network; in the sandbox they are one host of this machine. */
const FIXED_HOSTS = /\.whatsapp\.net$/

/** By the name of the file. One list for all instances: it has 145 of the system. */
const withFile = new Map<string, string[]>()

/** The file's authorities on top of the system's; undefined: the system's alone. */
export function authorities({ ca }: NetworkOptions): string[] | undefined {
  if (ca === null) return undefined
  const all = withFile.get(ca) ?? [...rootCertificates, readFileSync(ca, 'utf8')]
  withFile.set(ca, all)
  return all
}

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
      // The proxy resolves the name: a look-up here would reveal to our own network where the account connects.
      const destination = { host: options.hostname, port }
      const wanted = { proxy, command: 'connect' as const, destination, socket_options: { lookup } as never }
      // Few instances have such a proxy: loaded for the first connection.
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
  const ca = authorities(network)
  const connect = buildConnector(ca ? { ca } : {})
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
