/**
 * Measures the latency of `GET /status` of idle instances while others work: while a shard sends as fast as it can,
 * while a base64 body of 60 MB is accepted, and while a film of 15 MB is converted.
 */
import { createHash } from 'node:crypto'
import { serveFiles } from '../test/harness/file-server.ts'
import { film, largeFilm, programs } from '../test/harness/media-files.ts'
import { startReceiver } from '../test/harness/receiver.ts'
import {
  amount,
  connectMany,
  median,
  phoneNumber,
  report,
  round,
  rssMb,
  sleep,
  startBench,
  summary,
  textTo,
  UNLIMITED,
} from './measure.ts'
import { startAsking } from './parts/asking.ts'
import { startPart } from './parts/calls.ts'
import type { Driver } from './parts/driver.ts'
import { peakRss } from './parts/peak-rss.ts'
import type { Receiver } from './parts/receiver.ts'

const CONTACT = '5511988880001'
const BODY_MB = amount(60, 4)
const FILM_MB = amount(15, 1)
const MB = 1_048_576
/**
 * Number of repetitions of each measurement with large media. With fewer repetitions, the 99th percentile would mostly
 * depend on chance.
 */
const TURNS = amount(3, 1, 8)

if (!programs) throw new Error('this bench needs ffmpeg')
const bench = await startBench()
let peak: (() => number) | undefined
const receiver = await startReceiver()
const web = await serveFiles()

try {
  await bench.sandbox.createContact(CONTACT, { name: 'Ana', receipts: 'none' })
  const { service, gateway } = await bench.serve({ ...UNLIMITED, SVC_EGRESS_ALLOW: '127.0.0.0/8' })
  const sender = await gateway.connected(bench.sandbox, phoneNumber(0), receiver)
  const others = [
    await gateway.connected(bench.sandbox, phoneNumber(1), null),
    await gateway.connected(bench.sandbox, phoneNumber(2), null),
  ]
  const pid = service.child.pid!

  async function saturated() {
    const [driver, hooks] = [startPart<Driver>('driver.ts'), startPart<Receiver>('receiver.ts')]
    const url = await hooks.call('open')
    const writers = await connectMany(gateway, bench.sandbox, 10, amount(10, 2), { single_url: url })
    const count = amount(1_500, 30)
    let took = 0
    const times = await asking.during(async () => {
      const all = hooks.call('until', { delivery: count })
      const began = Date.now()
      const urls = writers.map(({ api_url }) => `${api_url}/send-text`)
      await driver.call('drive', { urls, bodies: [textTo(CONTACT)], count, connections: 32 })
      await all
      took = Date.now() - began
    })
    return { times, perSecond: round((count * 1_000) / took, 0) }
  }
  const asking = startAsking(others.map(({ api_url }) => `${api_url}/status`))
  peak = peakRss(pid, 10)
  const deliveryOf = (id: unknown) =>
    receiver.waitFor('delivery', ({ type, message_id }) => type === 'delivery' && message_id === id, 180_000)
  async function send(path: string, body: Buffer | string) {
    const response = await fetch(sender.api_url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const answer = (await response.json()) as { message_id?: string }
    if (!answer.message_id) throw new Error(JSON.stringify(answer))
    return answer.message_id
  }
  const settled = async (id: string) => {
    const delivery = await deliveryOf(id)
    if (delivery.status !== 'sent') throw new Error(`${delivery.error_code}: ${delivery.error_message}`)
  }

  // A small film is sent first, so that the time in which the media threads start is not measured.
  const large = await largeFilm(FILM_MB * MB)
  const small = await film('avi')
  await settled(await send('/send-video', JSON.stringify({ phone: CONTACT, video: web.put('/small.avi', small) })))
  await settled(
    await send('/send-document/bin', JSON.stringify({ phone: CONTACT, document: Buffer.alloc(MB).toString('base64') })),
  )

  const idle = await asking.during(() => sleep(amount(3_000, 300)))
  const busy = await saturated()
  const plain = Buffer.alloc(Math.floor((BODY_MB * MB * 3) / 4) - 300, createHash('sha512').update('x').digest())
  const body = Buffer.from(JSON.stringify({ phone: CONTACT, document: plain.toString('base64') }))
  const filmUrl = web.put('/film.avi', large)
  const sendBody = () => send('/send-document/bin', body)
  const sendFilm = () => send('/send-video', JSON.stringify({ phone: CONTACT, video: filmUrl }))
  const idleMb = rssMb(pid)

  const times: Record<'accepting' | 'sending' | 'converting' | 'both', number[]> = {
    accepting: [],
    sending: [],
    converting: [],
    both: [],
  }
  const conversions: number[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    let id = ''
    const accepted = await asking.during(async () => {
      id = await sendBody()
    })
    times.accepting.push(...accepted)
    times.sending.push(...(await asking.during(() => settled(id))))
    const begun = performance.now()
    times.converting.push(...(await asking.during(async () => settled(await sendFilm()))))
    conversions.push((performance.now() - begun) / 1_000)
    times.both.push(...(await asking.during(() => Promise.all([sendFilm().then(settled), sendBody().then(settled)]))))
  }
  asking.end()
  report('GET /status of other instances, in ms, while large media are taken, sent and converted', {
    body_mb: round(body.byteLength / MB, 1),
    film_mb: round(large.byteLength / MB, 1),
    conversion_s: round(median(conversions), 1),
    idle: summary(idle),
    saturated_shard: { ...summary(busy.times), texts_per_s: busy.perSecond },
    accepting_body: summary(times.accepting),
    sending_document: summary(times.sending),
    converting_film: summary(times.converting),
    both: summary(times.both),
    rss_mb: { idle: round(idleMb, 0), most: round(peak(), 0) },
  })
} finally {
  // The sampling must end first. Otherwise it would read the memory of a process that has ended, and that error
  // would hide the original one.
  peak?.()
  await web.stop()
  await receiver.stop()
  await bench.end()
}
