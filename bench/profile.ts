/**
 * Measures the CPU time of a sent text by cause, in ms per text, for the main thread and for the shard. `BENCH_OTHER`
 * is a second checkout to measure. With `BENCH_GROUP=500` the texts go to a group with this number of members. With
 * `BENCH_IN=300` texts are received instead of sent, at this number per second.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Gateway } from '../test/harness/gateway.ts'
import type { Running } from '../test/harness/process.ts'
import { amount, phoneNumber, phoneNumbers, report, round, sleep, startBench, textTo, UNLIMITED } from './measure.ts'
import { startPart } from './parts/calls.ts'
import { byCause, type Profile } from './parts/causes.ts'
import type { Driver } from './parts/driver.ts'
import type { Receiver } from './parts/receiver.ts'
import { threadTimes, timesBetween } from './parts/thread-times.ts'

const OTHER = process.env.BENCH_OTHER
const TEXTS = Number(process.env.BENCH_TEXTS ?? amount(1_500, 40))
const WARM = amount(1_500, 20)
/** Largest number of texts that are queued at a time. A queue holds at most 1,000 items. */
const AT_ONCE = 500
const CONTACT = '5511988880001'
const WRITER = '5511988880002'
const IN_PER_SECOND = Number(process.env.BENCH_IN ?? 0)
const MEMBERS = phoneNumbers(2_000, Number(process.env.BENCH_GROUP ?? 1) - 1)
const PROFILING = fileURLToPath(new URL('./parts/profiling.mjs', import.meta.url))
const NAMED = Number(process.env.BENCH_NAMED ?? 0)

const bench = await startBench()
const driver = startPart<Driver>('driver.ts')

async function groupOf(owner: string): Promise<string> {
  const { id } = await bench.sandbox.createGroup({ subject: 'bench', owner, participants: [owner, ...MEMBERS] })
  return id.replace('@g.us', '-group')
}

async function side({ service, gateway }: { service: Running; gateway: Gateway }, file: string, index: number) {
  const receiver = startPart<Receiver>('receiver.ts')
  const url = await receiver.call('open')
  const owner = phoneNumber(index)
  const { api_url } = await gateway.connected(bench.sandbox, owner, null, { webhooks: { single_url: url } })
  const to = MEMBERS.length === 0 ? CONTACT : await groupOf(owner)
  const pid = service.child.pid!

  async function send(texts: number) {
    for (let left = texts; left > 0; left -= AT_ONCE) {
      const count = Math.min(AT_ONCE, left)
      await receiver.call('reset')
      const receipts: Record<string, number> = MEMBERS.length === 0 ? { 'message_status delivered': count } : {}
      const arrived = receiver.call('until', { delivery: count, 'message_status sent': count, ...receipts })
      await driver.call('drive', { urls: [`${api_url}/send-text`], bodies: [textTo(to)], count, connections: 32 })
      await arrived
    }
  }

  async function take(texts: number) {
    await receiver.call('reset')
    const arrived = receiver.call('until', { received: texts })
    await bench.sandbox.burst(WRITER, owner, texts, 'text ', { per_second: IN_PER_SECOND })
    await arrived
  }
  const work = IN_PER_SECOND > 0 ? take : send

  async function profile(name: string): Promise<Profile> {
    const path = `${file}.${name}.cpuprofile`
    while (!existsSync(path)) await sleep(20)
    return JSON.parse(readFileSync(path, 'utf8')) as Profile
  }

  for (const name of ['main', 'shard']) rmSync(`${file}.${name}.cpuprofile`, { force: true })
  await work(WARM)
  service.child.kill('SIGUSR2')
  await sleep(200)
  const before = threadTimes(pid)
  await work(TEXTS)
  const after = threadTimes(pid)
  service.child.kill('SIGUSR2')
  const profiles = { main: byCause(await profile('main')), shard: byCause(await profile('shard')) }
  const used = timesBetween(pid, before, after)
  const [main, shard, rest] = [used.main / TEXTS, used.shard / TEXTS, used.rest / TEXTS]
  const shown = ({ causes, functions }: ReturnType<typeof byCause>, ms: number) => ({
    ms: round(ms),
    ...Object.fromEntries(causes.map(([name, share]) => [name, round(share * ms, 3)])),
    ...(NAMED > 0
      ? { functions: Object.fromEntries(functions.slice(0, NAMED).map(([name, share]) => [name, round(share * ms, 3)])) }
      : {}),
  })
  return {
    ms: round(main + shard + rest),
    main: shown(profiles.main, main),
    shard: shown(profiles.shard, shard),
    other_threads_ms: round(rest),
  }
}

const envOf = (file: string) => ({ ...UNLIMITED, SVC_SHARDS: '1', NODE_OPTIONS: `--import ${PROFILING}`, BENCH_PROFILE: file })

try {
  await bench.sandbox.createContact(CONTACT, { sink: true, receipts: 'delivered' })
  await bench.sandbox.createContact(WRITER)
  for (const phone of MEMBERS) await bench.sandbox.createContact(phone, { sink: true, receipts: 'none' })
  const [mine, theirs] = [join(process.env.BENCH_KEEP ?? bench.dir, 'ours'), join(process.env.BENCH_KEEP ?? bench.dir, 'other')]
  const ours = await side(await bench.serve(envOf(mine)), mine, 0)
  const other = OTHER ? await side(await bench.serveOther(OTHER, envOf(theirs)), theirs, 1) : undefined
  report(`where the time of a text ${IN_PER_SECOND > 0 ? 'in' : 'out'} goes, ms per text`, {
    texts: TEXTS,
    per_text: ours,
    ...(other ? { other } : {}),
  })
} finally {
  await bench.end()
}
