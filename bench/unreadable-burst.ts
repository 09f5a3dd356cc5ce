/**
 * What 2,000 messages of one sender that cannot be read do to the texts of another: from the moment a text is given to the network until its
 * webhook arrives, with no burst and while one is under way, in turn, several times over. (As many that can be read are as many webhooks,
 * which leave in the order of their events: then the texts wait for the receiver.)
 */
import { loadavg } from 'node:os'
import { startReceiver } from '../test/harness/receiver.ts'
import { median, phoneNumber, report, round, sleep, startBench } from './measure.ts'

const ANA = '5511988880001'
const BEN = '5511988880002'
const BURST = 2_000
const TURNS = Number(process.env.BENCH_TURNS ?? 3)
/** Texts of the other contact in each turn, one after the other. */
const TEXTS = 40
/** Between them, in ms: all of them take as long as it takes until what could not be read has been asked for, and is told. */
const PAUSE = 300

const bench = await startBench()
const receiver = await startReceiver()
try {
  const { sandbox } = bench
  await sandbox.createContact(ANA)
  await sandbox.createContact(BEN)
  const { gateway } = await bench.serve()
  const me = phoneNumber(0)
  await gateway.connected(sandbox, me, receiver)

  const arrival = (id: string) => receiver.waitFor('a text', ({ message_id }) => message_id === id, 300_000)
  async function latency(): Promise<number> {
    const began = performance.now()
    const { id } = await sandbox.send(ANA, me, { text: 'meanwhile' })
    await arrival(id)
    return performance.now() - began
  }
  async function texts(): Promise<number[]> {
    const all: number[] = []
    for (let count = 0; count < TEXTS; count++) {
      all.push(await latency())
      await sleep(PAUSE)
    }
    return all
  }
  await arrival((await sandbox.send(BEN, me, { text: 'first' })).id)
  await texts()

  let turn = 0
  /** Until those that are asked for again come, and the first of the others are told. */
  async function during(): Promise<number[]> {
    const prefix = `burst ${++turn} `
    await sandbox.fault({
      on: 'message',
      match: { direction: 'to_client', from: `${BEN}@s.whatsapp.net` },
      do: { corrupt: true },
      times: BURST,
    })
    await sandbox.burst(BEN, me, BURST, prefix)
    const all = await texts()
    const waited = receiver.events('received').filter(({ waiting_message }) => waiting_message).length
    if (waited === 0) throw new Error('the burst could be read')
    await sandbox.clearFaults()
    return all
  }

  const found = { none: [] as number[], unreadable: [] as number[] }
  for (let count = 0; count < TURNS; count++) {
    found.none.push(...(await texts()))
    found.unreadable.push(...(await during()))
    // Until all of it is told, or has come.
    const ended = () => receiver.events('received').length
    for (let before = -1; before !== ended(); ) {
      before = ended()
      await sleep(10_000)
    }
  }
  const summary = (all: number[]) => ({ median_ms: round(median(all), 0), max_ms: round(Math.max(...all), 0) })
  report('what 2,000 unreadable messages do to the texts of another contact', {
    texts: found.none.length,
    no_burst: summary(found.none),
    unreadable_burst: summary(found.unreadable),
    delay_median_ms: round(median(found.unreadable) - median(found.none), 0),
    load: loadavg().map((each) => round(each, 1)),
  })
} finally {
  await bench.end()
  await receiver.stop()
}
