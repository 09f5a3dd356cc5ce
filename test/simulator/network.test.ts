import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { FaultAction } from '../../packages/sandbox/src/testing.ts'
import { type Simulator, startSimulator } from '../harness/network.ts'
import { type Client, connect, isOpen, jidOf, lastQr, login, pair, received } from './client.ts'

const PHONE = '491701234567'
const CONTACT = '4915112345678'

const simulator: Simulator = await startSimulator({ settings: { receipts: 'none' } })
simulator.control.createPhone({ phone: PHONE, name: 'Ada' })
simulator.control.createContact(CONTACT, {
  name: 'Grace',
  about: 'At work',
  picture: 'https://127.0.0.1/grace.jpg',
  business: true,
})
simulator.control.updateBusiness?.(CONTACT, { description: 'By appointment' })
let client: Client = await pair(simulator, PHONE)
let isDone = false

beforeEach(async () => {
  simulator.control.clearFaults()
  simulator.control.setDown(false)
  if (isDone) client = await login(simulator, client.auth)
  isDone = false
})

after(async () => {
  await client.close()
  await simulator.stop()
})

async function endOf(ending: Client) {
  const { code, message } = await ending.ended()
  isDone = true
  return { code, message }
}

const STREAM_ERRORS: [FaultAction, { code: number; message: string }][] = [
  [{ stream_error: 515 }, { code: 515, message: 'Stream Errored (restart required)' }],
  [{ stream_error: 503 }, { code: 503, message: 'Stream Errored (unknown)' }],
  [{ stream_error: 516 }, { code: 516, message: 'Stream Errored (unknown)' }],
  [{ stream_error: 'replaced' }, { code: 440, message: 'Stream Errored (conflict)' }],
  [{ stream_error: 'device_removed' }, { code: 401, message: 'Stream Errored (conflict)' }],
  [{ failure: 403 }, { code: 403, message: 'Connection Failure' }],
  ['cut', { code: 428, message: 'Connection Terminated' }],
]

for (const [action, expected] of STREAM_ERRORS) {
  test(`a live connection ends with ${JSON.stringify(action)}`, async () => {
    simulator.control.addFault({ on: 'presence', do: action, times: 1 })
    await client.socket.presenceSubscribe(jidOf(CONTACT))
    assert.deepEqual(await endOf(client), expected)
  })
}

const FAILURES: [FaultAction, unknown][] = [
  [{ failure: 401 }, { reason: '401', location: 'sim' }],
  [
    { failure: 402, code: '101', expire: 3600 },
    { reason: '402', location: 'sim', code: '101', expire: '3600' },
  ],
  [{ failure: 405 }, { reason: '405', location: 'sim' }],
  [{ failure: 503 }, { reason: '503', location: 'sim' }],
]

for (const [action, data] of FAILURES) {
  test(`a login is refused with ${JSON.stringify(action)}`, async () => {
    await client.close()
    isDone = true
    simulator.control.addFault({ on: 'login', match: { phone: PHONE }, do: action, times: 1 })
    const refused = connect(simulator, client.auth)
    const end = await refused.ended()
    assert.deepEqual([end.code, end.message, end.data], [Number((data as { reason: string }).reason), 'Connection Failure', data])
  })
}

test('a network that is down refuses, and is back afterwards', async () => {
  simulator.control.setDown(true)
  assert.deepEqual(await endOf(client), { code: 428, message: 'Connection Terminated' })
  const refused = connect(simulator, client.auth)
  assert.equal((await refused.ended()).code, 408)
})

test('a phone cuts its companion without a word', async () => {
  simulator.control.cut(PHONE)
  assert.deepEqual(await endOf(client), { code: 428, message: 'Connection Terminated' })
})

test('a connection is answered with an HTTP status', async () => {
  await client.close()
  isDone = true
  simulator.control.addFault({ on: 'connect', do: { http_status: 503 }, times: 1 })
  const refused = connect(simulator, client.auth)
  const status = await new Promise((resolve) => {
    const { socket } = refused.socket.ws as unknown as {
      socket: { on(name: string, listener: (...args: unknown[]) => void): void }
    }
    socket.on('unexpected-response', (_request, response) => resolve((response as { statusCode: number }).statusCode))
  })
  assert.equal(status, 503)
})

