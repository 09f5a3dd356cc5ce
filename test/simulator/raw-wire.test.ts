import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { type BinaryNode, initAuthCreds } from '@whiskeysockets/baileys'
import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { node, silenceLibsignal } from '../../packages/sandbox/src/testing.ts'
import { startSimulator } from '../harness/network.ts'
import { find } from '../harness/nodes.ts'
import { jidOf, pair } from './client.ts'
import { connectRaw, type RawClient } from './raw-client.ts'

/**
 * Tests with a client that writes its handshake and its stanzas itself, so it can send what the library would not send.
 */

silenceLibsignal()
const PHONE = '5511900000001'
const ANA = '5511900000002'

/**
 * Device that the library has linked. The connection of the library is closed, so that the test can log in as this
 * device.
 */
let device: { number: string; device: number; secret: Uint8Array }
const open = new Set<RawClient>()

const simulator = await startSimulator()
simulator.control.createPhone({ phone: PHONE })
simulator.control.createContact(ANA, { name: 'Ana', devices: 2 })
const library = await pair(simulator, PHONE)
const { me, noiseKey } = library.auth.creds
const [, number = '', id = '0'] = /^(\d+):(\d+)@/.exec(me!.id) ?? []
device = { number, device: Number(id), secret: noiseKey.private }
await library.close()

after(async () => {
  for (const client of open) await client.close()
  await simulator?.stop()
})

async function login(payload: proto.IClientPayload = {}, serverKey?: Uint8Array): Promise<RawClient> {
  const { number, device: id, secret } = device
  const client = await connectRaw({
    url: simulator.url,
    secret,
    payload: { username: Number(number), device: id, ...payload },
    ...(serverKey ? { serverKey } : {}),
  })
  open.add(client)
  return client
}

const is =
  (tag: string, child?: string) =>
  (item: BinaryNode): boolean =>
    item.tag === tag && (child === undefined || find(item, child) !== undefined)
const ping = () => node('iq', { type: 'get', xmlns: 'w:p' }, [node('ping')])

function pending(): number {
  const phones = simulator.control.state().phones as { phone: string; devices: { pending: number }[] }[]
  return phones.find(({ phone }) => phone === PHONE)!.devices[0]!.pending
}

/** Sends a stanza and then a query. When the answer to the query arrives, the network has processed the stanza. */
async function settled(client: RawClient, stanza: BinaryNode) {
  client.send(stanza)
  await client.query(ping())
}

test('an active login has its queue at once, a passive one when it says that it is ready', async () => {
  for (const text of ['one', 'two']) await simulator.control.sendFromContact(ANA, PHONE, { text })
  const passive = await login({ passive: true })
  await passive.until(is('success'), 'the login')
  await passive.query(ping())
  assert.equal(passive.heard.some(is('message')), false, 'nothing comes by itself')
  await passive.query(node('iq', { type: 'set', xmlns: 'passive' }, [node('active')]))
  await passive.until(is('ib', 'offline'), 'the end of the queue')
  assert.equal(passive.heard.filter(is('message')).length, 2)
  await passive.close()

  const active = await login({ passive: false })
  const end = await active.until(is('ib', 'offline'), 'the end of the queue')
  const preview = find(active.heard.find(is('ib', 'offline_preview')), 'offline_preview')
  const messages = active.heard.filter(is('message'))
  assert.deepEqual(
    [
      preview?.attrs.message,
      messages.length,
      messages.every(({ attrs }) => attrs.offline === '0'),
      find(end, 'offline')?.attrs.count,
    ],
    ['2', 2, true, '2'],
  )
  assert.equal(active.heard.filter(is('iq')).length, 0, 'nothing was asked')
  for (const { attrs } of messages) await settled(active, node('receipt', { to: attrs.from, id: attrs.id }))
  assert.equal(pending(), 0)
  await active.close()
})

