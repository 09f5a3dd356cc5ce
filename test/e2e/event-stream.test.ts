import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, test } from 'node:test'
import { CLI, ROOT } from '../harness/checkout.ts'
import { type EventReader, readStream } from '../harness/event-reader.ts'
import { must } from '../harness/http.ts'
import { cliSample } from '../harness/samples.ts'
import { startWorld } from '../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
/** An event id that is lower than all others. */
const BEGINNING = '00000000000000000000000001'

const world = await startWorld({ own: true })
// The instance has no webhook, so only the stream can deliver its events.
const instance = await world.gateway.connected(world.sandbox, ME, null)
await world.sandbox.createContact(ANA, { name: 'Ana' })
after(() => world.stop())

const write = (text: string) => world.sandbox.send(ANA, ME, { text })
const has = (text: string) => (event: { data: Record<string, unknown> }) =>
  (event.data.text as { message?: string } | null | undefined)?.message === text
const heard = (reader: EventReader, text: string) => reader.waitFor(text, has(text))
const texts = (reader: EventReader) =>
  reader.events.flatMap(({ data }) => (data.type === 'received' ? (data.text as { message: string }).message : []))

/** Opens a stream, and resolves when it is ready. Before that, an instance without a webhook keeps no events. */
async function open(options: Parameters<typeof readStream>[1] = {}, of = instance): Promise<EventReader> {
  const reader = await readStream(of.api_url, options)
  await reader.waitFor('ready', ({ event }) => event === 'ready')
  return reader
}

test('events come though no webhook is set, with their id, and only of the types that were asked for', async () => {
  const all = await open()
  const deliveries = await open({ types: 'delivery' })
  await write('hello')
  const { id, event, data } = await heard(all, 'hello')
  assert.equal(event, undefined)
  assert.equal(id, data.event_id)
  assert.deepEqual(
    [data.type, data.instance_id, data.phone, data.from_me, data.sender_name],
    ['received', instance.id, ANA, false, 'Ana'],
  )
  const { message_id } = await world.gateway.sendText(instance, ANA, 'and you')
  const isDelivery = ({ data }: { data: Record<string, unknown> }) => data.type === 'delivery' && data.message_id === message_id
  assert.deepEqual(
    (await deliveries.waitFor('its delivery', isDelivery)).data,
    (await all.waitFor('its delivery', isDelivery)).data,
  )
  assert.deepEqual([...new Set(deliveries.events.map(({ data }) => data.type))], [undefined, 'delivery'])
  await Promise.all([all.cut(), deliveries.cut()])
})

test('after a cut the stream goes on behind the last event', async () => {
  const first = await open()
  await write('before the cut')
  await heard(first, 'before the cut')
  await first.cut()
  await write('while nobody reads')
  const second = await open({ after: first.lastId()! })
  await heard(second, 'while nobody reads')
  assert.deepEqual(texts(second), ['while nobody reads'])
  assert.ok(!second.events.some(({ event }) => event === 'gap'))
  await second.cut()
})

test('a cut before the first event loses nothing: `ready` says where the stream began', async () => {
  const first = await open()
  await first.cut()
  await write('right after the cut')
  const second = await open({ after: first.lastId()! })
  await heard(second, 'right after the cut')
  await second.cut()
})

test('who comes with an id from before events were kept is told of the gap first', async () => {
  const reader = await readStream(instance.api_url, { after: BEGINNING })
  const gap = await reader.waitFor('gap', ({ event }) => event === 'gap')
  assert.equal(gap.data.from, BEGINNING)
  assert.match(String(gap.data.to), /^[0-9A-HJKMNP-TV-Z]{26}$/)
  await write('behind the gap')
  const { id } = await heard(reader, 'behind the gap')
  assert.ok(id! > String(gap.data.to))
  await reader.cut()
})

