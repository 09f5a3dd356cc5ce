/**
 * Measures many instances with long queues that cannot be sent: the time of a start, and the time to read or clear a
 * queue. `BENCH_FULL=1` uses 200 instances with 1,000 items each.
 */

import type { Instance } from '../test/harness/gateway.ts'
import { amount, report, round, rssMb, SMOKE, spread, startBench, textTo, UNLIMITED } from './measure.ts'
import { startPart } from './parts/calls.ts'
import type { Driver } from './parts/driver.ts'

const INSTANCES = amount(200, 4)
const ITEMS = Number(process.env.BENCH_ITEMS ?? amount(120, 10, 1_000))

const bench = await startBench()
try {
  const driver = startPart<Driver>('driver.ts')
  let running = await bench.serve(UNLIMITED)
  const instances: Instance[] = []
  while (instances.length < INSTANCES)
    instances.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(16, INSTANCES - instances.length) }, () => running.gateway.createInstance(null)),
      )),
    )
  /** Starts the service up to three times, and returns the shortest time in s until all instances answer. */
  async function boots(): Promise<number> {
    const all: number[] = []
    for (let count = 0; count < (SMOKE ? 1 : 3); count++) {
      await running.service.stop()
      const began = performance.now()
      running = await bench.serve(UNLIMITED)
      const { baseUrl } = running.gateway
      for (const instance of instances) instance.api_url = baseUrl + new URL(instance.api_url).pathname
      for (const instance of instances) {
        // The API does not know an instance until its records are loaded, so the request is repeated after a start.
        for (;;) {
          const { status } = await running.gateway.ask(instance, 'GET', '/queue?page_size=1')
          if (status === 200) break
        }
      }
      all.push((performance.now() - began) / 1_000)
    }
    return Math.min(...all)
  }
  const empty = await boots()
  const emptyMb = rssMb(running.service.child.pid!)
  const began = performance.now()
  await driver.call('drive', {
    urls: instances.map(({ api_url }) => `${api_url}/send-text`),
    bodies: [textTo('5511988880001')],
    count: INSTANCES * ITEMS,
    connections: 64,
  })
  const filled = (performance.now() - began) / 1_000
  const full = await boots()
  const fullMb = rssMb(running.service.child.pid!)
  async function timed(method: string, path: string) {
    const times: number[] = []
    for (const instance of instances) {
      const at = performance.now()
      await running.gateway.must(instance, method, path)
      times.push(performance.now() - at)
    }
    return times
  }
  // The driver sends the requests. The test harness would parse each answer and search it for secrets, which takes
  // time.
  const page = (rounds: number) =>
    driver.call('drive', {
      urls: instances.map(({ api_url }) => `${api_url}/queue?page_size=100`),
      count: rounds * INSTANCES,
      connections: 1,
    })
  await page(1)
  const { ms: _, ...pages } = await page(3)
  const clears = await timed('DELETE', '/queue')
  report('long queues: a start, a page, and to clear them', {
    instances: INSTANCES,
    items_each: ITEMS,
    filled_per_s: round((INSTANCES * ITEMS) / filled, 0),
    boot_s: { empty: round(empty, 1), full: round(full, 1), longer: round(full - empty, 1) },
    rss_mb: { empty: round(emptyMb, 0), full: round(fullMb, 0) },
    page_of_100_ms: pages,
    clear_ms: spread(clears, 1),
  })
} finally {
  await bench.end()
}
