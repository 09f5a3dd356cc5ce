/** How long after a start until 100 saved instances are connected again, and what a login costs. */
import { connectMany, countConnected, cpuMs, report, round, sleep, startBench } from './measure.ts'

const COUNT = Number(process.env.BENCH_INSTANCES ?? 100)

const bench = await startBench()
try {
  const first = await bench.serve()
  await connectMany(first.gateway, bench.sandbox, 0, COUNT)
  await first.service.stop()

  const began = performance.now()
  const { service, gateway } = await bench.serve()
  const up = performance.now()
  const cpuBefore = cpuMs(service.child.pid!)
  const marks: Record<string, number> = {}
  for (;;) {
    const connected = await countConnected(gateway)
    for (const share of [0.1, 0.5, 1]) {
      if (connected >= COUNT * share) marks[`${share * 100}%`] ??= round((performance.now() - began) / 1_000, 1)
    }
    if (connected >= COUNT) break
    if (performance.now() - began > 180_000) throw new Error(`only ${connected} of ${COUNT} are connected`)
    await sleep(50)
  }
  report('time until saved instances are connected after a start', {
    instances: COUNT,
    answering_after_s: round((up - began) / 1_000, 1),
    connected_after_s: marks,
    cpu_ms_per_login: round((cpuMs(service.child.pid!) - cpuBefore) / COUNT, 1),
    note: 'sessions start at 5 a second, as shared/api/states.md row 32 bounds it; kill and restart of a shard is not bounded',
  })
} finally {
  await bench.end()
}
