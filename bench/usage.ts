/**
 * Measures whether `GET /account/usage` gives the busiest instance the most CPU time. The bench compares this time with
 * that of the thread of the shard, as the system counts it. It also measures the cost of the counting, as a share of
 * the CPU time of a text.
 */
import { readdirSync } from 'node:fs'
import { createWorkMeter } from '../workers/shard/usage/work-meter.ts'
import { amount, cpuMs, phoneNumber, report, round, sleep, startBench, startLoaded } from './measure.ts'

const MANY = amount(200, 3)
const PER_SECOND = 20
const SECONDS = amount(40, 6)
/** Upper bound of the number of calls of the meter for one text: for its frames, commits and webhooks. */
const CALLS_PER_TEXT = 20
const CALLS = amount(1_000_000, 10_000)
const SENDER = phoneNumber(3_000)

interface Row {
  instance_id: string
  cpu_ms: number
  received: number
}

/** Returns the duration in ns of one call of the meter that switches to another instance. */
function callNs(): number {
  const meter = createWorkMeter()
  const names = ['one', 'other'] as const
  const began = process.cpuUsage()
  for (let call = 0; call < CALLS; call++) meter.begin(names[call % 2]!)
  const { user, system } = process.cpuUsage(began)
  return ((user + system) * 1_000) / CALLS
}

/** Returns the CPU time in ms of each thread of a process. */
const threadsOf = (pid: number) =>
  new Map(readdirSync(`/proc/${pid}/task`).map((thread) => [thread, cpuMs(pid, Number(thread))] as const))

const bench = await startBench()
try {
  await bench.sandbox.createContact(SENDER)
  const { pid, gateway, instances } = await startLoaded(bench, { instances: MANY, env: { SVC_SHARDS: '1' } })
  const costly = instances[Math.floor(MANY / 2)]!

  async function usage(): Promise<Row[]> {
    const url = `${gateway.baseUrl}/account/usage?window=hour&page_size=500`
    return ((await (await fetch(url, { headers: gateway.account })).json()) as { data: Row[] }).data
  }
  const cpuOf = (rows: Row[]) => new Map(rows.map(({ instance_id, cpu_ms }) => [instance_id, cpu_ms]))

  async function measured(work: () => Promise<unknown>) {
    const before = { threads: threadsOf(pid), instances: cpuOf(await usage()) }
    await work()
    const [threads, instances] = [threadsOf(pid), cpuOf(await usage())]
    const growth = (now: ReadonlyMap<string, number>, then: ReadonlyMap<string, number>) =>
      new Map([...now].map(([name, ms]) => [name, ms - (then.get(name) ?? 0)] as const))
    return { threads: growth(threads, before.threads), instances: growth(instances, before.instances) }
  }

  await sleep(amount(5_000, 200))
  const idle = await measured(() => sleep(SECONDS * 1_000))
  const texts = PER_SECOND * SECONDS
  const busy = await measured(async () => {
    await bench.sandbox.burst(SENDER, phoneNumber(Math.floor(MANY / 2)), texts, 'text', { per_second: PER_SECOND })
    await sleep(SECONDS * 1_000)
  })
  // The shard is the thread whose CPU time grows most when texts arrive, so the largest growth is taken.
  const extra = new Map([...busy.threads].map(([thread, ms]) => [thread, ms - (idle.threads.get(thread) ?? 0)] as const))
  const ofShard = Math.max(...extra.values())
  const counted = busy.instances.get(costly.id)! - idle.instances.get(costly.id)!
  const first = [...busy.instances].sort((one, other) => other[1] - one[1])[0]!
  const ns = callNs()
  report('which instance costs', {
    instances: MANY,
    texts,
    is_first: first[0] === costly.id,
    costly_cpu_ms: round(counted),
    shard_cpu_ms_by_the_system: round(ofShard),
    counted_against_system: round(counted / ofShard, 2),
    second_cpu_ms: round([...busy.instances.values()].sort((one, other) => other - one)[1]!),
    call_ns: round(ns),
    counting_percent_at_most: round(((ns * CALLS_PER_TEXT) / ((ofShard * 1e6) / texts)) * 100, 2),
  })
} finally {
  await bench.end()
}
