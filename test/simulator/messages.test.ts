import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startSimulator } from '../harness/network.ts'
import { type Client, jidOf, login, pair, received, textOf } from './client.ts'

const PHONE = '491701234567'
const CONTACT = '4915112345678'

let client: Client

const simulator = await startSimulator()
simulator.control.createPhone({ phone: PHONE, name: 'Ada' })
client = await pair(simulator, PHONE)

after(async () => {
  await client.close()
  await simulator.stop()
})

test('a text reaches the contact and is reported delivered and read', async () => {
  const sent = await client.socket.sendMessage(jidOf(CONTACT), { text: 'hello' })
  const { items } = await simulator.control.inbox(CONTACT, 0, 5_000)
  assert.equal(items[0]?.text, 'hello')
  assert.equal(items[0]?.id, sent?.key.id)
  assert.equal(items[0]?.from, PHONE)
  const statuses = () => [
    ...client.messages.filter((message) => message.key.id === sent?.key.id).map((message) => message.status),
    ...(client.events['messages.update'] ?? [])
      .flat()
      .filter(({ key }) => key.id === sent?.key.id)
      .map(({ update }) => update.status),
  ]
  await client.until(() => statuses().includes(4), 'status read')
})

test('a text of a contact reaches the client under its number and name', async () => {
  simulator.control.updateContact(CONTACT, { name: 'Grace' })
  const { id } = await simulator.control.sendFromContact(CONTACT, PHONE, { text: 'good morning' })
  const message = await received(client, 'good morning')
  assert.equal(message.key.id, id)
  assert.equal(message.key.remoteJid, jidOf(CONTACT))
  assert.equal(message.pushName, 'Grace')
  assert.equal(message.upsert, 'notify')
})

test('a message that comes again under its id is shown once, as it came first, and its arrival confirmed again', async () => {
  const again = (id: string, text: string) =>
    client.socket.relayMessage(jidOf(CONTACT), { conversation: text }, { messageId: id, useCachedGroupMetadata: false })
  const heard: unknown[] = []
  simulator.control.watch({ from: 'server', tag: 'receipt', attrs: { id: 'ONCE1' } }, (line) => heard.push(line))
  const { seq } = (await simulator.control.inbox(CONTACT, 0, 0)).items.at(-1)!
  await again('ONCE1', 'echo first')
  await received(client, 'first')
  await client.until(() => heard.length === 2, 'delivered and read')
  await again('ONCE1', 'echo second')
  await client.until(() => heard.length === 3, 'delivered once more')
  await again('ONCE2', 'echo third')
  await received(client, 'third')
  await again('ONCE2', 'echo third')
  await client.until(() => simulator.control.copies(CONTACT, 'ONCE2').length === 2, 'the same once more')
  const { items } = await simulator.control.inbox(CONTACT, seq, 5_000)
  assert.deepEqual(
    items.map(({ id, text, repeats, repeats_differ }) => [id, text, repeats, repeats_differ]),
    [
      ['ONCE1', 'echo first', 1, true],
      ['ONCE2', 'echo third', 1, undefined],
    ],
  )
  assert.equal(simulator.control.copies(CONTACT, 'ONCE1').length, 2, 'both came')
  assert.ok(
    client.messages.every((message) => textOf(message) !== 'second'),
    'and one was answered',
  )
})

test('echo answers', async () => {
  await client.socket.sendMessage(jidOf(CONTACT), { text: 'echo ping' })
  assert.equal((await received(client, 'ping')).key.fromMe, false)
})

test('a message to a device that is offline waits, in order, and comes with the next login', async () => {
  await client.close()
  simulator.control.burst(CONTACT, { to: PHONE, count: 20, textPrefix: 'offline ' })
  client = await login(simulator, client.auth)
  await received(client, 'offline 20')
  const texts = client.messages.map((message) => message.message?.conversation).filter((text) => text?.startsWith('offline '))
  assert.deepEqual(
    texts,
    Array.from({ length: 20 }, (_, index) => `offline ${index + 1}`),
  )
  assert.equal((await received(client, 'offline 1')).upsert, 'append')
})

test('a burst that is encrypted in advance leaves in order, and its texts say when each was due', async () => {
  simulator.control.burst(CONTACT, { to: PHONE, count: 20, textPrefix: 'due {now} no ', perSecond: 200, leadMs: 50 })
  const texts = () =>
    client.messages.flatMap(({ message }) => {
      const [, at, number] = /^due ([\d.]+) no (\d+)$/.exec(message?.conversation ?? '') ?? []
      return at === undefined ? [] : [{ at: Number(at), number: Number(number) }]
    })
  await client.until(() => texts().length === 20, 'the last text')
  const [first] = texts()
  assert.deepEqual(
    // The intervals are exactly 5 ms, because the times are calculated and not measured. The differences are
    // rounded to a hundredth of a ms.
    texts().map(({ number, at }) => [number, Math.round((at - first!.at) * 100) / 100]),
    Array.from({ length: 20 }, (_, index) => [index + 1, index * 5]),
  )
})

test('nothing was left unread and nothing unknown was asked', () => {
  const { undecryptable, unknown_queries } = simulator.control.stats()
  assert.deepEqual(
    { undecryptable, unknown_queries, failures: simulator.control.failures() },
    { undecryptable: 0, unknown_queries: [], failures: [] },
  )
})
