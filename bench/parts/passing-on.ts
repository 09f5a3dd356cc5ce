/**
 * Measures what a member adds to requests for an instance that another member has: the time that it adds to a small
 * read and to a text, and the rate at which it passes on a large document. Direct requests alternate with requests that
 * are passed on.
 */
import { Pool } from 'undici'
import type { Instance } from '../../test/harness/gateway.ts'
import { until } from '../../test/harness/until.ts'
import { amount, type Bench, median, phoneNumber, ROUNDS, round, sleep, spread, textTo } from '../measure.ts'
import { type CpuSource, medianCores, watchCores } from './cores.ts'
import type { BenchMember } from './members.ts'

const READS = amount(150, 5)
const TEXTS = amount(50, 5)
/**
 * Number of pairs of requests before a measurement. V8 compiles the code of both members step by step: the first reads
 * take twice as long as those after about 600 pairs.
 */
const WARM = amount(800, 5)
/** Pauses in ms after a text, so that the next request is not delayed by work for this text. */
const PAUSE = 25
const WARM_PAUSE = 5
/** Number of bytes of a document. As base64 it is a little smaller than the largest body. */
const BYTES = amount(48_000_000, 1_000_000)
/** Number of documents per round in each of the two ways. Two documents have about 100 MB. */
const DOCUMENTS = 2
const MB = 1e6
const DROPPED = 'queue_disabled_while_disconnected'

interface Way {
  direct: Pool
  passedOn: Pool
  /** Processes that share the machine in a measurement, for `watchCores`. */
  processes: Record<string, CpuSource>
}
type Sides = Record<'direct' | 'passedOn', number[]>

interface Request {
  path: string
  body?: string | Buffer
  /** The error code that the instance must answer with. Absent if it must answer with 200. */
  refusal?: string
}

async function time(pool: Pool, { path, body, refusal }: Request): Promise<number> {
  const begun = performance.now()
  const post = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }
  const answer = await pool.request({ path, method: body === undefined ? 'GET' : 'POST', ...post })
  const text = await answer.body.text()
  const took = performance.now() - begun
  if (refusal === undefined ? answer.statusCode !== 200 : !text.includes(refusal))
    throw new Error(`${path.split('/').at(-1)} was answered with ${answer.statusCode}: ${text}`)
  return took
}

/** Sends pairs of requests: one direct, and one that is passed on. The order changes from pair to pair. */
async function pairs(way: Way, request: Request, count: number, pauseMs: number): Promise<Sides> {
  const times: Sides = { direct: [], passedOn: [] }
  for (let at = 0; at < count; at++)
    for (const side of at % 2 === 0 ? (['direct', 'passedOn'] as const) : (['passedOn', 'direct'] as const)) {
      times[side].push(await time(way[side], request))
      await sleep(pauseMs)
    }
  return times
}

async function latency(way: Way, request: Request, count: number, pauseMs: number) {
  const cold = await pairs(way, request, count, pauseMs)
  await pairs(way, request, WARM, Math.min(pauseMs, WARM_PAUSE))
  const watch = watchCores(way.processes)
  const p50: Record<'direct' | 'passed_on' | 'added', number[]> = { direct: [], passed_on: [], added: [] }
  for (let at = 0; at < ROUNDS; at++) {
    const times = await pairs(way, request, count, pauseMs)
    const [one, other] = [median(times.direct), median(times.passedOn)]
    p50.direct.push(one)
    p50.passed_on.push(other)
    p50.added.push(other - one)
  }
  return {
    cold_added_p50_ms: round(median(cold.passedOn) - median(cold.direct)),
    direct_p50_ms: spread(p50.direct),
    passed_on_p50_ms: spread(p50.passed_on),
    added_p50_ms: spread(p50.added),
    cores: medianCores([watch()]),
  }
}

/**
 * Measures how fast a document is passed on between members. The rate is computed from the time that a passed-on
 * request takes longer than a direct one, because the service reads and decodes the body in both cases.
 */
async function rate(way: Way, request: Request) {
  await pairs(way, request, 1, 0)
  const all: Sides = { direct: [], passedOn: [] }
  const watch = watchCores(way.processes)
  for (let at = 0; at < ROUNDS; at++) {
    const times = await pairs(way, request, DOCUMENTS, 0)
    for (const side of ['direct', 'passedOn'] as const) all[side].push(times[side].reduce((sum, ms) => sum + ms, 0))
  }
  const cores = medianCores([watch()])
  const added = all.passedOn.map((ms, index) => ms - all.direct[index]!)
  const megabytes = (BYTES * DOCUMENTS) / MB
  return {
    mb: round(megabytes, 0),
    direct_ms: spread(all.direct, 0),
    passed_on_ms: spread(all.passedOn, 0),
    added_ms: spread(added, 0),
    mb_per_s: round((megabytes * 1_000) / Math.max(1, median(added)), 0),
    cores,
  }
}

const pathOf = ({ api_url }: Instance) => new URL(api_url).pathname

/**
 * Runs the measurements. `home` gets two instances: a connected one, and one that refuses texts because it is not
 * connected. `postgres` returns the CPU time in ms of the database server.
 */
export async function passingOn(
  bench: Bench,
  { home, other, postgres }: { home: BenchMember; other: BenchMember; postgres: CpuSource },
  contact: string,
) {
  const instance = await home.gateway.connected(bench.sandbox, phoneNumber(900), null)
  // The thread of this instance refuses the document, so neither the store nor the network takes part.
  const refusing = await home.gateway.createInstance(null, { settings: { disable_enqueue_when_disconnected: true } })
  const processes = {
    service: home.service.child.pid!,
    other_member: other.service.child.pid!,
    network: bench.network.child.pid!,
    client: process.pid,
    postgres,
  }
  const way: Way = { direct: new Pool(home.gateway.baseUrl), passedOn: new Pool(other.gateway.baseUrl), processes }
  const read = { path: `${pathOf(instance)}/queue?page_size=1` }
  const isKnown = () => time(way.passedOn, { ...read, path: `${pathOf(refusing)}/queue` }).catch(() => 0)
  await until(isKnown, (ms) => ms > 0)
  const document = Buffer.from(JSON.stringify({ phone: contact, document: Buffer.alloc(BYTES, 'x').toString('base64') }))
  const result = {
    read: await latency(way, read, READS, 0),
    send: await latency(way, { path: `${pathOf(instance)}/send-text`, body: textTo(contact) }, TEXTS, PAUSE),
    document: await rate(way, { path: `${pathOf(refusing)}/send-document/bin`, body: document, refusal: DROPPED }),
  }
  await Promise.all([way.direct.close(), way.passedOn.close()])
  return result
}
