/**
 * The parts of undici that are used, imported from its own files. The index of undici also loads caches, mocks and a
 * second `fetch`, several MB per thread.
 */
import { createRequire } from 'node:module'
import type undici from 'undici'

const require = createRequire(import.meta.url)
const part = <T>(path: string) => require(`undici/lib/${path}.js`) as T

// Adds the method `request` to dispatchers, as the index of undici does.
const { prototype } = part<typeof undici.Dispatcher>('dispatcher/dispatcher')
Object.assign(prototype, part<object>('api/index'))

export type Agent = undici.Agent
export type AgentOptions = undici.Agent.Options
export const Agent = part<typeof undici.Agent>('dispatcher/agent')

export const buildConnector = part<typeof undici.buildConnector>('core/connect')

/**
 * Creates an agent for a proxy. Its class is loaded when the first agent is created, because few instances use a proxy.
 */
export const proxyAgent = (options: undici.ProxyAgent.Options): undici.Dispatcher =>
  new (part<typeof undici.ProxyAgent>('dispatcher/proxy-agent'))(options)

type RequestOptions = Omit<undici.Dispatcher.RequestOptions, 'origin' | 'path' | 'method'> & { dispatcher: undici.Dispatcher }

/**
 * Sends a GET request through the given dispatcher. The global dispatcher is not used, because it has none of our
 * limits.
 */
export function request(url: string | URL, { dispatcher, ...options }: RequestOptions): Promise<undici.Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(url)
  return dispatcher.request({ ...options, method: 'GET', origin, path: pathname + search })
}
