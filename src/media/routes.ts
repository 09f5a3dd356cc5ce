/**
 * Keeps connections to WhatsApp's file host open for the next file: one route for each proxy, and one without a proxy.
 */
import type { Dispatcher } from 'undici'
import type { Log } from '../domain/log.ts'
import type { ProxyRoute } from '../egress/proxy-route.ts'
import type { NetworkOptions } from '../engine/engine.ts'
import { fileRoute } from './file-route.ts'

const MAX_ROUTES = 32

export interface RouteOptions {
  network: NetworkOptions
  /** Returns the route to a proxy. Throws if the address of the proxy is not allowed. */
  proxyRoute(proxyUrl: string): ProxyRoute
  log: Log
}

export interface Routes {
  of(proxyUrl: string | null): Dispatcher
}

export function createRoutes({ network, proxyRoute, log }: RouteOptions): Routes {
  const routes = new Map<string | null, Dispatcher>()

  const routeTo = (proxyUrl: string | null) => fileRoute(network, proxyUrl === null ? undefined : proxyRoute(proxyUrl))

  return {
    of(proxyUrl) {
      const route = routes.get(proxyUrl) ?? routeTo(proxyUrl)
      // A used route moves to the end, so the least recently used one is at the beginning.
      routes.delete(proxyUrl)
      routes.set(proxyUrl, route)
      for (const [unused, idle] of routes) {
        if (routes.size <= MAX_ROUTES) break
        routes.delete(unused)
        idle.close().catch((error: unknown) => log.warn({ err: error }, 'a network route for received files did not close'))
      }
      return route
    },
  }
}
