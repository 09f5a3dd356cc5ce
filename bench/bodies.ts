/**
 * Measures the memory of the service while it receives up to 40 request bodies of 65 MB at once. `BENCH_OTHER=/path`
 * measures another checkout, `BENCH_LIMIT_MB` sets a memory limit for the service, and `BENCH_COUNTS=1,40` selects the
 * numbers of bodies.
 */
import { limitMemory, peakOf, postDocument, resetPeak, rssOf } from '../test/harness/large-bodies.ts'
import { amount, phoneNumber, report, round, sleep, startBench } from './measure.ts'

const COUNTS = process.env.BENCH_COUNTS?.split(',').map(Number) ?? amount([1, 2, 12, 20, 40], [1, 2])
const SIZE = amount(65_000_000, 2_000_000)
const REST = amount(30_000, 1_000)
/** Number of instances. A single one would get at most half of the memory for bodies. */
const INSTANCES = 4
const READER = '5511988880001'
const { BENCH_OTHER: other, BENCH_LIMIT_MB: limitMb } = process.env

const bench = await startBench()
const limit = limitMb === undefined ? undefined : limitMemory(Number(limitMb) * 1_048_576)
if (typeof limit === 'string') throw new Error(limit)
try {
  await bench.sandbox.createContact(READER, { sink: true, receipts: 'none' })
  const env = { SVC_SHARDS: '1', SVC_EGRESS_ALLOW: '127.0.0.0/8', SVC_BLOB_BUDGET_MB: '4096' }
  const { service, gateway } = await (other === undefined ? bench.serve(env) : bench.serveOther(other, env))
  const pid = service.child.pid!
  limit?.hold(pid)
  const urls: string[] = []
  for (let index = 0; index < INSTANCES; index++)
    urls.push((await gateway.connected(bench.sandbox, phoneNumber(index), null)).api_url)

  const all = async (count: number) => {
    const sent = Array.from({ length: count }, (_, at) =>
      postDocument(urls[at % INSTANCES]!, { fields: `"phone":"${READER}"`, size: SIZE }),
    )
    return Promise.all(sent)
  }
  const waiting = async () => {
    let sum = 0
    for (const url of urls) {
      const answer = await fetch(`${url}/queue`)
      sum += ((await answer.json()) as { total: number }).total
    }
    return sum
  }
  await all(1)
  while ((await waiting()) > 0) await sleep(100)
  await sleep(REST)
  const rows: Record<string, Record<string, unknown>> = {}
  for (const count of COUNTS) {
    const before = rssOf(pid)
    resetPeak(pid)
    const began = performance.now()
    const outcomes = await all(count)
    const seconds = (performance.now() - began) / 1_000
    const answered = peakOf(pid)
    const tally: Record<string, number> = {}
    for (const { status } of outcomes) tally[status] = (tally[status] ?? 0) + 1
    while ((await waiting()) > 0) await sleep(100)
    const sent = peakOf(pid)
    await sleep(REST)
    rows[count] = {
      before_mb: round(before, 0),
      peak_mb: round(answered, 0),
      peak_when_sent_mb: round(sent, 0),
      after_mb: round(rssOf(pid), 0),
      seconds: round(seconds, 1),
      answers: JSON.stringify(tally),
    }
    process.stderr.write(`${count} ${JSON.stringify(rows[count])}\n`)
  }
  report('memory of the service with large bodies at once', {
    limit_mb: limitMb ?? 'none',
    bodies: rows,
    ...(limit ? { peak_of_cgroup_mb: round(limit.peak(), 0) } : {}),
  })
} finally {
  await bench.end()
  limit?.remove()
}
