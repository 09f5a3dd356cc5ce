/**
 * A folder that version 0.1.0 wrote, stopped with work in every queue, is opened by this one: it logs in with the same device, what had come
 * is told, what was acknowledged leaves, once and in order, and the conversation goes on. `upgrade/make.ts` made the folder.
 */
// First: it sets the clock back.
import './upgrade/clock.ts'
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { HOOKS, ROOT } from '../harness/checkout.ts'
import { createGateway, type Instance } from '../harness/gateway.ts'
import { must } from '../harness/http.ts'
import { networkEnv, type Running, run } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { createSandbox } from '../harness/sandbox.ts'
import { type Story, unpack } from './upgrade/story.ts'

/** The same clock for processes, and their threads. */
const CLOCK = ['--import', new URL(`./upgrade/clock${extname(import.meta.url)}`, import.meta.url).href]
const env = { NODE_OPTIONS: [...HOOKS, ...CLOCK].join(' ') }
const FOLDER = fileURLToPath(new URL('test/faults/upgrade/0.1.0/', ROOT))

const running: Pick<Running, 'stop'>[] = []
let dir: string
after(async () => {
  for (const each of running.reverse()) await each.stop()
  await rm(dir, { recursive: true, force: true })
})

test('nothing that version 0.1.0 owed is lost or repeated', { timeout: 180_000 }, async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-upgrade-'))
  await unpack(FOLDER.slice(0, -1).concat('/service'), join(dir, 'service'))
  await unpack(FOLDER.slice(0, -1).concat('/network'), join(dir, 'network'))
  const story = JSON.parse(await readFile(join(FOLDER, 'story.json'), 'utf8')) as Story
  const network = await run(['--network-only'], { ...env, SVC_DATA_DIR: join(dir, 'network'), SVC_SANDBOX_PORT: '0' })
  running.push(network)
  const sandbox = createSandbox(network.printed.sandbox_url!)
  const receiver = await startReceiver()
  running.push(receiver)
  receiver.trust(story.instance.id, story.instance.secret)
  const service = await run([], {
    ...env,
    ...networkEnv(network.printed),
    SVC_DATA_DIR: join(dir, 'service'),
    SVC_PORT: '0',
    SVC_SHARDS: '1',
  })
  running.push(service)
  assert.equal(service.printed.admin_key, null, 'there is an administrator already')

  const gateway = await createGateway(service.printed.base_url!, story.adminKey, story.apiKey)
  const instance = await must<Instance & { name: string; settings: Record<string, unknown> }>(
    'GET',
    `${gateway.baseUrl}/account/instances/${story.instance.id}`,
    undefined,
    gateway.account,
  )
  assert.deepEqual([instance.name, instance.token], ['made by 0.1.0', story.instance.token])
  const { auto_read_message, call_reject_message } = instance.settings
  assert.deepEqual([auto_read_message, call_reject_message], [true, 'Write to us.'])
  // The receiver of then is gone.
  await gateway.must(instance, 'PUT', '/webhooks', { single_url: receiver.url })
  await gateway.waitForStatus(instance, 'connected', 60_000)

  const came = [...story.events, story.away]
  for (const id of came)
    await receiver.waitFor(`message ${id}`, (event) => event.type === 'received' && event.message_id === id, 60_000)
  for (const { message_id, text } of story.queued) {
    const isIts = (event: Record<string, unknown>) => event.type === 'delivery' && event.message_id === message_id
    assert.equal((await receiver.waitFor(`the outcome of ${text}`, isIts, 60_000)).status, 'sent', text)
  }
  const arrived = (await sandbox.inbox(story.contact)).filter(({ id }) =>
    story.queued.some(({ message_id }) => message_id === id),
  )
  assert.deepEqual(
    arrived.map(({ id, retries }) => [id, retries]),
    story.queued.map(({ message_id }) => [message_id, 0]),
  )
  assert.deepEqual(
    arrived.map(({ text, kind, media }) => [text, kind, media?.error ?? media?.bytes !== undefined]),
    [
      ['not sent 1', 'text', false],
      ['not sent 2', 'text', false],
      ['not sent 3', 'image', true],
      ['not sent 4', 'text', false],
    ],
  )

  // The caller who has not seen the answer asks again.
  const { key, ...input } = story.idempotency
  const again = await gateway.ask(instance, 'POST', '/send-text', input, { 'idempotency-key': key })
  assert.equal(again.body.message_id, story.queued.at(-1)!.message_id)

  // And it goes on.
  const answer = await gateway.sendText(instance, story.contact, 'after')
  await receiver.waitFor('the outcome', (event) => event.type === 'delivery' && event.message_id === answer.message_id)
  const { id: last } = await sandbox.send(story.contact, story.me, { text: 'after' })
  await receiver.waitFor('her answer', ({ message_id }) => message_id === last)

  const told = receiver.events('received').map(({ message_id }) => message_id)
  assert.deepEqual(told.filter((id) => [...came, last].includes(String(id))).sort(), [...came, last].sort(), 'each is told once')
  assert.equal((await sandbox.stats()).undecryptable, 0)
  assert.equal((await sandbox.inbox(story.contact)).filter(({ text }) => text === 'not sent 4').length, 1)
  assert.deepEqual(receiver.problems, [])
})