const texts = async (count: number) => {
  for (let number = 1; number <= count; number++)
    await simulator.control.sendFromContact(ANA, PHONE, { text: `queued ${number}` })
}
const batch = (count: number) => node('ib', {}, [node('offline_batch', { count })])
const heardMessages = (client: RawClient) => client.heard.filter(is('message'))
const received = async (client: RawClient) => {
  await client.query(ping())
  return heardMessages(client).length
}
const confirm = async (client: RawClient, messages: BinaryNode[]) => {
  for (const { attrs } of messages) await settled(client, node('receipt', { to: attrs.from, id: attrs.id }))
}

test('after the first five, what waits comes in batches of the size that the client asks for, and its end behind the last', async () => {
  await texts(20)
  const client = await login({ passive: false })
  await client.until(is('ib', 'offline_preview'), 'the preview')
  assert.equal(await received(client), 5)
  client.send(batch(4))
  assert.equal(await received(client), 9)
  assert.equal(client.heard.some(is('ib', 'offline')), false, 'there is more')
  // This message is sent now, so it arrives after the waiting ones, and does not count as one of them.
  await simulator.control.sendFromContact(ANA, PHONE, { text: 'new' })
  assert.equal(await received(client), 9)
  client.send(batch(100))
  const end = await client.until(is('ib', 'offline'), 'the end of the queue')
  assert.equal(find(end, 'offline')?.attrs.count, '20')
  await client.until((item) => item === heardMessages(client)[20], 'the new one')
  const order = client.heard.indexOf(end)
  const offline = heardMessages(client).map((item) => [item.attrs.offline, client.heard.indexOf(item) < order])
  assert.deepEqual(offline, [...Array.from({ length: 20 }, () => ['0', true]), [undefined, false]])
  await confirm(client, heardMessages(client))
  assert.equal(pending(), 0)
  await client.close()
})

test('a client that asks for no batches has as many at a time as it confirms', async () => {
  await texts(12)
  const client = await login({ passive: false })
  await client.until(is('ib', 'offline_preview'), 'the preview')
  assert.equal(await received(client), 5)
  await confirm(client, heardMessages(client).slice(0, 2))
  assert.equal(await received(client), 7)
  await confirm(client, heardMessages(client).slice(2))
  await confirm(client, heardMessages(client).slice(7))
  await client.until(is('ib', 'offline'), 'the end of the queue')
  assert.equal(heardMessages(client).length, 12)
  await confirm(client, heardMessages(client).slice(12 - 5))
  assert.equal(pending(), 0)
  await client.close()
})

test('a network that waits for batches alone sends no more than the last request, whatever is confirmed', async () => {
  simulator.control.settings({ offline_batches: 'required' })
  await texts(8)
  const client = await login({ passive: false })
  await client.until(is('ib', 'offline_preview'), 'the preview')
  await confirm(client, heardMessages(client))
  assert.equal(await received(client), 5)
  client.send(batch(2))
  await confirm(client, heardMessages(client))
  assert.equal(await received(client), 7)
  client.send(batch(2))
  await client.until(is('ib', 'offline'), 'the end of the queue')
  await confirm(client, heardMessages(client))
  assert.equal(pending(), 0)
  simulator.control.settings({ offline_batches: 'optional' })
  await client.close()
})

test('a login by the key of the server from before (IK), and one by a key that is another now (XXfallback)', async () => {
  const first = await login({ passive: true })
  assert.equal(first.handshake, 'XX')
  await first.until(is('success'), 'the login')
  await first.close()
  const again = await login({ passive: true }, first.serverKey)
  assert.equal(again.handshake, 'IK')
  await again.until(is('success'), 'the login')
  await again.query(ping())
  await again.close()
  const stale = await login({ passive: true }, initAuthCreds().noiseKey.public)
  assert.equal(stale.handshake, 'XXfallback')
  assert.deepEqual(stale.serverKey, first.serverKey)
  await stale.until(is('success'), 'the login')
  await stale.query(ping())
  await stale.close()
})

