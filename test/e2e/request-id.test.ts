/**
 * An `X-Request-Id` must be in all log lines about its request: those about its stanza, and those about each attempt of
 * its webhooks.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Ack, createGateway } from '../harness/gateway.ts'
import { networkEnv, run } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { createSandbox } from '../harness/sandbox.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
const NOBODY = '5511988880000'

let log = ''

const dir = await mkdtemp(join(tmpdir(), 'svc-request-id-'))
const network = await run(['--network-only'], { SVC_DATA_DIR: join(dir, 'network'), SVC_SANDBOX_PORT: '0' })
const sandbox = createSandbox(network.printed.sandbox_url!)
const receiver = await startReceiver()
const env = { SVC_DATA_DIR: join(dir, 'service'), SVC_PORT: '0', SVC_SHARDS: '1', SVC_LOG_LEVEL: 'debug' }
const service = await run([], { ...networkEnv(network.printed), ...env })
service.child.stderr?.on('data', (chunk: Buffer) => {
  log += chunk.toString()
})
const gateway = await createGateway(service.printed.base_url!, service.printed.admin_key!)
await sandbox.createContact(ANA, { name: 'Ana' })
const instance = await gateway.connected(sandbox, ME, receiver)
after(async () => {
  await service?.stop()
  await receiver?.stop()
  await network?.stop()
  await rm(dir, { recursive: true, force: true })
})

type Line = Record<string, unknown> & { msg: string }

/**
 * Reads the log lines of a request until `isWhole` accepts them. Some of them are written after the answer, so the test
 * has to wait.
 */
async function linesOf(requestId: string, isWhole: (lines: Line[]) => boolean): Promise<Line[]> {
  for (;;) {
    const whole = log.slice(0, log.lastIndexOf('\n')).split('\n')
    const lines = whole.filter((line) => line.includes(`"request_id":"${requestId}"`)).map((line) => JSON.parse(line) as Line)
    if (isWhole(lines)) return lines
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const send = async (requestId: string, phone: string) => {
  const headers = { 'X-Request-Id': requestId, Prefer: 'wait=30' }
  const answer = await gateway.ask(instance, 'POST', '/send-text', { phone, message: 'Hello' }, headers)
  assert.equal(answer.headers.get('X-Request-Id'), requestId)
  return answer.body as unknown as Ack
}
const about = (lines: Line[], msg: string) => lines.filter((line) => line.msg === msg)
const eventsOf = (messageId: string) => receiver.events().filter((event) => event.message_id === messageId)

test('of a text that arrives', { timeout: 180_000 }, async () => {
  const { message_id, svc_id } = await send('the-one-that-arrives', ANA)
  await receiver.waitFor('delivery', ({ type, message_id: id }) => type === 'delivery' && id === message_id)
  const lines = await linesOf(
    'the-one-that-arrives',
    (all) => about(all, 'webhook delivered').length >= 2 && about(all, 'request').length > 0,
  )
  const [request] = about(lines, 'request')
  assert.deepEqual([request!.method, request!.status], ['POST', 200])
  const [done] = about(lines, 'a queue item has ended')
  assert.deepEqual([done!.instance_id, done!.svc_id, done!.message_id], [instance.id, svc_id, message_id])
  // The contact's phone shows the message under the id of its stanza. So the stanza has the id that the log names.
  assert.ok((await sandbox.inbox(ANA)).some(({ id }) => id === done!.message_id))
  const told = about(lines, 'webhook delivered')
  const types = told.map(({ event }) => event)
  assert.ok(types.includes('delivery') && types.includes('message_status'), types.join())
  const { event_id } = eventsOf(message_id).find(({ type }) => type === 'delivery')!
  assert.ok(told.some((line) => line.event === 'delivery' && line.event_id === event_id && line.attempt === 1))
})

test('of one that fails', { timeout: 180_000 }, async () => {
  const { message_id, status } = await send('the-one-that-fails', NOBODY)
  assert.equal(status, 'failed')
  const lines = await linesOf('the-one-that-fails', (all) => about(all, 'webhook delivered').length > 0)
  assert.equal(about(lines, 'a message could not be sent')[0]?.code, 'phone_not_on_whatsapp')
  assert.deepEqual(
    [about(lines, 'a queue item has ended')[0]?.message_id, about(lines, 'a queue item has ended')[0]?.error],
    [message_id, 'phone_not_on_whatsapp'],
  )
})

test('of an attempt that the receiver refuses', { timeout: 180_000 }, async () => {
  receiver.reply((_, response) => response.writeHead(500).end())
  const { message_id } = await send('the-one-that-is-refused', ANA)
  const lines = await linesOf('the-one-that-is-refused', (all) => about(all, 'webhook attempt failed').length > 0)
  assert.deepEqual(
    [about(lines, 'webhook attempt failed')[0]?.code, about(lines, 'webhook attempt failed')[0]?.result],
    [500, 'retry'],
  )
  assert.equal(about(lines, 'a queue item has ended')[0]?.message_id, message_id)
})