test('an eleventh stream of an instance is refused until one of the ten has gone', async () => {
  const ten = await Promise.all(Array.from({ length: 10 }, () => open({ types: 'received' })))
  const { status, body } = await world.gateway.ask(instance, 'GET', '/events')
  assert.equal(status, 429)
  assert.equal((body.error as { code: string }).code, 'rate_limited')
  await write('to all ten')
  await Promise.all(ten.map((reader) => heard(reader, 'to all ten')))
  await ten[0]!.cut()
  // The service notices only after a moment that the client has closed its stream. So the test opens the new one
  // repeatedly until this succeeds.
  for (const until = Date.now() + 10_000; ; ) {
    const eleventh = await readStream(instance.api_url).catch((error: Error) => error)
    if (!(eleventh instanceof Error)) {
      await eleventh.cut()
      break
    }
    assert.match(eleventh.message, /^429/)
    assert.ok(Date.now() < until, 'the place of the first was not given back')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await Promise.all(ten.map((reader) => reader.cut()))
})

test('an id that is none, and types that are none, are refused by name', async () => {
  const asked = await world.gateway.ask(instance, 'GET', '/events', undefined, { 'last-event-id': 'yesterday' })
  assert.deepEqual([asked.status, JSON.stringify(asked.body.error).includes('Last-Event-ID')], [400, true])
  const typed = await world.gateway.ask(instance, 'GET', '/events?types=received,nothing')
  assert.deepEqual([typed.status, JSON.stringify(typed.body.error).includes('types.1')], [400, true])
})

test('the stream goes on when the shard of its instance has died', async () => {
  const reader = await open()
  await write('before the crash')
  await heard(reader, 'before the crash')
  await world.service.engine.crashShard(0)
  await write('after the crash')
  await heard(reader, 'after the crash')
  assert.deepEqual(texts(reader), ['before the crash', 'after the crash'])
  await reader.cut()
})

function listen(args: string[], env: Record<string, string> = {}) {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))
  const child = spawn(process.execPath, [...CLI, 'listen', ...args], {
    cwd: ROOT,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', errors: '' }
  const looks = new Set<() => void>()
  const take = (name: 'out' | 'errors') => (chunk: Buffer) => {
    said[name] += chunk.toString()
    for (const look of [...looks]) look()
  }
  child.stdout.on('data', take('out'))
  child.stderr.on('data', take('errors'))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return {
    said,
    ended,
    interrupt: () => child.kill('SIGINT'),
    seen: (what: RegExp, where: 'out' | 'errors' = 'out') =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`not printed within 30 s: ${what}\n${said.out}\n${said.errors}`)), 30_000)
        const look = () => {
          if (!what.test(said[where])) return
          clearTimeout(timer)
          looks.delete(look)
          resolve()
        }
        looks.add(look)
        look()
      }),
  }
}

test('`listen` posts each event, signed, to a program here; a restart of the service loses it none; Ctrl-C ends it with 0', async () => {
  const { receiver } = world
  const access = { SVC_LISTEN_URL: world.gateway.baseUrl, SVC_LISTEN_INSTANCE: instance.id, SVC_LISTEN_TOKEN: instance.token }
  const [, ...args] = cliSample('docs/webhooks.md', '--types received', { 'http://localhost:3000/hook': receiver.url })
  const client = listen(args, access)
  await client.seen(/Listening/, 'errors')
  const secret = /^Signing secret: (whsec_[0-9A-Za-z]{32})$/m.exec(client.said.out)?.[1]
  receiver.trust(instance.id, secret!)
  await write('forwarded')
  const got = await receiver.waitFor('forwarded', (event) => has('forwarded')({ data: event }))
  const { headers } = receiver.received.find(({ event }) => event.event_id === got.event_id)!
  assert.deepEqual(
    [headers['x-svc-event'], headers['x-svc-event-id'], headers['x-svc-instance-id'], headers['x-svc-attempt']],
    ['received', got.event_id, instance.id, '1'],
  )
  assert.equal(headers['user-agent'], 'Svc-Webhook/1.0')
  await client.seen(new RegExp(`^\\d\\d:\\d\\d:\\d\\d\\.\\d{3} {2}received +${got.event_id} +200 +\\d+ ms$`, 'm'))
  assert.equal(client.said.out.includes(instance.token) || client.said.errors.includes(instance.token), false)

  receiver.reply((_, response) => response.writeHead(500).end())
  await write('refused here')
  await receiver.waitFor('refused', (event) => has('refused here')({ data: event }))
  await client.seen(/ 500 /)
  receiver.reply(null)

  await world.restartService(async () => {
    await client.seen(/Not connected: .* Retrying in \d+ s/, 'errors')
    await write('meanwhile')
  })
  await receiver.waitFor('meanwhile', (event) => has('meanwhile')({ data: event }), 40_000)
  assert.deepEqual(
    receiver.events('received').map(({ text }) => (text as { message: string }).message),
    ['forwarded', 'refused here', 'meanwhile'],
  )
  client.interrupt()
  assert.equal(await client.ended, 0)
})

test('`listen` says what is wrong with what it was given, and ends', async () => {
  const given = ['--url', world.gateway.baseUrl, '--instance', instance.id, '--forward-to', world.receiver.url]
  const wrong = listen([...given, '--token', 'f'.repeat(48)])
  assert.equal(await wrong.ended, 1)
  assert.match(wrong.said.errors, /the service answered 401 instance_not_found/)
  const missing = listen(given)
  assert.equal(await missing.ended, 2)
  assert.match(missing.said.errors, /--token is missing/)
  const types = listen([...given, '--token', instance.token, '--types', 'received,nothing'])
  assert.equal(await types.ended, 2)
  assert.match(types.said.errors, /the event types are received, delivery/)
})

test('a stream ends, with nothing more said, when its token was rotated and when its instance is deleted', async () => {
  const { gateway } = world
  const rotated = await open()
  const path = `${gateway.baseUrl}/account/instances/${instance.id}`
  const { token } = await must('POST', `${path}/rotate-token`, {}, gateway.account)
  await write('not for the old token')
  await rotated.ended
  assert.deepEqual(texts(rotated), [])
  const next = { ...instance, api_url: instance.api_url.replace(instance.token, String(token)) }
  const reader = await open({ after: rotated.lastId()! }, next)
  await heard(reader, 'not for the old token')
  await must('DELETE', path, undefined, gateway.account)
  await reader.ended
})
