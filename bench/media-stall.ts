/**
 * Who waits for a large medium: while a 60 MB base64 body is accepted and a 15 MB film is converted, how long `GET /status` of other
 * instances takes. They are asked at a steady rate by a thread of its own.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { threadFlags } from '../src/engine/thread.ts'
import { serveFiles } from '../test/harness/file-server.ts'
import { film, largeFilm, programs } from '../test/harness/media-files.ts'
import { startReceiver } from '../test/harness/receiver.ts'
import { phoneNumber, report, round, rssMb, sleep, startBench } from './measure.ts'

const CONTACT = '5511988880001'
const BODY_MB = 60
const FILM_MB = 15
const MB = 1_048_576
/** Below the bucket's refill of each of the two instances that are asked. */
const ASK_EVERY = 10

if (!programs) throw new Error('this bench needs ffmpeg')
const bench = await startBench()
const receiver = await startReceiver()
const web = await serveFiles()

const quantile = (values: readonly number[], share: number) =>
  round([...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN, 1)

try {
  await bench.sandbox.createContact(CONTACT, { name: 'Ana', receipts: 'none' })
  const { service, gateway } = await bench.serve({ SVC_SHARDS: '2', SVC_EGRESS_ALLOW: '127.0.0.0/8' })
  const sender = await gateway.connected(bench.sandbox, phoneNumber(0), receiver)
  const others = [
    await gateway.connected(bench.sandbox, phoneNumber(1), null),
    await gateway.connected(bench.sandbox, phoneNumber(2), null),
  ]
  const pid = service.child.pid!

  const asker = new Worker(new URL('./status-asker.ts', import.meta.url), {
    workerData: { urls: others.map(({ api_url }) => `${api_url}/status`), everyMs: ASK_EVERY },
    execArgv: threadFlags(new URL('./status-asker.ts', import.meta.url)) ?? [],
  })
  let mostMb = 0
  const watch = setInterval(() => {
    mostMb = Math.max(mostMb, rssMb(pid))
  }, 10)
  async function timesSoFar(): Promise<number[]> {
    asker.postMessage('times')
    const [times] = (await once(asker, 'message')) as [number[]]
    return times
  }
  /** How long each question took while `work` went on. */
  async function ask(work: () => Promise<unknown>): Promise<number[]> {
    await timesSoFar()
    mostMb = 0
    await work()
    return timesSoFar()
  }
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

  // Threads that come with the first work are not what is asked about.
  const large = await largeFilm(FILM_MB * MB)
  const small = await film('avi')
  await settled(await send('/send-video', JSON.stringify({ phone: CONTACT, video: web.put('/small.avi', small) })))
  await settled(
    await send('/send-document/bin', JSON.stringify({ phone: CONTACT, document: Buffer.alloc(MB).toString('base64') })),
  )

  const idle = await ask(() => sleep(3_000))
  const plain = Buffer.alloc(Math.floor((BODY_MB * MB * 3) / 4) - 300, createHash('sha512').update('x').digest())
  const body = Buffer.from(JSON.stringify({ phone: CONTACT, document: plain.toString('base64') }))
  const idleMb = rssMb(pid)

  let id = ''
  const whileAccepted = await ask(async () => {
    id = await send('/send-document/bin', body)
  })
  const acceptedMb = mostMb
  const whileSent = await ask(() => settled(id))

  const began = performance.now()
  const filmUrl = web.put('/film.avi', large)
  const whileConverted = await ask(async () =>
    settled(await send('/send-video', JSON.stringify({ phone: CONTACT, video: filmUrl }))),
  )
  const conversionSeconds = round((performance.now() - began) / 1_000, 1)
  const whileBoth = await ask(() =>
    Promise.all([
      send('/send-video', JSON.stringify({ phone: CONTACT, video: filmUrl })).then(settled),
      send('/send-document/bin', body).then(settled),
    ]),
  )
  clearInterval(watch)
  await asker.terminate()
  const times = (values: readonly number[]) => ({
    asked: values.length,
    p50: quantile(values, 0.5),
    p99: quantile(values, 0.99),
    max: quantile(values, 1),
  })
  report('GET /status of other instances, in ms, while large media are taken, sent and converted', {
    body_mb: round(body.byteLength / MB, 1),
    film_mb: round(large.byteLength / MB, 1),
    conversion_s: conversionSeconds,
    idle: times(idle),
    accepting_body: times(whileAccepted),
    sending_document: times(whileSent),
    converting_film: times(whileConverted),
    both: times(whileBoth),
    rss_mb: { idle: round(idleMb, 0), most_accepting: round(acceptedMb, 0), most_both: round(mostMb, 0) },
    goal: 'p99 below 50 ms',
  })
} finally {
  await web.stop()
  await receiver.stop()
  await bench.end()
}
