/**
 * Measures how fast a large document is sent (downloaded by URL, encrypted, uploaded) and received (downloaded by its
 * link, decrypted, verified), in MB per second. The baseline is a separate process that streams the same bytes between
 * the same hosts with `node:crypto` alone.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { serveFiles } from '../test/harness/file-server.ts'
import { startReceiver } from '../test/harness/receiver.ts'
import { amount, cpuMs, phoneNumber, ROUNDS, report, round, spread, startBench, UNLIMITED } from './measure.ts'
import { startPart } from './parts/calls.ts'
import type { PlainMedia } from './parts/plain-media.ts'

const CONTACT = '5511988880001'
const FILE_MB = amount(50, 2)
const MB = 1_048_576

const bench = await startBench()
const receiver = await startReceiver()
const web = await serveFiles()
try {
  await bench.sandbox.createContact(CONTACT, { receipts: 'none' })
  const { service, gateway } = await bench.serve({ ...UNLIMITED, SVC_SHARDS: '1', SVC_EGRESS_ALLOW: '127.0.0.0/8' })
  const pid = service.child.pid!
  const me = phoneNumber(0)
  const instance = await gateway.connected(bench.sandbox, me, receiver)
  const { ca, media_host: host } = bench.network.printed.network
  const plain = startPart<PlainMedia>('plain-media.ts')
  const plainUrl = await plain.call('open', { host: host!, ca: readFileSync(ca!, 'utf8') })
  const source = web.put('/large.bin', randomBytes(FILE_MB * MB))

  interface Taken {
    mb_per_s: number
    cpu_ms_per_mb: number
  }
  async function timed(pid: number, work: () => Promise<unknown>): Promise<Taken> {
    const [cpu, began] = [cpuMs(pid), performance.now()]
    await work()
    const seconds = (performance.now() - began) / 1_000
    return { mb_per_s: FILE_MB / seconds, cpu_ms_per_mb: (cpuMs(pid) - cpu) / FILE_MB }
  }
  async function sent() {
    const path = '/send-document/bin'
    const { message_id } = (await gateway.must(instance, 'POST', path, { phone: CONTACT, document: source })) as {
      message_id: string
    }
    const delivery = await receiver.waitFor(
      'delivery',
      (event) => event.type === 'delivery' && event.message_id === message_id,
      60_000,
    )
    if (delivery.status !== 'sent') throw new Error(JSON.stringify(delivery))
  }
  const bytesOf = (url: string) =>
    new Promise<number>((resolve, reject) => {
      get(url, { agent: false }, (response) => {
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
        })
        response.on('error', reject)
        response.on('end', () => resolve(size))
      }).on('error', reject)
    })

  const up: { ours: Taken[]; plain: Taken[] } = { ours: [], plain: [] }
  const down: typeof up = { ours: [], plain: [] }
  const laid = await plain.call('send', source)
  await sent()
  const documentMessage = { ...laid, mimetype: 'application/octet-stream', fileName: 'large.bin' }
  await bench.sandbox.send(CONTACT, me, { proto: { documentMessage } })
  const event = await receiver.waitFor('received', ({ type }) => type === 'received', 60_000)
  const { url } = (event as unknown as { document: { url: string } }).document
  await plain.call('offer', laid)
  const read = async (from: string) => {
    const size = await bytesOf(from)
    if (size !== FILE_MB * MB) throw new Error(`${size} bytes came`)
  }
  await read(url)
  await read(plainUrl)
  for (let count = 0; count < ROUNDS; count++) {
    up.plain.push(await timed(plain.pid, () => plain.call('send', source)))
    up.ours.push(await timed(pid, sent))
    down.plain.push(await timed(plain.pid, () => read(plainUrl)))
    down.ours.push(await timed(pid, () => read(url)))
  }
  const shown = ({ ours, plain }: typeof up) => {
    const of = (all: Taken[]) => ({
      mb_per_s: spread(
        all.map(({ mb_per_s }) => mb_per_s),
        0,
      ),
      cpu_ms_per_mb: spread(all.map(({ cpu_ms_per_mb }) => cpu_ms_per_mb)),
    })
    return {
      gateway: of(ours),
      plain: of(plain),
      rate_ratio: spread(ours.map(({ mb_per_s }, index) => mb_per_s / plain[index]!.mb_per_s)),
    }
  }
  report('MB per second of a large document, against plain node:crypto streaming', {
    file_mb: round(FILE_MB, 0),
    encrypt_and_upload: shown(up),
    download_and_decrypt: shown(down),
  })
} finally {
  await web.stop()
  await receiver.stop()
  await bench.end()
}
