/**
 * Who waits while received files are read: 8 clients read 50 MB each by their links, and other instances' `GET /status` is asked at a
 * steady rate. Also how much of the work is the main thread's.
 */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { Agent, request } from 'undici'
import { startReceiver } from '../test/harness/receiver.ts'
import { sealMedia } from '../workers/simulator/people/media.ts'
import { cpuMs, phoneNumber, report, round, rssMb, sleep, startBench, summary } from './measure.ts'
import { startAsking } from './parts/asking.ts'

const CONTACT = '5511988880001'
const CLIENTS = 8
const FILE_MB = 50
const ROUNDS = 3
const MB = 1_048_576

const bench = await startBench()
const receiver = await startReceiver()

/** As a sender's phone would: sealed, and laid on the network's host. */
async function laid(plain: Uint8Array) {
  const { ca, media_host } = bench.network.printed.network
  const { blob, ...sealed } = sealMedia(plain, 'document')
  const hash = createHash('sha256').update(blob).digest('base64url')
  const dispatcher = new Agent({ connect: { ca: readFileSync(ca!, 'utf8') } })
  const answer = await request(`https://${media_host}/mms/document/${hash}`, { method: 'POST', body: blob, dispatcher })
  const { direct_path } = (await answer.body.json()) as { direct_path: string }
  await dispatcher.close()
  return {
    directPath: direct_path,
    mediaKey: sealed.mediaKey.toString('base64'),
    fileSha256: sealed.fileSha256.toString('base64'),
    fileEncSha256: sealed.fileEncSha256.toString('base64'),
    fileLength: sealed.fileLength,
    mimetype: 'application/pdf',
  }
}

/** Bytes that came; whoever reads them keeps none. */
async function read(url: string): Promise<number> {
  const [response] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage]
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
  })
  await once(response, 'end')
  if (response.statusCode !== 200 || size !== FILE_MB * MB) throw new Error(`${response.statusCode}, ${size} bytes`)
  return size
}

try {
  await bench.sandbox.createContact(CONTACT, { name: 'Ana', receipts: 'none' })
  const { service, gateway } = await bench.serve({ SVC_SHARDS: '2', SVC_EGRESS_ALLOW: '127.0.0.0/8' })
  await gateway.connected(bench.sandbox, phoneNumber(0), receiver)
  const others = [
    await gateway.connected(bench.sandbox, phoneNumber(1), null),
    await gateway.connected(bench.sandbox, phoneNumber(2), null),
  ]
  const pid = service.child.pid!
  const documentMessage = await laid(randomBytes(FILE_MB * MB))
  await bench.sandbox.send(CONTACT, phoneNumber(0), { proto: { documentMessage } })
  const event = await receiver.waitFor('received', ({ type }) => type === 'received', 30_000)
  const { url } = (event as unknown as { document: { url: string } }).document

  const asking = startAsking(others.map(({ api_url }) => `${api_url}/status`))
  let mostMb = 0
  const watch = setInterval(() => {
    mostMb = Math.max(mostMb, rssMb(pid))
  }, 20)

  const used = () => ({ at: performance.now(), all: cpuMs(pid), main: cpuMs(pid, pid) })
  const since = ({ at, all, main }: ReturnType<typeof used>, asked: number) => ({
    took: performance.now() - at,
    all: cpuMs(pid) - all,
    main: cpuMs(pid, pid) - main,
    asked,
  })

  // Threads that come with the first work are not what is asked about.
  await read(url)
  const beforeIdle = used()
  const idle = await asking.during(() => sleep(3_000))
  const unread = since(beforeIdle, idle.length)
  const idleMb = rssMb(pid)
  mostMb = 0
  const before = used()
  const whileRead = await asking.during(async () => {
    for (let turn = 0; turn < ROUNDS; turn++) await Promise.all(Array.from({ length: CLIENTS }, () => read(url)))
  })
  const reading = since(before, whileRead.length)
  const readMb = ROUNDS * CLIENTS * FILE_MB
  clearInterval(watch)
  asking.end()
  report('GET /status of other instances, in ms, while 8 clients read received files of 50 MB', {
    idle: summary(idle),
    reading: summary(whileRead),
    mb_per_s: round(readMb / (reading.took / 1_000), 0),
    // Without what the questions cost, as they cost it while nothing was read.
    cpu_ms_per_mb: round((reading.all - unread.all * (reading.asked / unread.asked)) / readMb),
    main_cpu_ms_per_mb: round((reading.main - unread.main * (reading.asked / unread.asked)) / readMb),
    main_busy: { idle: round(unread.main / unread.took), reading: round(reading.main / reading.took) },
    rss_mb: { idle: round(idleMb, 0), most: round(mostMb, 0) },
    goal: 'p99 below 50 ms',
  })
} finally {
  await receiver.stop()
  await bench.end()
}
