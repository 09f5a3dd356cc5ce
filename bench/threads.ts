/** Texts per second and CPU of each with 1, 2 and 4 shards. Network, driver and receiver need cores, too: on two there is none left for a second. */
import { cpus } from 'node:os'
import {
  amount,
  countConnected,
  cpuMs,
  ROUNDS,
  report,
  round,
  rssMb,
  SMOKE,
  sleep,
  spread,
  startBench,
  startLoaded,
  textTo,
  UNLIMITED,
} from './measure.ts'

const CONTACT = '5511988880001'
const INSTANCES = amount(20, 4)
const TEXTS = amount(300, 20)
const SHARDS = SMOKE ? [1, 2] : [1, 2, 4]

const bench = await startBench()
try {
  await bench.sandbox.createContact(CONTACT, { sink: true, receipts: 'delivered' })
  const result: Record<string, unknown> = { cores: cpus().length }
  const rates: number[] = []
  const { instances, receiver, driver, ...first } = await startLoaded(bench, { instances: INSTANCES })
  let running = first.service
  for (const shards of SHARDS) {
    await running.stop()
    const { service, gateway } = await bench.serve({ ...UNLIMITED, SVC_SHARDS: String(shards), SVC_STARTS_PER_SECOND: '1000' })
    running = service
    while ((await countConnected(gateway)) < INSTANCES) await sleep(50)
    const pid = service.child.pid!
    const urls = instances.map(({ api_url }) => `${gateway.baseUrl}${new URL(api_url).pathname}/send-text`)
    async function through(count: number) {
      await receiver.call('reset')
      const [before, began] = [cpuMs(pid), Date.now()]
      const all = receiver.call('until', { delivery: count, 'message_status delivered': count })
      await driver.call('drive', { urls, bodies: [textTo(CONTACT)], count, connections: 32 })
      await all
      return { per_s: (count * 1_000) / (Date.now() - began), cpu: (cpuMs(pid) - before) / count }
    }
    await through(TEXTS)
    const rounds: Awaited<ReturnType<typeof through>>[] = []
    for (let count = 0; count < ROUNDS; count++) rounds.push(await through(TEXTS))
    const rate = spread(
      rounds.map(({ per_s }) => per_s),
      0,
    )
    rates.push(rate.median)
    result[`${shards}_shards`] = { per_s: rate, cpu_ms: spread(rounds.map(({ cpu }) => cpu)), rss_mb: round(rssMb(pid), 0) }
  }
  result.rate_against_one = rates.map((rate) => round(rate / rates[0]!))
  report('texts per second with 1, 2 and 4 shards', result)
} finally {
  await bench.end()
}
