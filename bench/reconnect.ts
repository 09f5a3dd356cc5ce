/**
 * Measures the CPU time and the memory of many reconnects of one instance. Each reconnect is a restart of the session
 * by the API. The network does not disconnect the instance, because the delay before the next login would grow each
 * time. `BENCH_FULL=1` does 10,000 reconnects.
 */
import { amount, cpuMs, phoneNumber, report, round, rssMb, startBench, UNLIMITED } from './measure.ts'
import { heapEnv, heapOf } from './parts/heap.ts'

const RECONNECTS = Number(process.env.BENCH_RECONNECTS ?? amount(420, 6, 10_000))
const PARTS = amount(6, 2, 10)

const bench = await startBench()
try {
  const { service, gateway } = await bench.serve({ ...UNLIMITED, ...heapEnv(bench.dir), SVC_SHARDS: '1' })
  const pid = service.child.pid!
  const instance = await gateway.connected(bench.sandbox, phoneNumber(0), null)
  const reconnect = async () => {
    const { connections } = await bench.sandbox.stats()
    await gateway.must(instance, 'POST', '/restart')
    await gateway.waitForStatus(instance, 'connected', 60_000)
    return connections
  }
  for (let count = 0; count < RECONNECTS / PARTS / 2; count++) await reconnect()
  const parts: { cpu: number; rss: number; ms: number; heap: number }[] = []
  for (let part = 0; part < PARTS; part++) {
    const [before, began] = [cpuMs(pid), performance.now()]
    const each = Math.ceil(RECONNECTS / PARTS)
    for (let count = 0; count < each; count++) await reconnect()
    const taken = { cpu: (cpuMs(pid) - before) / each, ms: (performance.now() - began) / each, rss: rssMb(pid) }
    const { main_mb, shards_mb } = await heapOf(service.child, bench.dir)
    parts.push({ ...taken, heap: main_mb + shards_mb })
  }
  const [first, last] = [parts[0]!, parts.at(-1)!]
  report('reconnects of one instance: CPU of each and memory, part by part', {
    reconnects: RECONNECTS,
    cpu_ms_each: parts.map(({ cpu }) => round(cpu, 1)),
    ms_each: parts.map(({ ms }) => round(ms, 0)),
    rss_mb: parts.map(({ rss }) => round(rss, 0)),
    heap_mb: parts.map(({ heap }) => round(heap, 1)),
    last_against_first: {
      cpu: round(last.cpu / first.cpu),
      rss: round(last.rss / first.rss),
      heap: round(last.heap / first.heap),
    },
  })
} finally {
  await bench.end()
}
