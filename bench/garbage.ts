/**
 * Measures the bytes that V8 allocates for a text, in the main thread and in the shard. One instance first sends texts,
 * and then receives texts, at 40 per second. The result has the sum and the functions that allocate most. The bytes do
 * not depend on the load of the machine. Memory outside of V8's heap is not included.
 * `BENCH_OTHER` is a second checkout to measure, and `BENCH_NAMED=30` is the number of functions to list.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Gateway } from '../test/harness/gateway.ts'
import type { Running } from '../test/harness/process.ts'
import { amount, phoneNumber, report, round, sleep, startBench, textTo, UNLIMITED } from './measure.ts'
import { type AllocationProfile, byFunction } from './parts/allocations.ts'
import { startPart } from './parts/calls.ts'
import type { Driver } from './parts/driver.ts'
import type { Receiver } from './parts/receiver.ts'

const OTHER = process.env.BENCH_OTHER
const TEXTS = Number(process.env.BENCH_TEXTS ?? amount(400, 40))
/**
 * Number of texts in each direction before the measurement. V8 compiles most functions during these texts, and compiled
 * code allocates less.
 */
const WARM = Number(process.env.BENCH_WARM ?? amount(1_500, 20))
const PER_SECOND = 40
const NAMED = Number(process.env.BENCH_NAMED ?? 10)
const READER = '5511988880001'
const WRITER = '5511988880002'
const THREADS = ['main', 'shard']
const PROFILING = fileURLToPath(new URL('./parts/profiling.mjs', import.meta.url))

const bench = await startBench()
const { sandbox } = bench
const driver = startPart<Driver>('driver.ts')

/** Waits 700 ms, in which delayed writes end. */
const settled = () => sleep(700)
const kB = (bytes: number, texts: number) => round(bytes / texts / 1_000)

async function side({ service, gateway }: { service: Running; gateway: Gateway }, file: string, index: number) {
  const receiver = startPart<Receiver>('receiver.ts')
  const url = await receiver.call('open')
  const owner = phoneNumber(index)
  const { api_url } = await gateway.connected(sandbox, owner, null, { webhooks: { single_url: url } })

  async function out(count: number, perSecond?: number) {
    await receiver.call('reset')
    const arrived = receiver.call('until', { delivery: count, 'message_status delivered': count })
    const pace = perSecond === undefined ? {} : { perSecond }
    await driver.call('drive', { urls: [`${api_url}/send-text`], bodies: [textTo(READER)], count, connections: 32, ...pace })
    await arrived
    await settled()
  }
  async function into(count: number, perSecond: number) {
    await receiver.call('reset')
    const arrived = receiver.call('until', { received: count })
    await sandbox.burst(WRITER, owner, count, 'text ', { per_second: perSecond })
    await arrived
    await settled()
  }

  const pathOf = (name: string) => `${file}.${name}.cpuprofile`
  async function profile(name: string): Promise<AllocationProfile> {
    while (!existsSync(pathOf(name))) await sleep(20)
    return JSON.parse(readFileSync(pathOf(name), 'utf8')) as AllocationProfile
  }

  async function allocated(texts: number, work: () => Promise<unknown>) {
    for (const name of THREADS) rmSync(pathOf(name), { force: true })
    service.child.kill('SIGUSR2')
    await sleep(200)
    await work()
    service.child.kill('SIGUSR2')
    const shown = async (name: string) => {
      const found = await profile(name)
      const { bytes, own, within } = byFunction(found)
      const inKb = (sums: [string, number][]) =>
        Object.fromEntries(sums.slice(0, NAMED).map(([each, sum]) => [each, kB(sum, texts)]))
      return [name, { kb: kB(bytes, texts), collections: found.collections, own: inKb(own), within: inKb(within) }] as const
    }
    return Object.fromEntries(await Promise.all(THREADS.map(shown)))
  }

  for (let left = WARM; left > 0; left -= 500) await out(Math.min(500, left))
  await into(WARM, 200)
  return {
    out: await allocated(TEXTS, () => out(TEXTS, PER_SECOND)),
    in: await allocated(TEXTS, () => into(TEXTS, PER_SECOND)),
    // The service also allocates memory without texts. This is the amount in the time that the paced texts take.
    idle: await allocated(TEXTS, () => sleep((1_000 * TEXTS) / PER_SECOND)),
  }
}

const envOf = (file: string) => ({
  ...UNLIMITED,
  SVC_SHARDS: '1',
  NODE_OPTIONS: `--import ${PROFILING}`,
  BENCH_OF: 'bytes',
  BENCH_PROFILE: file,
})

try {
  await sandbox.createContact(READER, { sink: true, receipts: 'delivered' })
  await sandbox.createContact(WRITER)
  const [mine, theirs] = [join(bench.dir, 'ours'), join(bench.dir, 'other')]
  const ours = await side(await bench.serve(envOf(mine)), mine, 0)
  const other = OTHER ? await side(await bench.serveOther(OTHER, envOf(theirs)), theirs, 1) : undefined
  report('kB that V8 allocates per text', { texts: TEXTS, per_text: ours, ...(other ? { other } : {}) })
} finally {
  await bench.end()
}
