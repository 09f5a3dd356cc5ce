/**
 * How a socket reaches the outside: its own network and media hosts (trusted CA, the fixed media host redirected in the sandbox) and the
 * instance's proxy. One per instance configuration, shared by its sockets.
 */
import { readFileSync } from 'node:fs'
import { Agent as HttpsAgent } from 'node:https'
import { rootCertificates } from 'node:tls'
import { HttpsProxyAgent } from 'https-proxy-agent'
import { SocksClient } from 'socks'
import { SocksProxyAgent } from 'socks-proxy-agent'
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici'
import type { NetworkOptions } from '../../src/engine/engine.ts'

export interface Outside {
  /** For the WebSocket; undefined without a proxy. */
  agent: HttpsAgent | undefined
  /** For uploads, which go through node:https. */
  fetchAgent: HttpsAgent
  /** For downloads, history and app-state blobs, which go through fetch. */
  fetchOptions: RequestInit
  close(): Promise<void>
}

/** The library fetches history and app-state blobs from a fixed host under this name. */
const FIXED_HOSTS = /\.whatsapp\.net$/

export function createOutside(network: NetworkOptions, proxyUrl: string | null): Outside {
  // The file's authorities come on top of the system's.
  const ca = network.ca === null ? undefined : [...rootCertificates, readFileSync(network.ca, 'utf8')]
  const proxy = proxyUrl === null ? undefined : proxyAgent(proxyUrl)
  const dispatcher = proxyUrl === null ? directDispatcher(network, ca) : proxyDispatcher(proxyUrl)
  return {
    agent: proxy,
    fetchAgent: proxy ?? new HttpsAgent(ca ? { ca } : {}),
    fetchOptions: { dispatcher } as unknown as RequestInit,
    async close() {
      proxy?.destroy()
      await dispatcher.close()
    },
  }
}

const proxyAgent = (url: string): HttpsAgent =>
  (url.startsWith('socks') ? new SocksProxyAgent(url) : new HttpsProxyAgent(url)) as unknown as HttpsAgent

function proxyDispatcher(proxyUrl: string): Dispatcher {
  if (!proxyUrl.startsWith('socks')) return new ProxyAgent(proxyUrl)
  const { hostname, port, username, password } = new URL(proxyUrl)
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
      // The proxy resolves the name: a look-up here would tell our own network where the account goes.
      SocksClient.createConnection({ proxy, command: 'connect', destination: { host: options.hostname, port } }).then(
        ({ socket }) =>
          options.protocol === 'https:'
            ? connect({ ...options, httpSocket: socket } as typeof options, callback)
            : callback(null, socket),
        (error: Error) => callback(error, null),
      )
    },
  })
}

function directDispatcher(network: NetworkOptions, ca: string[] | undefined): Dispatcher {
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
