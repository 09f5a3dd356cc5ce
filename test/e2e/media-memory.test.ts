/** Measures the memory of the service while it sends large media. So the service runs as a separate process. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type FileServer, serveFiles } from '../harness/file-server.ts'
import { createGateway, type Gateway, type Instance } from '../harness/gateway.ts'
import { networkEnv, type Running, run } from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { createSandbox } from '../harness/sandbox.ts'

const MB = 1_048_576
const ANA = '5511988880001'
const skip = process.platform === 'linux' ? false : 'memory of another process is read from /proc'

let dir: string
let network: Running
let service: Running
let gateway: Gateway
let receiver: Receiver
let web: FileServer
let instance: Instance
before(async () => {
  if (skip) return
  dir = await mkdtemp(join(tmpdir(), 'svc-memory-'))
  network = await run(['--network-only'], { SVC_DATA_DIR: join(dir, 'network'), SVC_SANDBOX_PORT: '0' })
  service = await run([], {
    ...networkEnv(network.printed),
    SVC_DATA_DIR: join(dir, 'service'),
    SVC_PORT: '0',
    SVC_SHARDS: '1',
    SVC_EGRESS_ALLOW: '127.0.0.0/8',
  })
  receiver = await startReceiver()
  web = await serveFiles()
  const sandbox = createSandbox(network.printed.sandbox_url!)
  gateway = await createGateway(service.printed.base_url!, service.printed.admin_key!)
  await sandbox.createContact(ANA, { name: 'Ana', sink: true, receipts: 'none' })
  instance = await gateway.connected(sandbox, '5511999990000', receiver)
})
after(async () => {
  if (skip) return
  await web.stop()
  await receiver.stop()
  await service.stop()
  await network.stop()
  await rm(dir, { recursive: true, force: true })
})

const rss = () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1]) / 1_024

/** Returns by how many MB the memory of the service grew at its peak. */
async function growth(body: Record<string, unknown>): Promise<number> {
  const before = rss()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, rss())
  }, 10)
  try {
    const { message_id } = await gateway.must(instance, 'POST', '/send-document/bin', { phone: ANA, ...body })
    const delivery = await receiver.waitFor(
      'the delivery',
      (event) => event.type === 'delivery' && event.message_id === message_id,
      60_000,
    )
    assert.equal(delivery.status, 'sent', `${delivery.error_code}: ${delivery.error_message}`)
  } finally {
    clearInterval(watch)
  }
  return most - before
}

/**
 * Returns the least growth of up to three attempts, in MB, and stops at the first one below the bound. Uncollected
 * garbage can raise a single peak, but a body that is kept as a whole raises every peak.
 */
async function leastGrowth(bound: number, body: () => Record<string, unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && least >= bound; attempt++) least = Math.min(least, await growth(body()))
  return least
}

test('a document of 95 MB by URL takes less than two thirds of its size', { skip }, async (t) => {
  await growth({ document: web.zeros('/first.bin', MB, true) })
  let count = 0
  const grown = await leastGrowth(63, () => ({ document: web.zeros(`/large-${count++}.bin`, 95 * MB, true) }))
  t.diagnostic(`grew by ${Math.round(grown)} MB`)
  assert.ok(grown < 63, `it grew by ${Math.round(grown)} MB`)
})

test('one of 40 MB inline takes less than twice its text, because the text is decoded while it arrives', { skip }, async (t) => {
  await growth({ document: Buffer.alloc(MB).toString('base64') })
  const size = 40
  const bound = 2 * ((size * 4) / 3)
  const grown = await leastGrowth(bound, () => ({ document: Buffer.alloc(size * MB).toString('base64') }))
  t.diagnostic(`grew by ${Math.round(grown)} MB`)
  assert.ok(grown < bound, `it grew by ${Math.round(grown)} MB`)
})