test('a login that is never answered leaves the client waiting', async () => {
  await client.close()
  isDone = true
  simulator.control.addFault({ on: 'login', do: 'drop', times: 1 })
  const waiting = connect(simulator, client.auth)
  await waiting.until(() => simulator.control.stats().connections === 1, 'the connection')
  const opened = () => waiting.events['connection.update']?.some((update) => update.connection === 'open')
  assert.ok(!opened())
  await waiting.close()
})

test('a server that went silent is noticed by the client after its keep-alive', async () => {
  await client.close()
  isDone = true
  const impatient = await login(simulator, client.auth, { keepAliveIntervalMs: 100 })
  simulator.control.addFault({ on: 'query', match: { xmlns: 'w:p' }, do: 'drop' })
  assert.deepEqual(await endOf(impatient), { code: 408, message: 'Connection was lost' })
})

test('a forged chain and a forged account signature get through to a client that does not look', async () => {
  for (const what of ['root', 'leaf'] as const) {
    await client.close()
    simulator.control.forge(what)
    client = connect(simulator, client.auth)
    await isOpen(client)
  }
  simulator.control.forge('account_signature')
  const stranger = connect(simulator)
  simulator.control.createPhone({ phone: '491709999999' })
  await simulator.control.scan('491709999999', await lastQr(stranger))
  assert.equal((await stranger.ended()).code, 515)
  isDone = true
})

test('a query is answered with an error', async () => {
  simulator.control.addFault({ on: 'query', match: { xmlns: 'w:biz' }, do: { query_error: [429, 'rate-overlimit'] }, times: 1 })
  await assert.rejects(client.socket.getBusinessProfile(jidOf(CONTACT)), { message: 'rate-overlimit', data: 429 })
  assert.ok(await client.socket.getBusinessProfile(jidOf(CONTACT)))
})

test('a message is refused in its ack', async () => {
  simulator.control.addFault({ on: 'message', do: { ack_error: 463 }, times: 1 })
  const acks: (string | undefined)[] = []
  client.socket.ws.on('CB:ack,class:message', (stanza: { attrs: Record<string, string> }) => acks.push(stanza.attrs.error))
  await client.socket.sendMessage(jidOf(CONTACT), { text: 'refused' })
  await client.until(() => acks.length > 0, 'the ack')
  assert.deepEqual(acks, ['463'])
  assert.deepEqual((await simulator.control.inbox(CONTACT, 0, 0)).items, [])
})

test('a message that the network swallowed is not acknowledged, and the next one arrives', async () => {
  simulator.control.addFault({ on: 'message', do: 'drop', times: 1 })
  await client.socket.sendMessage(jidOf(CONTACT), { text: 'swallowed' })
  await client.socket.sendMessage(jidOf(CONTACT), { text: 'not swallowed' })
  const { items } = await simulator.control.inbox(CONTACT, 0, 5_000)
  assert.deepEqual(
    items.map(({ text }) => text),
    ['not swallowed'],
  )
})

test('who is and who is not on the network', async () => {
  const found = await client.socket.onWhatsApp(CONTACT, '4915100010000')
  assert.deepEqual(found, [{ jid: jidOf(CONTACT), exists: true }])
})

test('profile, privacy and blocklist', async () => {
  assert.deepEqual(await client.socket.fetchStatus(jidOf(CONTACT)).then((list) => list?.length), 1)
  assert.equal(await client.socket.profilePictureUrl(jidOf(CONTACT)), 'https://127.0.0.1/grace.jpg')
  await assert.rejects(client.socket.profilePictureUrl(jidOf('4915100000077')), { message: 'item-not-found' })
  await client.socket.updateProfileStatus('Away')
  await client.socket.updateReadReceiptsPrivacy('none')
  assert.equal((await client.socket.fetchPrivacySettings(true)).readreceipts, 'none')
  await client.socket.sendMessage(jidOf(CONTACT), { text: 'so that the LID is known' })
  await client.socket.updateBlockStatus(jidOf(CONTACT), 'block')
  assert.equal((await client.socket.fetchBlocklist()).length, 1)
  await client.socket.updateBlockStatus(jidOf(CONTACT), 'unblock')
  assert.deepEqual(await client.socket.fetchBlocklist(), [])
  assert.equal((await client.socket.getBusinessProfile(jidOf(CONTACT)))?.description, 'By appointment')
})

