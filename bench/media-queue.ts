/**
 * Measures how many media messages one instance sends in a second, and the processor time of each. The simulated
 * network acknowledges at once in a first measurement, and after `BENCH_ACK` ms in a second one, as over a long
 * distance. `BENCH_OTHER` is the folder of another checkout to compare with. Without it this checkout is compared with
 * itself, which shows the noise.
 */
import { fileURLToPath } from 'node:url'
import type { Gateway } from '../test/harness/gateway.ts'
import * as files from '../test/harness/media-files.ts'
import { amount, cpuMs, phoneNumber, ROUNDS, report, sleep, spread, startBench, UNLIMITED } from './measure.ts'
import { startCounter } from './parts/counter.ts'

const OTHER = process.env.BENCH_OTHER ?? fileURLToPath(new URL('..', import.meta.url))
const ACK = Number(process.env.BENCH_ACK ?? 200)
/**
 * Number of media messages in a round, by kind. The conversion of a voice note takes the most processor time, in a
 * separate process.
 */
const PIECES = { picture: amount(20, 4), voice: amount(8, 2) }
const READER = '5511988880001'
/** Time in ms after the last request of a round. Messages without an event by then count as lost. */
const PATIENCE = 120_000

const bench = await startBench()
const { sandbox } = bench
const dataUrl = (mime: string, bytes: Uint8Array) => `data:${mime};base64,${Buffer.from(bytes).toString('base64')}`
type Kind = 'picture' | 'voice'
const KINDS: Readonly<Record<Kind, () => Promise<[path: string, fields: object]>>> = {
  picture: async () => ['/send-image', { image: dataUrl('image/jpeg', await files.image('jpeg', 1_280, 960)) }],
  voice: async () => ['/send-audio', { audio: dataUrl('audio/mpeg', await files.sound('mp3', 10)) }],
}

interface Taken {
  per_s: number
  cpu_ms: number
}

async function side({ service, gateway }: { service: { child: { pid?: number } }; gateway: Gateway }, index: number) {
  const receiver = await startCounter()
  const instance = await gateway.connected(sandbox, phoneNumber(index), null, { webhooks: { single_url: receiver.url } })
  const pid = service.child.pid!
  return {
    async round(kind: Kind): Promise<Taken> {
      const [path, fields] = await KINDS[kind]()
      const wanted = receiver.count('delivery') + PIECES[kind]
      for (let count = 0; count < PIECES[kind] - 1; count++)
        await gateway.must(instance, 'POST', path, { phone: READER, ...fields })
      const [cpu, began, left] = [cpuMs(pid), performance.now(), receiver.count('delivery')]
      await gateway.must(instance, 'POST', path, { phone: READER, ...fields })
      while (receiver.count('delivery') < wanted) {
        if (performance.now() - began > PATIENCE) throw new Error(`${wanted - receiver.count('delivery')} pieces are missing`)
        await sleep(5)
      }
      const sent = wanted - left
      return { per_s: sent / ((performance.now() - began) / 1_000), cpu_ms: (cpuMs(pid) - cpu) / sent }
    },
    stop: () => receiver.stop(),
  }
}

try {
  await sandbox.createContact(READER, { sink: true, receipts: 'none' })
  const env = { ...UNLIMITED, SVC_SHARDS: '1' }
  const ours = await side(await bench.serve(env), 0)
  const theirs = await side(await bench.serveOther(OTHER, env), 1)
  const result: Record<string, unknown> = {}
  for (const ack of [0, ACK]) {
    await sandbox.clearFaults()
    if (ack > 0) await sandbox.fault({ on: 'message', do: { delay_ms: ack }, times: 1_000_000 })
    for (const kind of files.programs ? (['picture', 'voice'] as const) : (['picture'] as const)) {
      const taken: { ours: Taken[]; theirs: Taken[] } = { ours: [], theirs: [] }
      for (const each of [theirs, ours]) await each.round(kind)
      for (let count = 0; count < ROUNDS; count++) {
        taken.theirs.push(await theirs.round(kind))
        taken.ours.push(await ours.round(kind))
      }
      const shown = (of: keyof Taken) => ({
        ours: spread(taken.ours.map((each) => each[of])),
        other: spread(taken.theirs.map((each) => each[of])),
        ratio: spread(taken.ours.map((each, index) => each[of] / taken.theirs[index]![of])),
      })
      result[`${kind}_ack_${ack}_ms`] = { per_s: shown('per_s'), cpu_ms: shown('cpu_ms') }
    }
  }
  report('pieces of media that one instance sends in a second, this checkout against another', {
    other: process.env.BENCH_OTHER ? 'another checkout' : 'this checkout again',
    pieces: PIECES,
    rounds: ROUNDS,
    ...result,
  })
  ours.stop()
  theirs.stop()
} finally {
  await bench.end()
}