test('a call that rings is settled by a receipt with its offer, as by an ack', async () => {
  const client = await login()
  await client.until(is('ib', 'offline'), 'the end of the queue')
  for (const settles of ['receipt', 'ack']) {
    const { id } = simulator.control.call(ANA, PHONE, { end: 'hangup', after_ms: 600_000 })
    const fits = (item: BinaryNode) => find(item, 'offer')?.attrs['call-id'] === id
    const call = await client.until(fits, 'the call')
    assert.equal(pending(), 1)
    const offer = node('offer', { 'call-id': id, 'call-creator': find(call, 'offer')?.attrs['call-creator'] })
    const answer =
      settles === 'receipt'
        ? node('receipt', { to: call.attrs.from, id: call.attrs.id }, [offer])
        : node('ack', { to: call.attrs.from, id: call.attrs.id, class: 'call', type: 'offer' })
    await settled(client, answer)
    assert.equal(pending(), 0, settles)
  }
  await client.close()
})

function hashOf(addresses: string[]): string {
  const digest = createHash('sha256').update(addresses.sort().join('')).digest()
  return `2:${digest.subarray(0, 6).toString('base64')}`
}

test('an ack has the hash of the server over all devices, in the names that the message uses', async () => {
  const client = await login()
  await client.until(is('ib', 'offline'), 'the end of the queue')
  const contact = simulator.control.updateContact(ANA, {}) as { lid: string }
  const own = (simulator.control.state().phones as { phone: string; lid: string }[]).find(({ phone }) => phone === PHONE)!
  const names = {
    pn: { to: jidOf(ANA), other: ANA, me: PHONE, server: 's.whatsapp.net' },
    lid: { to: `${contact.lid}@lid`, other: contact.lid, me: own.lid, server: 'lid' },
  }
  for (const { to, other, me, server } of Object.values(names)) {
    const id = `HASH-${server}`
    const participants = [node('to', { jid: to }, [node('enc', { v: 2, type: 'pkmsg' }, Buffer.alloc(80, 1))])]
    client.send(node('message', { to, id, type: 'text', phash: '2:AAAAAAAA' }, [node('participants', {}, participants)]))
    const ack = await client.until(({ tag, attrs }) => tag === 'ack' && attrs.id === id, 'the ack')
    const devices = [`${other}.0:0`, `${other}.0:1`, `${me}.0:0`, `${me}.0:${device.device}`]
    const expected = hashOf(devices.map((name) => `${name}@${server}`))
    assert.equal(ack.attrs.phash, expected)
    // These messages contain no hash of the devices. So the server compares the devices to which a message is addressed
    // with those that it knows.
    const named = [`${other}`, `${other}:1`, `${me}`].map((name) => `${name}@${server}`)
    for (const [sentTo, phash] of [
      [named, undefined],
      [named.slice(0, 2), expected],
    ] as const) {
      const copies = sentTo.map((jid) => node('to', { jid }, [node('enc', { v: 2, type: 'pkmsg' }, Buffer.alloc(80, 1))]))
      const text = `DIRECT-${server}-${sentTo.length}`
      client.send(node('message', { to, id: text, type: 'text' }, [node('participants', {}, copies)]))
      const answer = await client.until(({ tag, attrs }) => tag === 'ack' && attrs.id === text, 'the ack')
      assert.equal(answer.attrs.phash, phash)
    }
  }
  const { id: group } = simulator.control.createGroup({
    subject: 'Team',
    owner: PHONE,
    participants: [ANA],
    addressing: 'lid',
  }) as { id: string }
  client.send(
    node('message', { to: group, id: 'HASH-group', type: 'text', phash: '2:AAAAAAAA' }, [
      node('enc', { v: 2, type: 'skmsg' }, Buffer.alloc(80, 1)),
    ]),
  )
  const ack = await client.until(({ tag, attrs }) => tag === 'ack' && attrs.id === 'HASH-group', 'the ack')
  const members = [`${contact.lid}.0:0`, `${contact.lid}.0:1`, `${own.lid}.0:0`, `${own.lid}.0:${device.device}`]
  assert.equal(ack.attrs.phash, hashOf(members.map((name) => `${name}@lid`)))
  await client.close()
})