test('settings the client writes are read by its phone', async () => {
  await client.until(() => client.auth.creds.myAppStateKeyId, 'the key')
  await client.socket.updateProfileName('Countess')
  const phones = simulator.control.state().phones as { phone: string; name: string }[]
  assert.equal(phones.find((phone) => phone.phone === PHONE)?.name, 'Countess')
  assert.deepEqual(simulator.control.failures(), [])
})

test('presence and typing go both ways', async () => {
  await client.socket.presenceSubscribe(jidOf(CONTACT))
  await simulator.control.presence(CONTACT, PHONE, 'available')
  await simulator.control.presence(CONTACT, PHONE, 'composing')
  const seen = () =>
    (client.events['presence.update'] ?? []).map(({ presences }) => Object.values(presences)[0]?.lastKnownPresence)
  await client.until(() => seen().includes('composing') && seen().includes('available'), 'presence')
  await client.socket.sendPresenceUpdate('recording', jidOf(CONTACT))
  await client.until(() => {
    const contacts = simulator.control.state().contacts as { phone: string; heard: { kind: string; type: string }[] }[]
    return contacts
      .find(({ phone }) => phone === CONTACT)
      ?.heard.some(({ kind, type }) => kind === 'chatstate' && type === 'recording')
  }, 'the contact to hear of it')
})

test('a call rings, and is rejected, missed or given up', async () => {
  const calls = () => (client.events.call ?? []).flat()
  const rejected = simulator.control.call(CONTACT, PHONE, { end: 'timeout', after_ms: 60_000 })
  const offer = await client.until(() => calls().find(({ id, status }) => id === rejected.id && status === 'offer'), 'the offer')
  await client.socket.rejectCall(offer.id, offer.from)
  assert.equal(simulator.control.callState(rejected.id).state, 'rejected')
  const missed = simulator.control.call(CONTACT, PHONE, { video: true, end: 'timeout', after_ms: 20 })
  await client.until(() => calls().find(({ id, status }) => id === missed.id && status === 'timeout'), 'the missed call')
  assert.equal(simulator.control.callState(missed.id).state, 'missed')
  const given = simulator.control.call(CONTACT, PHONE, { end: 'hangup', after_ms: 20 })
  await client.until(() => calls().find(({ id, status }) => id === given.id && status === 'terminate'), 'the end')
  assert.equal(simulator.control.callState(given.id).state, 'ended')
  assert.match((await client.socket.createCallLink('audio')) ?? '', /./)
})

test('contacts can be addressed by LID', async () => {
  simulator.control.settings({ addressing: 'lid' })
  await simulator.control.sendFromContact(CONTACT, PHONE, { text: 'under my LID' })
  const message = await received(client, 'under my LID')
  assert.match(message.key.remoteJid ?? '', /@lid$/)
  assert.equal(message.key.remoteJidAlt, jidOf(CONTACT))
  const last = (await simulator.control.inbox(CONTACT, 0, 0)).items.at(-1)?.seq ?? 0
  await client.socket.sendMessage(message.key.remoteJid ?? '', { text: 'to your LID' })
  assert.equal((await simulator.control.inbox(CONTACT, last, 5_000)).items[0]?.text, 'to your LID')
  simulator.control.settings({ addressing: 'pn' })
})

test('the phone answers requests for history', async () => {
  const key = { remoteJid: jidOf(CONTACT), fromMe: false, id: 'OLDEST' }
  await client.socket.fetchMessageHistory(5, key, Math.floor(Date.now() / 1_000))
  const set = await client.until(
    () => client.events['messaging-history.set']?.find(({ messages }) => messages.length === 5),
    'history',
  )
  assert.ok(set.peerDataRequestSessionId)
})

test('a thousand texts in a burst all arrive in order', async () => {
  simulator.control.burst(CONTACT, { to: PHONE, count: 1_000, textPrefix: 'burst ' })
  await received(client, 'burst 1000')
  const texts = client.messages.map((message) => message.message?.conversation).filter((text) => text?.startsWith('burst '))
  assert.deepEqual(
    texts,
    Array.from({ length: 1_000 }, (_, index) => `burst ${index + 1}`),
  )
})

test('nothing was left unread and nothing unknown was asked', () => {
  const { undecryptable, unknown_queries } = simulator.control.stats()
  const failures = simulator.control.failures()
  assert.deepEqual({ undecryptable, unknown_queries, failures }, { undecryptable: 0, unknown_queries: [], failures: [] })
})
