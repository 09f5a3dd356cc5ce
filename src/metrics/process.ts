/**
 * `process_*` and `nodejs_*`: the default metrics of prom-client. They describe the process, which is one even if several services run in it (tests),
 * and the library cannot remove them, so they are registered once. Registration waits for the first request, because sampling the delay of the event
 * loop every 10 ms costs 0.3 % of a core. Neither that timer nor the observer of garbage collections keeps the process alive.
 */
import type { Registry } from 'prom-client'

let registry: Registry | undefined

export async function processText(): Promise<string> {
  // The library is loaded at the first request.
  const { collectDefaultMetrics, Registry } = await import('prom-client')
  if (!registry) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
  }
  return registry.metrics()
}
