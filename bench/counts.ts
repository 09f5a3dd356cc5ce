/**
 * Counts the operations that a text causes, such as transactions, writes, timers and encryptions. Unlike times, the
 * counts do not depend on the load of the machine. `BENCH_OTHER` is a second checkout to count.
 */
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newestMeta } from '../src/storage/drivers/lmdb-pages.ts'
import type { Gateway } from '../test/harness/gateway.ts'
import type { Running } from '../test/harness/process.ts'
import { cpuMs, phoneNumber, report, round, sleep, startBench } from './measure.ts'
import { asked } from './parts/asked.ts'
import { startCounter } from './parts/counter.ts'

const OTHER = process.env.BENCH_OTHER
const TEXTS = Number(process.env.BENCH_TEXTS ?? 200)
/** Sent texts per second. This rate is below the API's limit of requests for one instance. */
const PER_SECOND = 40
const READER = '5511988880001'
const WRITER = '5511988880002'
const COUNTING = fileURLToPath(new URL('./parts/counting.mjs', import.meta.url))

const bench = await startBench()
const { sandbox } = bench
const file = join(bench.dir, 'counts.json')
const env = { NODE_OPTIONS: `--import ${COUNTING}`, BENCH_COUNTS: file }

type Numbers = Record<string, number>

async function side({ service, gateway }: { service: Running; gateway: Gateway }, dir: string, index: number) {
  const receiver = await startCounter()
  const phone = phoneNumber(index)
  const instance = await gateway.connected(sandbox, phone, null, { webhooks: { single_url: receiver.url } })
  const pid = service.child.pid!
  const store = openSync(join(dir, 'state/data.mdb'), 'r')

  async function now(): Promise<Numbers> {
    const operations = await asked<Numbers>(service.child, file)
    const io = Object.fromEntries(
      [...readFileSync(`/proc/${pid}/io`, 'utf8').matchAll(/(\w+): (\d+)/g)].map(([, name, n]) => [name, Number(n)]),
    )
    return {
      cpu_ms: cpuMs(pid),
      commits: Number(newestMeta(store).txnId),
      write_calls: io.syscw!,
      ...operations,
    }
  }

  async function each(count: number, act: () => Promise<unknown>, isDone: () => boolean): Promise<Numbers> {
    await settled()
    const before = await now()
    await act()
    while (!isDone()) await sleep(5)
    await settled()
    const after = await now()
    return Object.fromEntries(Object.entries(after).map(([name, value]) => [name, round((value - before[name]!) / count)]))
  }

  /** Waits 300 ms, in which delayed writes end. */
  const settled = () => sleep(300)

  async function out(count: number, link?: number) {
    const wanted = receiver.count('delivery') + count
    const act = async () => {
      for (let number = 0; number < count; number++) {
        await gateway.sendText(instance, READER, `text ${number}`, { link_preview: false })
        await sleep(link ?? 1_000 / PER_SECOND)
      }
    }
    return await each(count, act, () => receiver.count('delivery') >= wanted)
  }

  async function into(count: number, perSecond: number) {
    const wanted = receiver.count('received') + count
    return await each(
      count,
      () => sandbox.burst(WRITER, phone, count, `turn ${Math.random()} `, { per_second: perSecond }),
      () => receiver.count('received') >= wanted,
    )
  }

  await out(50)
  await into(100, 50)
  const result = { out: await out(TEXTS), in: await into(TEXTS, 50), in_fast: await into(TEXTS * 2, 200) }
  receiver.stop()
  return result
}

try {
  await sandbox.createContact(READER, { sink: true })
  await sandbox.createContact(WRITER)
  const ours = await side(await bench.serve({ SVC_SHARDS: '1', ...env }), join(bench.dir, 'service'), 0)
  const theirs = OTHER ? await side(await bench.serveOther(OTHER, env), join(bench.dir, 'other'), 1) : undefined
  report('what a text costs, in things that can be counted', {
    texts: TEXTS,
    per_text: ours,
    ...(theirs ? { other: theirs } : {}),
    note: 'one instance, one shard; seals and opens are values of the store, noise the frames of the connection',
  })
} finally {
  await bench.end()
}
