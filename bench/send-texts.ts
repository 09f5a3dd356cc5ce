/**
 * How many texts a second leave through the whole gateway (HTTP, queue, store, session, webhook), and what CPU each costs, against the bare
 * library on the same network in the same run. Rounds alternate, so that a busy machine is busy for both.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startReceiver } from '../test/harness/receiver.ts'
import { cpuMs, median, phoneNumber, report, round, sleep, startBench } from './measure.ts'

const TEXTS = Number(process.env.BENCH_TEXTS ?? 500)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
/** Below the bucket's refill. */
const REQUESTS_PER_SECOND = 55
const CONTACT = '5511988880001'
const BARE = fileURLToPath(new URL('./bare-client.ts', import.meta.url))

interface Round {
  perSecond: number
  cpuMsEach: number
}

const bench = await startBench()
const receiver = await startReceiver()
await bench.sandbox.createContact(CONTACT, { sink: true, receipts: 'none' })
const { service, gateway } = await bench.serve({ SVC_SHARDS: '1' })
const instance = await gateway.connected(bench.sandbox, phoneNumber(0), receiver)
const pid = service.child.pid!

/**
 * The API takes 60 requests a second of an instance, so the queue is filled while the network is down, and what is timed is its emptying:
 * from the first `delivery` to the last. The CPU is that of everything: requests, commits, sends, webhooks, and one login.
 */
async function throughGateway(): Promise<Round> {
  await bench.sandbox.setDown(true)
  const before = receiver.events('delivery').length
  const cpuBefore = cpuMs(pid)
  for (let index = 0; index < TEXTS; index++) {
    await gateway.sendText(instance, CONTACT, `text ${index}`, { link_preview: false })
    await sleep(1_000 / REQUESTS_PER_SECOND)
  }
  await bench.sandbox.setDown(false)
  while (receiver.events('delivery').length < before + TEXTS) await sleep(5)
  const cpu = cpuMs(pid) - cpuBefore
  const times = receiver
    .events('delivery')
    .slice(before)
    .map(({ momment }) => momment)
  return { perSecond: ((TEXTS - 1) * 1_000) / (Math.max(...times) - Math.min(...times)), cpuMsEach: cpu / TEXTS }
}

async function bare(round: number): Promise<Round> {
  const { url, root } = bench.network.printed.network
  const args = [BARE, url!, root!, bench.network.printed.sandbox_url!, String(TEXTS), phoneNumber(100 + round), CONTACT]
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', ...args])
  const { ms, cpuMs: cpu } = JSON.parse(stdout) as { ms: number; cpuMs: number }
  return { perSecond: (TEXTS * 1_000) / ms, cpuMsEach: cpu / TEXTS }
}

try {
  for (let index = 0; index < 50; index++) await gateway.sendText(instance, CONTACT, `warm ${index}`, { link_preview: false })
  while (receiver.events('delivery').length < 50) await sleep(5)
  const ours: Round[] = []
  const theirs: Round[] = []
  for (let index = 0; index < ROUNDS; index++) {
    theirs.push(await bare(index))
    ours.push(await throughGateway())
  }
  const of = (rounds: Round[], field: keyof Round) => median(rounds.map((each) => each[field]))
  report('texts per second and CPU per text, whole gateway against the bare library', {
    texts: TEXTS,
    rounds: ROUNDS,
    gateway: { texts_per_s: round(of(ours, 'perSecond'), 0), cpu_ms_per_text: round(of(ours, 'cpuMsEach')) },
    bare: { texts_per_s: round(of(theirs, 'perSecond'), 0), cpu_ms_per_text: round(of(theirs, 'cpuMsEach')) },
    ratio: {
      rate: round(of(ours, 'perSecond') / of(theirs, 'perSecond')),
      cpu: round(of(ours, 'cpuMsEach') / of(theirs, 'cpuMsEach')),
    },
    note: 'one instance; gateway: durable commits, signed webhooks for delivery and status included',
  })
} finally {
  await receiver.stop()
  await bench.end()
}
