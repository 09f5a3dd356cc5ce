/**
 * Repeats the recorded calls of unchanged clients of Z-API, and their checks of the answers. The clients pair, send,
 * answer, react, delete, create groups and read webhooks.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { ask } from '../harness/http.ts'
import { image } from '../harness/media-files.ts'
import { sampleWith } from '../harness/samples.ts'
import type { InboxItem } from '../harness/sandbox.ts'
import { startWorld } from '../harness/world.ts'
import { type ClientCall, clients } from './dialect-zapi-clients.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
const BEN = '5511988880002'
const NOBODY = '5511988880000'

type Json = Record<string, unknown>

const world = await startWorld()
await world.sandbox.createContact(ANA, { name: 'Ana' })
await world.sandbox.createContact(BEN, { name: 'Ben' })
const instance = await world.gateway.connected(world.sandbox, ME, world.receiver, { settings: { dialect: 'zapi' } })
after(() => world.stop())

test('the command of docs/coming-from.md sets the dialect of an instance', async () => {
  const other = await world.gateway.createInstance(null)
  const command = sampleWith('docs/coming-from.md', '/settings')
  const env = { ...process.env, URL: other.api_url }
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { env })
  assert.equal(JSON.parse(stdout).dialect, 'zapi', stdout)
})

/** Makes a request with the header that the clients send, and returns the answer. Throws if the answer is not 200. */
async function call<T = Json>(method: string, path: string, body?: unknown): Promise<T> {
  const answered = await ask(method, instance.api_url + path, body, { 'Client-Token': 'F1a2b3c4d5e6f7a8b9c0' })
  assert.equal(answered.status, 200, `${method} ${path}: ${JSON.stringify(answered.body)}`)
  return answered.body as T
}
const event = (type: string, fits: (event: Json) => boolean, of = instance) =>
  world.receiver.waitFor(type, (each) => each.type === type && each.instanceId === of.id && fits(each))

/**
 * Sends a message. Resolves when the message has arrived and the webhook about its result has the ids from the answer.
 */
async function sent(path: string, body: Json, to = ANA): Promise<{ id: string; item: Json }> {
  const { zaapId, messageId, id } = await call(`POST`, path, body)
  assert.equal(messageId, id)
  const delivered = await event('DeliveryCallback', (each) => each.zaapId === zaapId)
  assert.deepEqual([delivered.messageId, delivered.instanceId, 'error' in delivered], [messageId, instance.id, false])
  const item = (await world.sandbox.inbox(to, 0, 10_000)).find((each) => each.id === messageId)
  assert.ok(item, `${to} did not get ${messageId}`)
  return { id: String(messageId), item: item as unknown as Json }
}

/** Checks that `actual` contains everything in `expected`. There, `$any` stands for any value that is not empty. */
function assertHas(actual: unknown, expected: unknown, about: string): void {
  if (expected === '$any') assert.ok(actual !== undefined && actual !== null && actual !== '', `${about} is missing`)
  else if (typeof expected !== 'object' || expected === null) assert.deepEqual(actual, expected, about)
  else for (const [name, part] of Object.entries(expected)) assertHas((actual as Json)?.[name], part, `${about}.${name}`)
}

function filled<T>(value: T, known: Readonly<Record<string, string>>): T {
  if (typeof value === 'string') return value.replace(/\$(\w+)/g, (name, key) => known[key] ?? name) as T
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((entry) => filled(entry, known)) as T
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, filled(part, known)])) as T
}

