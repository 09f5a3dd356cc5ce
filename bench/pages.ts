/**
 * Counts the records, pages and write calls of the store that a text causes. Unlike times, these counts do not depend
 * on the load of the machine. First a service sends and receives texts one at a time, and its commits are recorded.
 * Then each commit is repeated in another store, and the file of that store is compared before and after the commit.
 * `BENCH_SHOW=1` prints the 25 kinds of commits with the most write calls, each with its records.
 */
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newestMeta } from '../src/storage/drivers/lmdb-pages.ts'
import { openStore } from '../src/storage/open-store.ts'
import { phoneNumber, phoneNumbers, report, round, sleep, startBench } from './measure.ts'
import { startCounter } from './parts/counter.ts'

type Op = [key: string, value: string | null]

const TEXTS = Number(process.env.BENCH_TEXTS ?? 200)
/**
 * Number of texts before the counted ones. After these texts, the tree of the store has as many levels as in a store in
 * use.
 */
const BEFORE = Number(process.env.BENCH_BEFORE ?? 800)
const PEOPLE = phoneNumbers(2_000, 20)
const PAGE = 4_096
const RECORDING = fileURLToPath(new URL('./parts/recording.mjs', import.meta.url))

const bench = await startBench()
const { sandbox } = bench
const file = join(bench.dir, 'commits')
const recorded = () => readFileSync(file, 'utf8').split('\n').length - 1

/** Waits 700 ms, in which delayed writes end. */
const settled = () => sleep(700)

async function record() {
  const { gateway } = await bench.serve({ SVC_SHARDS: '1', NODE_OPTIONS: `--import ${RECORDING}`, BENCH_COMMITS: file })
  const receiver = await startCounter()
  const phone = phoneNumber(0)
  const instance = await gateway.connected(sandbox, phone, null, { webhooks: { single_url: receiver.url } })
  const events = () => ['delivery', 'message_status', 'received'].map((type) => receiver.count(type))

  async function out(count: number, pauseMs: number) {
    const wanted = receiver.count('delivery') + count
    for (let number = 0; number < count; number++) {
      await gateway.sendText(instance, PEOPLE[number % PEOPLE.length]!, `text ${number}`, { link_preview: false })
      await sleep(pauseMs)
    }
    while (receiver.count('delivery') < wanted) await sleep(5)
    await settled()
  }
  async function into(count: number, pauseMs: number) {
    const wanted = receiver.count('received') + count
    for (let number = 0; number < count; number++) {
      await sandbox.burst(PEOPLE[number % PEOPLE.length]!, phone, 1, `turn ${Math.random()} `)
      await sleep(pauseMs)
    }
    while (receiver.count('received') < wanted) await sleep(5)
    await settled()
  }

  await out(BEFORE / 2, 20)
  await into(BEFORE / 2, 20)
  const starts = [recorded()]
  const seen = [events()]
  await out(TEXTS, 60)
  starts.push(recorded())
  seen.push(events())
  await into(TEXTS, 60)
  starts.push(recorded())
  seen.push(events())
  receiver.stop()
  const between = (from: number) => seen[from + 1]!.map((count, index) => round((count - seen[from]![index]!) / TEXTS))
  return { starts, events: { out: between(0), in: between(1) } }
}

/** Returns the kind of a record: its key without the ids in it, after a minus sign if the record is removed. */
const kindOf = ([key, value]: Op) =>
  (value === null ? '-' : '') +
  key
    .replace(/^(instance|config):[^:]+/, '$1')
    .replace(/^instance:/, '')
    .replace(/:[^:]*([0-9]{4}|[-_A-Z0-9]{9})[^:]*/gi, '')

interface Cost {
  commits: number
  records: number
  bytes: number
  pages: number
  writes: number
}
const nothing = (): Cost => ({ commits: 0, records: 0, bytes: 0, pages: 0, writes: 0 })

/** Counts the pages that differ, and the writes that they need: neighbouring pages are written together. */
function differing(before: Buffer, after: Buffer): Pick<Cost, 'pages' | 'writes'> {
  let pages = 0
  let writes = 0
  let last = -2
  for (let page = 0; page * PAGE < after.length; page++) {
    const at = page * PAGE
    const isSame =
      at < before.length &&
      after.compare(before, at, Math.min(at + PAGE, before.length), at, Math.min(at + PAGE, after.length)) === 0
    if (isSame) continue
    pages++
    if (page !== last + 1) writes++
    last = page
  }
  return { pages, writes }
}

async function replay(starts: number[]) {
  const commits = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Op[])
  // This store is in memory, so that the measurement does not wait for the disk.
  const dir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'svc-pages-'))
  const store = await openStore(`lmdb:${dir}`)
  const make = (ops: Op[]) =>
    store.commit({ ops: ops.map(([key, value]) => [key, value === null ? null : Buffer.from(value, 'base64')] as const) })
  const data = openSync(join(dir, 'data.mdb'), 'r')
  /** Returns the contents of the pages that are in use. The file is longer. */
  function read(): Buffer {
    const pages = Buffer.alloc((newestMeta(data).lastPage + 1) * PAGE)
    readSync(data, pages, 0, pages.length, 0)
    return pages
  }
  for (const ops of commits.slice(0, starts[0])) await make(ops)

  const phases = []
  for (let phase = 0; phase + 1 < starts.length; phase++) {
    const total = nothing()
    const kinds = new Map<string, Cost>()
    let before = read()
    for (const ops of commits.slice(starts[phase], starts[phase + 1])) {
      if (ops.length === 0) continue
      await make(ops)
      const after = read()
      const cost = differing(before, after)
      before = after
      const kind = ops.map(kindOf).join(' ')
      const each = kinds.get(kind) ?? nothing()
      kinds.set(kind, each)
      const bytes = ops.reduce((sum, [key, value]) => sum + key.length + Buffer.byteLength(value ?? '', 'base64'), 0)
      for (const sum of [total, each]) {
        sum.commits++
        sum.records += ops.length
        sum.bytes += bytes
        sum.pages += cost.pages
        sum.writes += cost.writes
      }
    }
    const perText = Object.fromEntries(Object.entries(total).map(([name, value]) => [name, round(value / TEXTS)]))
    phases.push({ perText, kinds })
  }
  closeSync(data)
  await store.close()
  rmSync(dir, { recursive: true })
  return phases
}

try {
  for (const phone of PEOPLE) await sandbox.createContact(phone)
  const { starts, events } = await record()
  const [out, into] = await replay(starts)
  report('records, pages and write calls of a text', { texts: TEXTS, out: out!.perText, in: into!.perText, events })
  if (process.env.BENCH_SHOW === '1')
    for (const [name, { kinds }] of Object.entries({ out: out!, in: into! })) {
      process.stderr.write(`\n${name}: commits, then pages and writes and bytes of each\n`)
      for (const [kind, cost] of [...kinds].sort(([, one], [, other]) => other.writes - one.writes).slice(0, 25))
        process.stderr.write(
          `${cost.commits}  ${round(cost.pages / cost.commits)} ${round(cost.writes / cost.commits)} ${round(cost.bytes / cost.commits)}  ${kind}\n`,
        )
    }
} finally {
  await bench.end()
}
