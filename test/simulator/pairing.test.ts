import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startSimulator } from '../harness/network.ts'
import { connect, isOpen, jidOf, lastQr, login, pair, received } from './client.ts'

const simulator = await startSimulator({ settings: { receipts: 'none' } })

after(() => simulator.stop())

let next = 491700000001
function newPhone(): string {
  const phone = String(next++)
  simulator.control.createPhone({ phone, name: 'Ada', platform: 'ios' })
  return phone
}

/** Resolves with a pairing code of the client. The client can make one only after it shows a QR code. */
async function codeOf(client: ReturnType<typeof connect>, phone: string): Promise<string> {
  await lastQr(client)
  return client.socket.requestPairingCode(phone)
}

test('a scanned code links the device and asks it to connect again', async () => {
  const phone = newPhone()
  const client = connect(simulator)
  assert.deepEqual(await simulator.control.scan(phone, await lastQr(client)), { device: 1 })
  assert.deepEqual(await client.ended(), {
    code: 515,
    message: 'Stream Errored (restart required)',
    data: (await client.ended()).data,
  })
  assert.equal(client.auth.creds.me?.id, `${phone}:1@s.whatsapp.net`)
  assert.match(client.auth.creds.me?.lid ?? '', /:1@lid$/)
  assert.equal(client.auth.creds.platform, 'ios')
})

test('the linked device logs in, and its phone sends history and name', async () => {
  const phone = newPhone()
  const client = await pair(simulator, phone)
  await client.until(() => client.events['messaging-history.set']?.some((set) => set.progress === 100), 'recent history')
  await client.until(() => client.auth.creds.me?.name === 'Ada', 'the name')
  await client.close()
})

test('history holds the chats and contacts the phone was made with', async () => {
  const phone = String(next++)
  simulator.control.createPhone({ phone, history: { chats: 3, contacts: 5 } })
  const client = await pair(simulator, phone)
  const sets = await client.until(() => {
    const all = client.events['messaging-history.set'] ?? []
    return all.some((set) => set.progress === 100) && all
  }, 'all history')
  assert.equal(sets.flatMap((set) => set.chats).length, 3)
  assert.equal(sets.flatMap((set) => set.messages).length, 3)
  await client.close()
})

test('an unknown or old code is refused', async () => {
  const phone = newPhone()
  const client = connect(simulator)
  const qr = await lastQr(client)
  await client.close()
  await client.until(() => simulator.control.stats().connections === 0, 'no connection')
  await assert.rejects(simulator.control.scan(phone, qr), { code: 'conflict' })
  await assert.rejects(simulator.control.scan(phone, 'nonsense'), { code: 'invalid_request' })
})

test('a code whose secret was retired is refused', async () => {
  const phone = newPhone()
  const client = connect(simulator)
  const qr = await lastQr(client)
  simulator.control.refreshCompanionReg(qr)
  await assert.rejects(simulator.control.scan(phone, qr), { code: 'conflict' })
  await client.close()
})

test('a typed code links the device', async () => {
  const phone = newPhone()
  const client = connect(simulator)
  const code = await codeOf(client, phone)
  assert.deepEqual(await simulator.control.enterCode(phone, code), { device: 1 })
  assert.equal((await client.ended()).code, 515)
  const again = await login(simulator, client.auth)
  await simulator.control.sendFromContact('4915100000009', phone, { text: 'after the code' })
  await received(again, 'after the code')
  await again.close()
})

test('a wrong code is refused, and the right one works on the same connection', async () => {
  const phone = newPhone()
  const client = connect(simulator)
  const code = await codeOf(client, phone)
  await assert.rejects(simulator.control.enterCode(phone, 'WRNGC0DE'), { code: 'conflict' })
  assert.deepEqual(await simulator.control.enterCode(phone, code), { device: 1 })
  assert.equal((await client.ended()).code, 515)
})

