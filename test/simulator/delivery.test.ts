import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import { startSimulator } from '../harness/network.ts'
import { type Client, connect, isReady, jidOf, login, pair, received } from './client.ts'

const PHONE = '491701234567'
const CONTACT = '4915112345678'
const SHOP = '4915112345679'
/** Number of a person whom only people with a token of this person may add to groups. */
const TRUSTING = '4915112345670'

let client: Client

const simulator = await startSimulator({ settings: { receipts: 'none' } })
simulator.control.createPhone({ phone: PHONE })
client = await pair(simulator, PHONE)

beforeEach(() => simulator.control.clearFaults())

after(async () => {
  await client.close()
  await simulator.stop()
})

const pending = () => {
  const phones = simulator.control.state().phones as { devices: { pending: number }[] }[]
  return phones[0]?.devices[0]?.pending
}
const settled = () => client.until(() => pending() === 0, 'everything acknowledged')

test('a message is settled once the client said it arrived', async () => {
  await simulator.control.sendFromContact(CONTACT, PHONE, { text: 'settled' })
  await received(client, 'settled')
  await settled()
})

test('what was delivered and not acknowledged comes again at the next login', async () => {
  await settled()
  simulator.control.addFault({ on: 'receipt', do: 'drop', times: 1 })
  const { id } = await simulator.control.sendFromContact(CONTACT, PHONE, { text: 'acknowledged in vain' })
  await received(client, 'acknowledged in vain')
  assert.equal(pending(), 1)
  await client.close()

  client = connect(simulator, client.auth)
  const again: { id: string | undefined; offline: string | undefined }[] = []
  client.socket.ws.on('CB:message', (stanza: { attrs: Record<string, string> }) => {
    again.push({ id: stanza.attrs.id, offline: stanza.attrs.offline })
  })
  await isReady(client)
  await settled()
  assert.deepEqual(again, [{ id, offline: '0' }])
})

test('a message that the client cannot read is sent again under the same id', async () => {
  simulator.control.addFault({ on: 'message', do: { corrupt: true }, times: 1 })
  const { id } = await simulator.control.sendFromContact(CONTACT, PHONE, { text: 'at the second try' })
  const message = await client.until(
    () =>
      client.messages.find((item) => item.key.id === id && item.message?.conversation === 'at the second try') ??
      (client.events['messages.update'] ?? []).flat().find(({ key, update }) => key.id === id && update.message?.conversation),
    'the content',
  )
  assert.equal(message.key.id, id)
  await settled()
})

test('a contact that lost its session asks again, and gets the message', async () => {
  await client.socket.sendMessage(jidOf(CONTACT), { text: 'before' })
  const { items } = await simulator.control.inbox(CONTACT, 0, 5_000)
  const last = items.at(-1)?.seq ?? 0
  simulator.control.loseSessions(CONTACT)
  await client.socket.sendMessage(jidOf(CONTACT), { text: 'after' })
  const later = await simulator.control.inbox(CONTACT, last, 10_000)
  assert.deepEqual(
    later.items.map(({ text, retries }) => ({ text, retries })),
    [{ text: 'after', retries: 1 }],
  )
  assert.equal(simulator.control.stats().undecryptable, 1)
})

test('a contact told to keep silent about what it cannot read does not ask again', async () => {
  simulator.control.updateContact(CONTACT, { retries: false })
  const last = (await simulator.control.inbox(CONTACT, 0, 0)).items.at(-1)?.seq ?? 0
  simulator.control.loseSessions(CONTACT)
  await client.socket.sendMessage(jidOf(CONTACT), { text: 'never read' })
  await client.until(() => simulator.control.stats().undecryptable === 2, 'the failure')
  simulator.control.updateContact(CONTACT, { retries: true })
  await client.socket.sendMessage(jidOf(CONTACT), { text: 'read after all' })
  const { items } = await simulator.control.inbox(CONTACT, last, 10_000)
  assert.deepEqual(
    items.map(({ text }) => text),
    ['read after all'],
  )
})

test('a sink takes messages unread and still reports them', async () => {
  const sink = '4915100000050'
  simulator.control.createContact(sink, { sink: true, receipts: 'delivered' })
  const sent = await client.socket.sendMessage(jidOf(sink), { text: 'into the sink' })
  await client.until(
    () =>
      client.messages.some((message) => message.key.id === sent?.key.id && message.status === 3) ||
      (client.events['messages.update'] ?? []).flat().some(({ key, update }) => key.id === sent?.key.id && update.status === 3),
    'delivered',
  )
  assert.deepEqual((await simulator.control.inbox(sink, 0, 0)).items, [])
})

test('a message can be made to be delivered twice', async () => {
  const seen: (string | undefined)[] = []
  client.socket.ws.on('CB:message', (stanza: { attrs: Record<string, string> }) => seen.push(stanza.attrs.id))
  simulator.control.addFault({ on: 'message', do: 'duplicate', times: 1 })
  const { id } = await simulator.control.sendFromContact(CONTACT, PHONE, { text: 'twice' })
  await client.until(() => seen.filter((item) => item === id).length >= 2, 'both copies')
  await settled()
})

