/** How much memory an idle connected instance costs, at 1, 10, 50 and 100 of them. */
import { connectMany, report, round, rssMb, sleep, startBench } from './measure.ts'

const SIZES = (process.env.BENCH_SIZES ?? '1,10,50,100').split(',').map(Number)
/** After the last pairing: bootstrap messages, pre-keys and app state have come by then, and a collection has run. */
const SETTLE_MS = 8_000

const bench = await startBench()
try {
  const { service, gateway } = await bench.serve()
  const pid = service.child.pid!
  await sleep(2_000)
  const empty = rssMb(pid)
  const rows: Record<string, number>[] = []
  let connected = 0
  for (const size of SIZES) {
    await connectMany(gateway, bench.sandbox, connected, size - connected)
    connected = size
    await sleep(SETTLE_MS)
    const rss = rssMb(pid)
    rows.push({ instances: size, rss_mb: round(rss, 1), mb_per_instance: round((rss - empty) / size) })
  }
  report('memory per idle connected instance', { shards: 'default', empty_rss_mb: round(empty, 1), rows })
} finally {
  await bench.end()
}