test('a code nobody asked for is refused', async () => {
  await assert.rejects(simulator.control.enterCode(newPhone(), 'ABCD1234'), { code: 'conflict' })
})

test('credentials that were never linked are told 401 at login', async () => {
  const phone = newPhone()
  const client = connect(simulator)
  await codeOf(client, phone)
  await client.close()
  const again = connect(simulator, client.auth)
  assert.deepEqual(await again.ended(), { code: 401, message: 'Connection Failure', data: { reason: '401', location: 'sim' } })
})

test('a device is known by its key: another one is told 401', async () => {
  const phone = newPhone()
  const client = await pair(simulator, phone)
  await client.close()
  const stranger = connect(simulator)
  await lastQr(stranger)
  await stranger.close()
  Object.assign(client.auth.creds, { noiseKey: stranger.auth.creds.noiseKey })
  assert.equal((await connect(simulator, client.auth).ended()).code, 401)
})

test('two devices of one phone see what the other sends', async () => {
  const phone = newPhone()
  const first = await pair(simulator, phone)
  const second = await pair(simulator, phone)
  await first.socket.sendMessage(jidOf('4915100000001'), { text: 'from the first' })
  const message = await received(second, 'from the first')
  assert.equal(message.key.fromMe, true)
  assert.equal(message.key.remoteJid, jidOf('4915100000001'))
  // An earlier bug: this field contained the LID of the client's own account, so the client used one session for the
  // contact and the account.
  assert.match(message.key.remoteJidAlt ?? '', /4915100000001@lid$/)
  await simulator.control.sendFromPhone(phone, '4915100000001', { text: 'from the phone' })
  for (const client of [first, second]) assert.equal((await received(client, 'from the phone')).key.fromMe, true)
  await Promise.all([first.close(), second.close()])
})

test('two linked accounts write to each other', async () => {
  const [one, other] = [newPhone(), newPhone()]
  const ada = await pair(simulator, one)
  const bob = await pair(simulator, other)
  const sent = await ada.socket.sendMessage(jidOf(other), { text: 'hello bob' })
  await received(bob, 'hello bob')
  await bob.socket.sendMessage(jidOf(one), { text: 'hello ada' })
  await received(ada, 'hello ada')
  // The other device also sends a receipt. So the test waits for the receipt, too, and not only for the answer `hello
  // ada`.
  await ada.until(() => {
    const updates = (ada.events['messages.update'] ?? []).flat().filter(({ key }) => key.id === sent?.key.id)
    return (
      updates.some(({ update }) => (update.status ?? 0) >= 3) ||
      ada.messages.some((m) => m.key.id === sent?.key.id && m.status === 3)
    )
  }, 'delivered')
  await Promise.all([ada.close(), bob.close()])
})

test('the client makes itself gone with a logout', async () => {
  const phone = newPhone()
  const client = await pair(simulator, phone)
  await client.socket.logout()
  assert.equal((await client.ended()).code, 401)
  const again = connect(simulator, client.auth)
  assert.equal((await again.ended()).code, 401)
})

test('the phone unlinks a device that is connected, and one that is not', async () => {
  const phone = newPhone()
  const client = await pair(simulator, phone)
  await simulator.control.unlink(phone)
  const end = await client.ended()
  assert.deepEqual([end.code, end.message], [401, 'Stream Errored (conflict)'])
  assert.equal((await connect(simulator, client.auth).ended()).message, 'Connection Failure')
})

test('the same device twice: the older connection is replaced', async () => {
  const phone = newPhone()
  const client = await pair(simulator, phone)
  const newer = connect(simulator, client.auth)
  assert.equal((await client.ended()).code, 440)
  await isOpen(newer)
  await newer.close()
})

test('nothing was left unread and nothing unknown was asked', () => {
  const { undecryptable, unknown_queries } = simulator.control.stats()
  const failures = simulator.control.failures()
  assert.deepEqual({ undecryptable, unknown_queries, failures }, { undecryptable: 0, unknown_queries: [], failures: [] })
})