test('after a cut in mid-burst everything arrives, at the latest with the next login', async () => {
  simulator.control.burst(CONTACT, { to: PHONE, count: 60, textPrefix: 'cut ', perSecond: 500 })
  await received(client, 'cut 20')
  simulator.control.cut(PHONE)
  assert.equal((await client.ended()).code, 428)
  const before = client.messages
  client = await login(simulator, client.auth)
  const texts = () => [...before, ...client.messages].map((message) => message.message?.conversation)
  await client.until(() => texts().includes('cut 60'), 'the last text')
})

/** Gives the person the token of the account. Resolves with the token that the person gives in return. */
async function exchangeTokens({ socket, until }: Client, phone: string): Promise<Uint8Array> {
  let given: Uint8Array | undefined
  socket.ws.on('CB:notification,type:privacy_token', (notice: BinaryNode) => {
    given = getBinaryNodeChild(getBinaryNodeChild(notice, 'tokens'), 'token')?.content as Uint8Array
  })
  const token = { tag: 'token', attrs: { jid: jidOf(phone), t: '1795360566', type: 'trusted_contact' } }
  const tokens = { tag: 'tokens', attrs: {}, content: [token] }
  await socket.query({ tag: 'iq', attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'privacy' }, content: [tokens] })
  return until(() => given, `the token of ${phone}`)
}

/** Adds a person to a group with a token. Resolves with the error code of the person; undefined if they were added. */
async function addWith({ socket }: Client, group: string, phone: string, token: Uint8Array): Promise<string | undefined> {
  const privacy = { tag: 'privacy', attrs: {}, content: Buffer.from(Buffer.from(token).toString('hex')) }
  const add = { tag: 'add', attrs: {}, content: [{ tag: 'participant', attrs: { jid: jidOf(phone) }, content: [privacy] }] }
  const answer = await socket.query({ tag: 'iq', attrs: { to: group, type: 'set', xmlns: 'w:g2' }, content: [add] })
  return getBinaryNodeChild(getBinaryNodeChild(answer, 'add'), 'participant')?.attrs.error
}

test('phones, keys, tokens, queue and trust root survive a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'simulator-'))
  const stateFile = join(folder, 'network.json')
  const options = { stateFile, settings: { receipts: 'none' as const } }
  let kept = await startSimulator(options)
  kept.control.createPhone({ phone: PHONE, name: 'Ada' })
  kept.control.createPhone({ phone: SHOP, platform: 'smba', verified_name: 'The Shop' })
  const groupId = kept.control.createGroup({ subject: 'Kept', owner: CONTACT, participants: [PHONE] }).id
  kept.control.createContact(TRUSTING, { group_add: 'contacts' })
  let ada = await pair(kept, PHONE)
  const token = await exchangeTokens(ada, TRUSTING)
  await kept.control.sendFromContact(CONTACT, PHONE, { text: 'one' })
  await kept.control.sendFromContact(CONTACT, groupId, { text: 'group one' })
  await received(ada, 'group one')
  await ada.socket.sendMessage(jidOf(CONTACT), { text: 'reply' })
  const before = (await kept.control.inbox(CONTACT, 0, 5_000)).items
  assert.equal(before.at(-1)?.text, 'reply')
  await ada.close()
  await kept.control.sendFromContact(CONTACT, PHONE, { text: 'two' })
  await kept.stop()

  const root = kept.root
  kept = await startSimulator(options)
  assert.equal(kept.root, root)
  // An earlier bug: after a restart, the numbers of the inbox began at 1 again, so a reader that waited for higher
  // numbers waited forever.
  assert.deepEqual((await kept.control.inbox(CONTACT, 0, 0)).items, before)
  ada = await login(kept, ada.auth)
  await received(ada, 'two')
  await kept.control.sendFromContact(CONTACT, PHONE, { text: 'three' })
  await received(ada, 'three')
  await kept.control.sendFromContact(CONTACT, groupId, { text: 'group two' })
  await received(ada, 'group two')
  const own = await ada.socket.groupCreate('Own', [])
  assert.equal(await addWith(ada, own.id, TRUSTING, Buffer.from(token).reverse()), '403')
  assert.equal(await addWith(ada, own.id, TRUSTING, token), undefined)
  await ada.socket.sendMessage(jidOf(CONTACT), { text: 'still there' })
  const { seq } = before.at(-1)!
  const later = (await kept.control.inbox(CONTACT, seq, 5_000)).items
  assert.deepEqual(
    later.map((item) => [item.seq - seq, item.text]),
    [[1, 'still there']],
  )
  assert.deepEqual([kept.control.stats().undecryptable, kept.control.failures()], [0, []])
  await ada.close()
  await kept.stop()
  const { people } = JSON.parse(await readFile(stateFile, 'utf8')) as { people: { number: string; verifiedName?: string }[] }
  assert.equal(people.find(({ number }) => number === SHOP)?.verifiedName, 'The Shop')
  await rm(folder, { recursive: true })
})

test('a change after the stop is not written, and not tried again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'simulator-'))
  const warnings: string[] = []
  const stopped = await startSimulator({ stateFile: join(folder, 'network.json'), warn: (sentence) => warnings.push(sentence) })
  await stopped.stop()
  await rm(folder, { recursive: true })
  stopped.control.createPhone({ phone: PHONE })
  // The simulator writes a change to disk after a delay. This pause is longer than the delay.
  await pause(500)
  assert.deepEqual(warnings, [])
})

test('nothing unknown was asked', () => {
  assert.deepEqual(simulator.control.stats().unknown_queries, [])
})
