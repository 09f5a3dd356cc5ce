/**
 * Measures the rate and the latency of `send-text` and of `GET /status` over 1 and 64 connections, and the latency of
 * `send-text` also at 2,000 texts per second. No instance is paired, so the texts stay in their queues.
 */
import type { Instance } from '../test/harness/gateway.ts'
import { amount, cpuMs, medianCores, ROUNDS, report, spread, startBench, textTo, UNLIMITED, watchCores } from './measure.ts'
import { startPart } from './parts/calls.ts'
import { syncTimes } from './parts/disk.ts'
import type { Driver } from './parts/driver.ts'

const INSTANCES = Number(process.env.BENCH_INSTANCES ?? amount(50, 4))
const CONNECTIONS = [1, 64]
/**
 * Texts per second for the measurement of the latency. With a constant 64 requests in flight, the latency would only be
 * 64 divided by the rate (Little's law).
 */
const RATE = amount(2_000, 100)
const EACH: Record<number, number> = { 1: amount(600, 20), 64: amount(3_000, 100) }

const bench = await startBench()
try {
  const { service, gateway } = await bench.serve({ ...UNLIMITED })
  const driver = startPart<Driver>('driver.ts')
  const pid = service.child.pid!
  const processes = { service: pid, client: () => cpuMs(driver.pid) + cpuMs(process.pid) }
  const instances: Instance[] = []
  while (instances.length < INSTANCES) {
    const more = Math.min(16, INSTANCES - instances.length)
    instances.push(...(await Promise.all(Array.from({ length: more }, () => gateway.createInstance(null)))))
  }
  const urls = (path: string) => instances.map(({ api_url }) => api_url + path)
  const questions = {
    send_text: { urls: urls('/send-text'), bodies: [textTo('5511988880001')] },
    status: { urls: urls('/status') },
  }
  const emptied = () => Promise.all(instances.map((each) => gateway.must(each, 'DELETE', '/queue')))
  /**
   * Sends requests and measures their rate, latency and processor time. Each connection sends one request after another
   * as fast as it can; with `perSecond`, a fixed number of requests is sent per second.
   */
  async function measure(question: { urls: string[]; bodies?: string[] }, connections: number, perSecond?: number) {
    const count = EACH[connections]!
    const [before, watch] = [cpuMs(pid), watchCores(processes)]
    const { ms, p50, p99 } = await driver.call('drive', { ...question, count, connections, ...(perSecond ? { perSecond } : {}) })
    const [cpu, cores] = [(cpuMs(pid) - before) / count, watch()]
    // A queue holds at most 1,000 items, so the queues are emptied after each measurement.
    await emptied()
    return { per_s: (count * 1_000) / ms, p50, p99, cpu, cores }
  }
  for (const question of Object.values(questions)) await measure(question, 64)
  async function rounds(question: { urls: string[]; bodies?: string[] }, connections: number, perSecond?: number) {
    const all: Awaited<ReturnType<typeof measure>>[] = []
    for (let count = 0; count < ROUNDS; count++) all.push(await measure(question, connections, perSecond))
    const of = (field: 'per_s' | 'p50' | 'p99' | 'cpu', digits?: number) =>
      spread(
        all.map((each) => each[field]),
        digits,
      )
    const cores = medianCores(all.map((each) => each.cores))
    return { per_s: of('per_s', 0), p50_ms: of('p50', 1), p99_ms: of('p99', 1), cpu_ms_each: of('cpu'), cores }
  }
  const result: Record<string, unknown> = { instances: INSTANCES, disk_ms: await syncTimes(bench.dir, amount(400, 20)) }
  for (const connections of CONNECTIONS)
    for (const [name, question] of Object.entries(questions))
      result[`${name}_${connections}`] = await rounds(question, connections)
  result.send_text_64_at_rate = await rounds(questions.send_text, 64, RATE)
  report('accepted texts per second and their latency, and GET /status, over 1 and 64 connections', result)
} finally {
  await bench.end()
}
