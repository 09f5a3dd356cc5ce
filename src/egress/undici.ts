/**
 * What is used of undici, from its own files: its index loads caches, mocks, web sockets and a second `fetch` with it, several MB in each
 * thread. Types come from the package as usual.
 */
import { createRequire } from 'node:module'
import type undici from 'undici'

const require = createRequire(import.meta.url)
const part = <T>(path: string) => require(`undici/lib/${path}.js`) as T

// As the index does it: without, a dispatcher has no `request`.
const { prototype } = part<typeof undici.Dispatcher>('dispatcher/dispatcher')
Object.assign(prototype, part<object>('api/index'))

export type Agent = undici.Agent
export type AgentOptions = undici.Agent.Options
export const Agent = part<typeof undici.Agent>('dispatcher/agent')

export const buildConnector = part<typeof undici.buildConnector>('core/connect')

/** Used by few: loaded when the first one is made. */
export const proxyAgent = (options: undici.ProxyAgent.Options): undici.Dispatcher =>
  new (part<typeof undici.ProxyAgent>('dispatcher/proxy-agent'))(options)

type RequestOptions = Omit<undici.Dispatcher.RequestOptions, 'origin' | 'path' | 'method'> & { dispatcher: undici.Dispatcher }

/** A GET, always through a given dispatcher: the one of the process knows no limits of ours. */
export function request(url: string | URL, { dispatcher, ...options }: RequestOptions): Promise<undici.Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(url)
  return dispatcher.request({ ...options, method: 'GET', origin, path: pathname + search })
}
