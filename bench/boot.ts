/**
 * Measures the time from the start of the service until all saved instances are connected again, both after a normal
 * stop and after kill -9. It also measures the processor time of a start, divided by the number of instances.
 */
import { amount, connectMany, cpuMs, report, round, SMOKE, sleep, startBench } from './measure.ts'
import { untilConnected } from './parts/connected.ts'

const SIZES = SMOKE ? [3] : [100, 200]
const LIFTED = '1000'
/**
 * Limits of logins per second after a start. `LIFTED` is a limit so high that it has no effect, so it shows the speed
 * of the service itself.
 */
const GATES = { ...(SMOKE ? {} : { '25 a second, as by default': '25' }), 'gate lifted': LIFTED }

const bench = await startBench()
try {
  let running = await bench.serve()
  let made = 0
  async function started(env: Record<string, string>) {
    const began = performance.now()
    running = await bench.serve(env)
    const answering = performance.now() - began
    const pid = running.service.child.pid!
    const marks = await untilConnected(running.gateway, made, began)
    return { answering_s: round(answering / 1_000, 1), ...marks, cpu_ms_per_login: round(cpuMs(pid) / made, 1) }
  }
  const result: Record<string, unknown> = {}
  for (const size of SIZES) {
    await connectMany(running.gateway, bench.sandbox, made, size - made)
    made = size
    for (const [name, limit] of Object.entries(GATES)) {
      // The lifted limit is measured only with the largest number of instances.
      if (limit === LIFTED && size !== SIZES.at(-1)) continue
      const env = { SVC_STARTS_PER_SECOND: limit }
      await running.service.stop()
      const afterStop = await started(env)
      result[`${size}, ${name}`] = { after_stop: afterStop }
      // The start after a kill is measured with the lifted limit only in a smoke run.
      if (limit === LIFTED && !SMOKE) continue
      // Waits for the work that is left after the logins.
      await sleep(amount(2_000, 200))
      await running.service.kill()
      result[`${size}, ${name}`] = { after_stop: afterStop, after_kill: await started(env) }
    }
  }
  report('time until saved instances are connected after a start', result)
} finally {
  await bench.end()
}
