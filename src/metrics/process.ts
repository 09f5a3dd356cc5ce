/**
 * `process_*` and `nodejs_*`: prom-client's defaults. They are about the process, which is one however many services run in it (tests), and
 * the library has no way to end them; so they are collected once. Not before somebody asks: the delay of the event loop is sampled every
 * 10 ms, which costs 0.3 % of a core. Neither that timer nor the observer of garbage collections keeps the process alive.
 */
import type { Registry } from 'prom-client'

let registry: Registry | undefined

export async function processText(): Promise<string> {
  // Loaded when somebody asks for the first time.
  const { collectDefaultMetrics, Registry } = await import('prom-client')
  if (!registry) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
  }
  return registry.metrics()
}