describe('a public client works as it is:', { concurrency: 4 }, () => {
  for (const [at, [name, client]] of Object.entries(clients).entries())
    test(name, async () => {
      const { sandbox, gateway, receiver } = world
      const me = `551199999001${at}`
      const ana = `551198888001${at}`
      const [large, small] = await Promise.all([image('png', 640, 640), image('png', 64, 64)])
      const inline = (file: Buffer) => `data:image/png;base64,${file.toString('base64')}`
      const known: Record<string, string> = {
        me,
        ana,
        ben: BEN,
        hook: receiver.url,
        picture: inline(large),
        small: inline(small),
      }
      assert.ok(known.picture!.length > 300_000)
      await sandbox.createPhone(me, { name: 'Me' })
      await sandbox.createContact(ana, { name: 'Ana' })
      const its = await gateway.createInstance(null, { settings: { dialect: 'zapi' } })
      receiver.trust(its.id, its.webhooks.secret)

      /** Makes a request, and returns the answer. Throws if the answer is not 200. */
      const asks = async <T = Json>(route: string, body?: unknown): Promise<T> => {
        const [method = '', path = ''] = route.split(' ')
        const { status, body: answer } = await ask(method, its.api_url + path, body, { 'Client-Token': 'F1a2b3c4d5e6f7a8b9c0' })
        assert.equal(status, 200, `${route} ${JSON.stringify(body)?.slice(0, 200)}: ${JSON.stringify(answer)}`)
        return answer as T
      }
      const arrived = async (id: unknown): Promise<InboxItem> => {
        for (let after = 0; ; ) {
          const items = await sandbox.inbox(ana, after, 10_000)
          const found = items.find((item) => item.id === id)
          if (found) return found
          assert.ok(items.length > 0, `${id} did not arrive`)
          after = items.at(-1)!.seq
        }
      }
      const groupOf = async () => {
        const { groups } = await sandbox.get<{ groups: { id: string; subject: string; participants: { phone: string }[] }[] }>(
          '/state',
        )
        const { subject, participants } = groups.find(({ id }) => `${id.split('@')[0]}-group` === known.group)!
        return { subject, members: participants.map(({ phone }) => phone).sort() }
      }
      const carryOut = async (call: ClientCall) => {
        const { ask: route, body, keeps = {}, reads = {}, arrives, group } = filled(call, known)
        const answer = await asks(route, body)
        assertHas(answer, reads, route)
        if (arrives) assertHas(await arrived(answer.messageId), arrives, `what ${route} brought`)
        for (const [value, field] of Object.entries(keeps)) known[value] = String(answer[field])
        if (group) assert.deepEqual(await groupOf(), { ...group, members: [...group.members, me].sort() })
      }

      for (const each of client.webhooks ?? []) await carryOut(each)
      if (!client.webhooks) await asks('PUT /update-every-webhooks', { value: receiver.url })
      const { status, code, field = 'value' } = client.pairing ?? { code: 'GET /qr-code/image' }
      if (status) assert.equal((await asks(status)).connected, false)
      let shown: Json
      do shown = await asks(code)
      while (!shown[field])
      await sandbox.scan(me, String(shown[field]))
      const connected = await event('ConnectedCallback', () => true, its)
      assert.deepEqual([connected.connected, connected.phone], [true, me])
      if (status) assertHas(await asks(status), { connected: true, phone: me, status: 'connected' }, status)

      known.question = (await sandbox.send(ana, me, { text: 'Where is my order?' })).id
      const received = await event('ReceivedCallback', ({ messageId }) => messageId === known.question, its)
      assertHas(received, filled(client.received, known), 'the webhook')
      for (const call of client.calls) await carryOut(call)
      if (!client.end) return
      await asks(client.end)
      await event('DisconnectedCallback', ({ disconnected }) => disconnected === true, its)
    })
})

test('a text arrives, and its receipts come one by one', async () => {
  const { id, item } = await sent('/send-text', { phone: ANA, message: 'Hello *Ana*', delayTyping: 1, delayMessage: 1 })
  assert.equal(item.text, 'Hello *Ana*')
  for (const status of ['SENT', 'RECEIVED', 'READ']) {
    const told = await event('MessageStatusCallback', (each) => each.status === status && (each.ids as string[]).includes(id))
    assert.deepEqual([told.phone, told.isGroup], [ANA, false])
  }
})

