/**
 * Makes the folders of `0.1.0/`: what version 0.1.0 and the network beside it had on disk when they were stopped, with work in every queue.
 * They are made once, by the code of that version in a checkout of its own:
 *
 *   git worktree add OLD 2b9a705 && (cd OLD && npm ci)
 *   node --import tsx test/faults/upgrade/make.ts OLD test/faults/upgrade/0.1.0
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Gateway } from '../../harness/gateway.ts'
import type { networkEnv as NetworkEnv, run as Run } from '../../harness/process.ts'
import type { Receiver } from '../../harness/receiver.ts'
import type { Sandbox } from '../../harness/sandbox.ts'
import type { Story } from './story.ts'

const [checkout, target] = process.argv.slice(2).map((path) => resolve(path))
if (!checkout || !target) throw new Error('make.ts CHECKOUT TARGET')
const load = (name: string) => import(join(checkout, 'test/harness', `${name}.ts`))
const { run, networkEnv }: { run: typeof Run; networkEnv: typeof NetworkEnv } = await load('process')
const { startReceiver }: { startReceiver(): Promise<Receiver> } = await load('receiver')
const { createSandbox }: { createSandbox(url: string): Sandbox } = await load('sandbox')
const { createGateway }: { createGateway(...args: unknown[]): Promise<Gateway> } = await load('gateway')

const [ME, ANA] = ['5511999990001', '5511988880001']
/** A picture of one point. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const dir = await mkdtemp(join(tmpdir(), 'svc-old-'))
const start = join(checkout, 'dist/src/start.js')
const network = await run(['--network-only'], { SVC_DATA_DIR: join(dir, 'network'), SVC_SANDBOX_PORT: '0' }, [start])
const sandbox = createSandbox(network.printed.sandbox_url!)
const receiver = await startReceiver()
const service = await run(
  [],
  { ...networkEnv(network.printed), SVC_DATA_DIR: join(dir, 'service'), SVC_PORT: '0', SVC_SHARDS: '1', SVC_FFMPEG: 'off' },
  [start],
)
const gateway = await createGateway(service.printed.base_url!, service.printed.admin_key!)

await sandbox.createContact(ANA, { name: 'Ana', receipts: 'delivered' })
const instance = await gateway.connected(sandbox, ME, receiver, {
  name: 'made by 0.1.0',
  settings: { auto_read_message: true, call_reject_message: 'Write to us.' },
})
const heard = (what: string, id: string, type = 'received') =>
  receiver.waitFor(what, (event) => event.type === type && event.message_id === id)

// They have spoken: both sides have a session.
await heard('a text of hers', (await sandbox.send(ANA, ME, { text: 'before' })).id)
const done = await gateway.sendText(instance, ANA, 'before')
await heard('its outcome', done.message_id, 'delivery')
await receiver.waitFor(
  'its receipt',
  ({ type, ids }) => type === 'message_status' && JSON.stringify(ids ?? '').includes(done.message_id),
)

// Webhooks that are not taken: the first is in flight, the others wait behind it.
receiver.reply(() => {})
const events: string[] = []
for (const text of ['not told 1', 'not told 2', 'not told 3']) events.push((await sandbox.send(ANA, ME, { text })).id)
while ((await sandbox.pending()) > 0) await new Promise((tick) => setTimeout(tick, 50))

// Messages that wait for the network.
await sandbox.setDown(true)
await gateway.waitForStatus(instance, 'disconnected', 60_000)
const queued: Story['queued'] = []
for (const text of ['not sent 1', 'not sent 2']) queued.push({ ...(await gateway.sendText(instance, ANA, text)), text })
const image = await gateway.must(instance, 'POST', '/send-image', { phone: ANA, image: PICTURE, caption: 'not sent 3' })
queued.push({ ...(image as unknown as Story['queued'][number]), text: 'not sent 3' })
const idempotency = { key: 'of-0.1.0', phone: ANA, message: 'not sent 4' }
const keyed = await gateway.ask(
  instance,
  'POST',
  '/send-text',
  { phone: idempotency.phone, message: idempotency.message },
  { 'idempotency-key': idempotency.key },
)
queued.push({ ...(keyed.body as unknown as Story['queued'][number]), text: idempotency.message })

await service.stop()
await sandbox.setDown(false)
const away = (await sandbox.send(ANA, ME, { text: 'while it was away' })).id
await network.stop()
await receiver.stop()

await rm(target, { recursive: true, force: true })
async function pack(from: string, to: string) {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('-lock') || entry.name === 'lock.mdb') continue
    const path = join(entry.parentPath, entry.name).slice(from.length + 1)
    await mkdir(dirname(join(to, path)), { recursive: true })
    await writeFile(join(to, `${path}.gz`), gzipSync(await readFile(join(from, path)), { level: 9 }))
  }
}
await pack(join(dir, 'service'), join(target, 'service'))
await pack(join(dir, 'network'), join(target, 'network'))
const { id, token, webhooks } = instance
const story: Story = {
  madeAt: Date.now(),
  me: ME,
  contact: ANA,
  adminKey: service.printed.admin_key!,
  apiKey: gateway.key,
  instance: { id, token, secret: webhooks.secret },
  events,
  queued,
  idempotency,
  away,
}
await writeFile(join(target, 'story.json'), `${JSON.stringify(story, null, 2)}\n`)
await rm(dir, { recursive: true, force: true })
process.exit(0)
