/**
 * Measures texts per second, and the CPU time of each text, with 1, 2 and 4 shards. It also measures the idle cores,
 * because a second shard helps only if a core is idle while one shard has its full load.
 */
import { cpus } from 'node:os'
import {
  amount,
  cpuMs,
  medianCores,
  ROUNDS,
  report,
  round,
  rssMb,
  SMOKE,
  spread,
  startBench,
  startLoaded,
  textTo,
  UNLIMITED,
  watchCores,
} from './measure.ts'
import { untilConnected } from './parts/connected.ts'

const CONTACT = '5511988880001'
const INSTANCES = amount(20, 4)
const TEXTS = amount(300, 20)
/**
 * Numbers of shards to measure. Four shards are measured only on a machine with at least four cores, because they have
 * no effect on fewer cores.
 */
const SHARDS = SMOKE || cpus().length < 4 ? [1, 2] : [1, 2, 4]

const bench = await startBench()
try {
  await bench.sandbox.createContact(CONTACT, { sink: true, receipts: 'delivered' })
  const result: Record<string, unknown> = { cores: cpus().length }
  const rates: number[] = []
  const costs: number[] = []
  const { instances, receiver, driver, processes, ...first } = await startLoaded(bench, { instances: INSTANCES })
  let running = first.service
  for (const shards of SHARDS) {
    await running.stop()
    const { service, gateway } = await bench.serve({ ...UNLIMITED, SVC_SHARDS: String(shards), SVC_STARTS_PER_SECOND: '1000' })
    running = service
    await untilConnected(gateway, INSTANCES, performance.now())
    const pid = service.child.pid!
    const urls = instances.map(({ api_url }) => `${gateway.baseUrl}${new URL(api_url).pathname}/send-text`)
    async function through(count: number) {
      await receiver.call('reset')
      const [before, watch, began] = [cpuMs(pid), watchCores({ ...processes, service: pid }), Date.now()]
      const all = receiver.call('until', { delivery: count, 'message_status delivered': count })
      await driver.call('drive', { urls, bodies: [textTo(CONTACT)], count, connections: 32 })
      await all
      const ms = Date.now() - began
      return { per_s: (count * 1_000) / ms, cpu: (cpuMs(pid) - before) / count, cores: watch() }
    }
    await through(TEXTS)
    const rounds: Awaited<ReturnType<typeof through>>[] = []
    for (let count = 0; count < ROUNDS; count++) rounds.push(await through(TEXTS))
    const rate = spread(
      rounds.map(({ per_s }) => per_s),
      0,
    )
    const cost = spread(rounds.map(({ cpu }) => cpu))
    rates.push(rate.median)
    costs.push(cost.median)
    result[`${shards}_shards`] = {
      per_s: rate,
      cpu_ms: cost,
      cores: medianCores(rounds.map(({ cores }) => cores)),
      rss_mb: round(rssMb(pid), 0),
    }
  }
  result.rate_against_one = rates.map((rate) => round(rate / rates[0]!))
  result.cpu_against_one = costs.map((cost) => round(cost / costs[0]!))
  report('texts per second with 1, 2 and 4 shards', result)
} finally {
  await bench.end()
}
