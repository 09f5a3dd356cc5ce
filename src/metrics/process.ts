/**
 * Default metrics of prom-client. They are registered once per process, at the first request, because sampling the
 * event loop every 10 ms costs 0.3 % of a core.
 */
import type { Registry } from 'prom-client'

let registry: Registry | undefined

export async function processText(): Promise<string> {
  const { collectDefaultMetrics, Registry } = await import('prom-client')
  if (!registry) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
  }
  return registry.metrics()
}
