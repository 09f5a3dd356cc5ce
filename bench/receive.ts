/**
 * Measures the CPU time of a received text, and the time from its stanza to its webhook, on 1 and on many instances.
 * The bare library is measured for comparison, with its event in place of the webhook. The bench also measures the
 * highest rate of one instance, and the time that the disk alone takes.
 */
import {
  amount,
  phoneNumber,
  phoneNumbers,
  ROUNDS,
  report,
  round,
  SMOKE,
  spread,
  startBare,
  startBench,
  startLoaded,
} from './measure.ts'
import { syncTimes } from './parts/disk.ts'
import { beginLoopDelays, endLoopDelays, loopEnv } from './parts/loop-delay.ts'
import { type ReceivingRound, type ReceivingSide, receiveRound, serviceSide, shownReceiving } from './parts/rounds.ts'

const MANY = amount(50, 3)
const RATES = SMOKE ? [20] : [50, 200, 500]
const SECONDS = amount(1.5, 1)
const STEPS = SMOKE ? [50] : [200, 400, 600, 800, 1_000, 1_500]
const BURST = amount(3_000, 100)
/**
 * Number of texts before the measurement on one instance. V8 compiles during the first 4,500 texts, so these take up to
 * twice as long as later ones (README).
 */
const WARM = amount(6_000, 30)
const SENDERS = phoneNumbers(2_000, MANY)

const bench = await startBench()
try {
  const { sandbox } = bench
  for (const phone of SENDERS) await sandbox.createContact(phone)
  const [ours, one, many] = await Promise.all([
    startLoaded(bench, {
      instances: MANY,
      env: { SVC_SHARDS: '1', ...loopEnv(bench.dir) },
    }),
    startBare(bench, [phoneNumber(500)]),
    startBare(bench, phoneNumbers(600, MANY)),
  ])
  const { child } = ours.service
  // The measurement that began with the service would use processor time.
  await endLoopDelays(child, bench.dir)
  const gateway = (count: number) => serviceSide(ours, phoneNumbers(0, count))
  const library = (count: number): ReceivingSide => {
    const part = count === 1 ? one : many
    return {
      accounts: count === 1 ? [phoneNumber(500)] : phoneNumbers(600, MANY),
      pid: part.pid,
      processes: part.processes,
      reset: () => part.call('reset'),
      until: (wanted) => part.call('until', wanted),
      latency: () => part.call('latency'),
    }
  }

  const receive = (side: ReceivingSide, total: number, perSecond?: number) =>
    receiveRound(sandbox, SENDERS, side, total, perSecond)
  const result: Record<string, unknown> = { disk_ms: await syncTimes(bench.dir, amount(400, 20)) }
  for (const count of [1, MANY]) {
    const [mine, theirs] = [gateway(count), library(count)]
    const warm = count === 1 ? WARM : amount(1_500, 30)
    await receive(theirs, warm, 500)
    await receive(mine, warm, 500)
    for (const rate of RATES) {
      const rounds = { mine: [] as ReceivingRound[], theirs: [] as ReceivingRound[] }
      for (let turn = 0; turn < ROUNDS; turn++) {
        rounds.theirs.push(await receive(theirs, rate * SECONDS, rate))
        rounds.mine.push(await receive(mine, rate * SECONDS, rate))
      }
      result[`${rate}_per_s_on_${count}`] = {
        gateway: shownReceiving(rounds.mine),
        bare: shownReceiving(rounds.theirs),
        cpu_ratio: spread(rounds.mine.map(({ cpu_ms }, index) => cpu_ms / rounds.theirs[index]!.cpu_ms)),
      }
    }
  }

  /** Highest rate, in texts per second, at which half of the texts arrive within a tenth of a second. */
  let most = 0
  const steps: Record<string, unknown> = {}
  const stepCosts: Pick<ReturnType<typeof shownReceiving>, 'cpu_ms' | 'cores'>[] = []
  for (const rate of STEPS) {
    const step = await receive(gateway(1), rate * SECONDS, rate)
    const { cpu_ms, cores } = shownReceiving([step])
    stepCosts.push({ cpu_ms, cores })
    steps[rate] = { offered_per_s: round(step.offered, 0), p50: step.p50, p99: step.p99, cpu_ms: cpu_ms.median, cores }
    if (step.p50 > 100) break
    most = Math.max(most, step.offered)
  }

  await beginLoopDelays(child, bench.dir)
  const began = Date.now()
  const burst = await receive(gateway(1), BURST)
  const took = Date.now() - began
  // The cost and the cores are those of the last step, whose rate was too high.
  result.one_instance = { keeps_up_with_per_s: round(most, 0), ...stepCosts.at(-1), steps }
  const { cpu_ms, cores } = shownReceiving([burst])
  const { shard: loop } = await endLoopDelays(child, bench.dir)
  result.burst = { texts: BURST, per_s: round((BURST * 1_000) / took, 0), loop_of_shard: loop, cpu_ms, cores }
  report('texts received: CPU and stanza to webhook, against the bare library', result)
} finally {
  await bench.end()
}
