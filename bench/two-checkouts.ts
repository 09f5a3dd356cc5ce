/**
 * Compares the processor time of a sent and of a received text in this checkout and in another one (`BENCH_OTHER`).
 * Without `BENCH_OTHER`, this checkout is compared with itself, which shows the noise. Further variables:
 *
 * - `BENCH_GROUP=500`: the sent texts go to a group with this number of members.
 * - `BENCH_IN=500`: number of texts that are received per second.
 * - `BENCH_WARM=6000`: number of texts received before the measurement (V8 compiles during the first 4,500).
 */
import { fileURLToPath } from 'node:url'
import type { Gateway } from '../test/harness/gateway.ts'
import { cpuMs, median, phoneNumber, phoneNumbers, report, round, sleep, startBench } from './measure.ts'
import { startCounter } from './parts/counter.ts'

const OTHER = process.env.BENCH_OTHER ?? fileURLToPath(new URL('..', import.meta.url))
const TEXTS = Number(process.env.BENCH_TEXTS ?? 300)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7)
/** Requests per second. This rate is below the API's limit of requests for one instance. */
const REQUESTS_PER_SECOND = 50
const IN_PER_SECOND = Number(process.env.BENCH_IN ?? 100)
const WARM_IN = Number(process.env.BENCH_WARM ?? 500)
const READER = '5511988880001'
const MEMBERS = phoneNumbers(2_000, Number(process.env.BENCH_GROUP ?? 1) - 1)
const WRITER = '5511988880002'

const bench = await startBench()
const { sandbox } = bench

async function groupOf(owner: string): Promise<string> {
  const { id } = await sandbox.createGroup({ subject: 'bench', owner, participants: [owner, ...MEMBERS] })
  return id.replace('@g.us', '-group')
}

async function side({ service, gateway }: { service: { child: { pid?: number } }; gateway: Gateway }, index: number) {
  const receiver = await startCounter()
  const phone = phoneNumber(index)
  const instance = await gateway.connected(sandbox, phone, null, { webhooks: { single_url: receiver.url } })
  const to = MEMBERS.length === 0 ? READER : await groupOf(phone)
  const pid = service.child.pid!
  let turn = 0

  /**
   * Returns the CPU time of the whole process for one text, in ms. `act` causes `count` texts, and `isDone` returns
   * true when all of them were processed.
   */
  async function costOf(count: number, act: () => Promise<unknown>, isDone: () => boolean): Promise<number> {
    const before = cpuMs(pid)
    await act()
    while (!isDone()) await sleep(5)
    return (cpuMs(pid) - before) / count
  }

  return {
    out(count = TEXTS) {
      const wanted = receiver.count('delivery') + count
      const act = async () => {
        for (let number = 0; number < count; number++) {
          await gateway.sendText(instance, to, `text ${number}`, { link_preview: false })
          await sleep(1_000 / REQUESTS_PER_SECOND)
        }
      }
      return costOf(count, act, () => receiver.count('delivery') >= wanted)
    },
    in(count = TEXTS) {
      const wanted = receiver.count('received') + count
      const act = () => sandbox.burst(WRITER, phone, count, `turn ${++turn} `, { per_second: IN_PER_SECOND })
      return costOf(count, act, () => receiver.count('received') >= wanted)
    },
    stop: () => receiver.stop(),
  }
}

try {
  for (const phone of [READER, ...MEMBERS]) await sandbox.createContact(phone, { sink: true, receipts: 'none' })
  await sandbox.createContact(WRITER)
  const ours = await side(await bench.serve({ SVC_SHARDS: '1' }), 0)
  const theirs = await side(await bench.serveOther(OTHER), 1)
  const costs = { out: { ours: [] as number[], theirs: [] as number[] }, in: { ours: [] as number[], theirs: [] as number[] } }
  for (const each of [ours, theirs]) {
    await each.out(100)
    await each.in(WARM_IN)
  }
  for (let count = 0; count < ROUNDS; count++) {
    for (const way of ['out', 'in'] as const) {
      costs[way].theirs.push(await theirs[way]())
      costs[way].ours.push(await ours[way]())
    }
  }
  const shown = (way: 'out' | 'in') => {
    const { ours: here, theirs: there } = costs[way]
    const ratios = here.map((cost, index) => cost / there[index]!)
    return {
      cpu_ms: round(median(here)),
      other_cpu_ms: round(median(there)),
      ratio: round(median(ratios)),
      ratio_spread: [round(Math.min(...ratios)), round(Math.max(...ratios))],
    }
  }
  report('CPU per text out and in, this checkout against another', {
    other: process.env.BENCH_OTHER ? 'another checkout' : 'this checkout again',
    texts: TEXTS,
    rounds: ROUNDS,
    out: shown('out'),
    in: shown('in'),
  })
  ours.stop()
  theirs.stop()
} finally {
  await bench.end()
}
