import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { decodeTime } from 'ulid'
import { createGateway, type Gateway, type Instance } from '../harness/gateway.ts'
import { networkEnv, type Running, run } from '../harness/process.ts'
import { type Received, type Receiver, startReceiver } from '../harness/receiver.ts'
import { createSandbox, type Sandbox } from '../harness/sandbox.ts'
import { until } from '../harness/until.ts'

const DAY = 24 * 60 * 60_000
const MONTH = 30 * DAY
const ME = '5511999990001'
const ANA = '5511988887777'

/** Code that is loaded into every thread of the process. It simulates a clock whose offset is read from a file. */
const SHIFTED = `
import { readFileSync } from 'node:fs'
const real = Date.now
let shift = 0
const read = () => { shift = Number(readFileSync(process.env.TEST_CLOCK_SHIFT, 'utf8')) || 0 }
read()
setInterval(read, 20).unref()
const now = () => real() + shift
globalThis.Date = class extends Date { constructor(...of) { of.length ? super(...of) : super(now()) } static now = now }
`

let dir: string
let network: Running
let service: Running
let gateway: Gateway
let sandbox: Sandbox
let receiver: Receiver
let instance: Instance
let adminKey: string
let key: string
const shift = (ms: number) => writeFile(join(dir, 'shift'), String(ms))

async function start() {
  service = await run([], {
    ...networkEnv(network.printed),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SHIFTED)}`,
    TEST_CLOCK_SHIFT: join(dir, 'shift'),
    SVC_DATA_DIR: join(dir, 'service'),
    SVC_PORT: '0',
    SVC_SHARDS: '1',
    SVC_FFMPEG: 'off',
    SVC_DASHBOARD: 'off',
  })
  adminKey ??= service.printed.admin_key!
  gateway = await createGateway(service.printed.base_url!, adminKey, key)
  key = gateway.key
}

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-clock-'))
  await shift(0)
  network = await run(['--network-only'], { SVC_DATA_DIR: join(dir, 'network'), SVC_SANDBOX_PORT: '0' })
  sandbox = createSandbox(network.printed.sandbox_url!)
  receiver = await startReceiver()
  await start()
  instance = await gateway.connected(sandbox, ME, receiver)
})
after(async () => {
  await service.stop()
  await network.stop()
  await receiver.stop()
  careless.close()
  await rm(dir, { recursive: true, force: true })
})

const ahead = (at: number) => Math.trunc((at - Date.now() + DAY / 2) / DAY)

type Delivery = Pick<Received['event'], 'event_id' | 'momment'>

/**
 * The `delivery` events that a second receiver has got, by message id. This receiver does not check signatures, because
 * a signature has a time, and the time is wrong in these tests.
 */
const taken = new Map<unknown, Delivery>()
const careless = createServer((request, response) => {
  json(request).then((event) => {
    const { type, message_id } = event as Received['event']
    if (type === 'delivery') taken.set(message_id, event as Delivery)
    response.end()
  }, assert.fail)
})

const fromReceiver = (id: string) =>
  receiver.waitFor(`the delivery of ${id}`, (each) => each.type === 'delivery' && each.message_id === id)
const fromCareless = (id: string) =>
  until(
    async () => taken.get(id),
    (event) => event !== undefined,
  ).then((event) => event!)

/** Sends a text. Returns by how many days its ids and the time of its `delivery` event are ahead. */
async function aheadOfText(message: string, delivered: (id: string) => Promise<Delivery>) {
  const { svc_id, message_id } = await gateway.sendText(instance, ANA, message)
  const event = await delivered(message_id)
  return { queue: ahead(decodeTime(svc_id)), event: ahead(decodeTime(event.event_id)), momment: ahead(event.momment) }
}

async function warning(): Promise<string | undefined> {
  const response = await fetch(`${service.printed.base_url}/health/ready`)
  assert.equal(response.status, 200)
  return ((await response.json()) as { warning?: string }).warning
}

const PRESENT = { queue: 0, event: 0, momment: 0 }

test('a clock that jumps a month ahead is not followed, which is said, and nothing is ahead when it comes back', async () => {
  assert.deepEqual(await aheadOfText('before', fromReceiver), PRESENT)
  assert.equal(await warning(), undefined)
  await shift(MONTH)
  await until(warning, (said) => said !== undefined)
  assert.equal(await warning(), 'The system clock jumped 30 days ahead; the service does not follow it yet.')
  assert.deepEqual(await aheadOfText('meanwhile', fromReceiver), PRESENT)
  await shift(0)
  await until(warning, (said) => said === undefined)
  assert.deepEqual(await aheadOfText('afterwards', fromReceiver), PRESENT)
})

test('what a start under such a clock gave out is ahead until nothing of it waits; only the times of a chat go on from there', async () => {
  await new Promise<void>((resolve) => careless.listen(0, '127.0.0.1', resolve))
  const single_url = `http://127.0.0.1:${(careless.address() as AddressInfo).port}/`
  await gateway.must(instance, 'PUT', '/webhooks', { single_url })
  await service.stop()
  await shift(MONTH)
  await start()
  instance = { ...instance, api_url: instance.api_url.replace(/^http:\/\/[^/]+/, service.printed.base_url!) }
  await gateway.waitForStatus(instance, 'connected')
  assert.deepEqual(await aheadOfText('by a clock that is ahead', fromCareless), { queue: 30, event: 30, momment: 30 })
  await shift(0)
  const last = await until(
    () => aheadOfText('by a clock that is right', fromCareless),
    ({ queue, event }) => queue === 0 && event === 0,
  )
  // The time must not go back: receivers that compare times would drop an event with an earlier time than the last one.
  assert.equal(last.momment, 30)
  const said = await until(warning, (text) => text !== undefined)
  assert.match(said!, /^Event ids or times are up to 30 days ahead of the clock/)
})