test('a reaction comes with the names of theirs', async () => {
  const { id } = await sent('/send-text', { phone: ANA, message: 'Thanks for waiting' })
  await world.sandbox.send(ANA, ME, { reaction: { message_id: id, emoji: '❤️' } })
  const reacted = await event('ReceivedCallback', (each) => each.reaction !== undefined)
  const { value, referencedMessage } = reacted.reaction as { value: string; referencedMessage: Json }
  assert.deepEqual([value, referencedMessage.messageId, referencedMessage.fromMe], ['❤️', id, true])
})

test('a poll is asked, and a message that was sent is deleted', async () => {
  const poll = await sent('/send-poll', {
    phone: ANA,
    message: 'When?',
    pollMaxOptions: 1,
    poll: [{ name: 'Today' }, { name: 'Later' }],
  })
  assert.match(JSON.stringify(poll.item.proto), /"When\?".*"Today"/)
  const { id } = await sent('/send-text', { phone: ANA, message: 'Wrong' })
  const removed = await call('DELETE', `/messages?phone=${ANA}&messageId=${id}&owner=true`)
  const done = await event('DeliveryCallback', (each) => each.zaapId === removed.zaapId)
  assert.equal('error' in done, false)
})

test('what fails is told as a text, at once or by the webhook', async () => {
  const refused = await ask('POST', `${instance.api_url}/send-text`, { phone: 'nobody', message: 'Hello' })
  assert.equal(refused.status, 400)
  assert.deepEqual([typeof refused.body.error, typeof refused.body.message], ['string', 'string'])
  const { zaapId } = await call('POST', '/send-text', { phone: NOBODY, message: 'Hello' })
  const failed = await event('DeliveryCallback', (each) => each.zaapId === zaapId)
  assert.equal(failed.errorCode, 'phone_not_on_whatsapp')
  assert.equal(typeof failed.error, 'string')
})

test('a message in a group names the group and its author', async () => {
  const { phone } = await call('POST', '/create-group', { autoInvite: true, groupName: 'Launch', phones: [ANA] })
  const { id } = await world.sandbox.send(ANA, String(phone).replace('-group', '@g.us'), { text: 'Good morning' })
  const got = await event('ReceivedCallback', (each) => each.messageId === id)
  assert.deepEqual([got.isGroup, got.phone, got.participantPhone], [true, phone, ANA])
})

test('chats, contacts and numbers are looked up as lists', async () => {
  const chats = await call<Json[]>('GET', '/chats?page=1&pageSize=20')
  assert.ok(chats.some((each) => each.phone === ANA))
  const [one, other] = await call<Json[]>('POST', '/phone-exists-batch', { phones: [ANA, NOBODY] })
  assert.deepEqual([one?.exists, one?.inputPhone, other?.exists], [true, ANA, false])
  assert.equal((await call('GET', `/phone-exists/${ANA}`)).exists, true)
})

test('a program that reads the stream of events is told in our words, whatever the webhooks say', async () => {
  assert.ok(world.receiver.events().every(({ type }) => /Callback$/.test(type)))
  const stopped = new AbortController()
  const stream = await fetch(`${instance.api_url}/events`, { signal: stopped.signal })
  const { id } = await world.sandbox.send(ANA, ME, { text: 'For the stream' })
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes(id)) text += (await reader.read()).value ?? ''
  stopped.abort()
  assert.match(text, /"type":"received"/)
  assert.match(text, new RegExp(`"message_id":"${id}"`))
})

test('it restarts, and logs out at the end', async () => {
  assert.equal((await call('GET', '/restart')).value, true)
  await event('ConnectedCallback', (each) => world.receiver.events('ConnectedCallback').indexOf(each as never) > 0)
  assert.equal((await call('GET', '/disconnect')).value, true)
  const lost = await event('DisconnectedCallback', (each) => each.status === 'logged_out')
  assert.deepEqual([lost.disconnected, typeof lost.error], [true, 'string'])
})
