/**
 * Measures the memory of the service before a load, at its peak, and for five minutes afterwards. The load is 10,000
 * sent and 10,000 received texts.
 */
import {
  amount,
  anonMb,
  connectMany,
  fileMb,
  phoneNumber,
  phoneNumbers,
  report,
  round,
  rssMb,
  sleep,
  startBench,
  startLoaded,
  textTo,
} from './measure.ts'

const INSTANCES = amount(20, 2)
const TEXTS = Number(process.env.BENCH_MESSAGES ?? amount(10_000, 60))
const READER = '5511988880001'
/** Time in s between two measurements after the load. */
const STEP = amount(60, 1)
const STEPS = 5

interface Memory {
  rss_mb: number
  /** Part of `rss_mb` that the process has allocated itself: objects, buffers, compiled code. */
  anon_mb: number
  /** Part of `rss_mb` that is pages of files, which the system can take back: code and the store. */
  of_files_mb: number
}

const bench = await startBench()
try {
  await bench.sandbox.createContact(READER, { sink: true, receipts: 'delivered' })
  const { pid, gateway, receiver, url, driver } = await startLoaded(bench, { instances: 0, env: { SVC_SHARDS: '1' } })
  const instances = await connectMany(gateway, bench.sandbox, 0, INSTANCES, { single_url: url })
  const now = (): Memory => ({
    rss_mb: round(rssMb(pid), 1),
    anon_mb: round(anonMb(pid), 1),
    of_files_mb: round(fileMb(pid), 1),
  })
  // A thread returns its unused memory after a minute without work, so this waits longer.
  await sleep(amount(90_000, 1_000))
  const before = now()

  const writers = phoneNumbers(2_000, INSTANCES)
  for (const phone of writers) await bench.sandbox.createContact(phone)
  let peak = now()
  const sampling = setInterval(() => {
    const sample = now()
    if (sample.rss_mb > peak.rss_mb) peak = sample
  }, 500)
  await receiver.call('reset')
  const all = receiver.call('until', { received: TEXTS, delivery: TEXTS }, 600_000)
  for (const [index, phone] of writers.entries()) await bench.sandbox.burst(phone, phoneNumber(index), TEXTS / INSTANCES, 'text ')
  await driver.call('drive', {
    urls: instances.map(({ api_url }) => `${api_url}/send-text`),
    bodies: [textTo(READER)],
    count: TEXTS,
  })
  await all
  clearInterval(sampling)

  const after: Memory[] = []
  for (let step = 0; step < STEPS; step++) {
    await sleep(STEP * 1_000)
    after.push(now())
  }
  report('memory of the service before, at the peak of, and after a load', {
    instances: INSTANCES,
    texts_each_way: TEXTS,
    before,
    peak,
    after_minutes: Object.fromEntries(after.map((memory, index) => [index + 1, memory])),
    growth: round(after.at(-1)!.rss_mb / before.rss_mb),
    growth_of_anon: round(after.at(-1)!.anon_mb / before.anon_mb),
  })
} finally {
  await bench.end()
}
