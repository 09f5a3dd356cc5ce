/**
 * Tests the library with all corrections of this service, and with its repository and its keys, against the simulated
 * network. The contacts of this network use JavaScript libsignal.
 */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import '../../harness/library-deadlines.ts'
import '../../../workers/shard/baileys/thread/first.ts'
import '../../../workers/shard/baileys/thread/curve.ts'
import { type AuthenticationCreds, generateMessageIDV2, makeWASocket, type WASocket } from '@whiskeysockets/baileys'
import { adoptSocket, endReason, endSocket, liveSockets } from '../../../workers/shard/baileys/end.ts'
import { readInbound } from '../../../workers/shard/baileys/frames/inbound.ts'
import { libraryLogger } from '../../../workers/shard/baileys/logger.ts'
import { guardListeners } from '../../../workers/shard/baileys/thread/rejections.ts'
import { configureTrust } from '../../../workers/shard/baileys/thread/trust.ts'
import { watchConnection } from '../../../workers/shard/baileys/watchdog.ts'
import { createAcks } from '../../../workers/shard/connection/socket/acks.ts'
import { type Simulator, startSimulator } from '../../harness/network.ts'
import { type Disk, type Gateway, log, openDisk, openGateway, slowly } from '../keys/signal/gateway.ts'

let disk: Disk
let network: Simulator
before(async () => {
  disk = await openDisk()
  network = await startSimulator({ settings: { auto_contacts: true, receipts: 'none' } })
})
after(async () => {
  await network.stop()
  await Promise.all(saves)
  // After its sockets have ended, the library still finishes some reads. The test waits for them.
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  await disk.close()
})

const PHONE = '4915711111111'
const CONTACT = '4915722222222'
const CONTACT_JID = `${CONTACT}@s.whatsapp.net`

let count = 0
const sockets: WASocket[] = []
const saves: Promise<void>[] = []
afterEach(async () => {
  for (const sock of sockets.splice(0)) await endSocket(sock, undefined, 'abrupt')
  network.control.clearFaults()
  configureTrust({ root: Buffer.from(network.root, 'base64'), verify: 'strict', now: () => Date.now() })
})

const newGateway = () => openGateway({ store: slowly(disk.store), instanceId: `net${++count}`, preKeys: 0 })

const stalled: Error[] = []

function connect(gateway: Gateway, creds: AuthenticationCreds = gateway.creds): WASocket {
  const sock = makeWASocket({
    waWebSocketUrl: network.url,
    auth: gateway.auth.forSocket(creds),
    logger: libraryLogger(log),
    makeSignalRepository: () => gateway.openRepository(),
  })
  sockets.push(sock)
  adoptSocket(sock)
  const onStalled = (error: Error) => {
    stalled.push(error)
    void endSocket(sock, endReason('stalled', 428), 'abrupt')
  }
  guardListeners(sock, { onStalled, onStray: () => {} })
  readInbound(sock, { onStalled })
  const { answered } = watchConnection(sock, { onError: () => {} })
  for (const event of ['CB:success', 'CB:iq,type:set,pair-device']) sock.ws.on(event, answered)
  sock.ev.on('creds.update', () => saves.push(gateway.auth.saveCreds(creds)))
  return sock
}

type Update = Parameters<Parameters<typeof connectionUpdates>[1]>[0]
function connectionUpdates(
  sock: WASocket,
  listener: (update: Partial<import('@whiskeysockets/baileys').ConnectionState>) => void,
) {
  sock.ev.on('connection.update', listener)
}

function until(sock: WASocket, wanted: (update: Update) => boolean): Promise<Update> {
  return new Promise((resolve, reject) => {
    connectionUpdates(sock, (update) => {
      if (wanted(update)) resolve(update)
      else if (update.connection === 'close') reject(update.lastDisconnect?.error)
    })
  })
}

const codeOf = (update: Update) =>
  (update.lastDisconnect?.error as { output?: { statusCode?: number } } | undefined)?.output?.statusCode

/** Scans the first code and completes the restart of the connection. Resolves with the open socket. */
async function link(gateway: Gateway, phone: string): Promise<WASocket> {
  network.control.createPhone({ phone })
  const pairing = connect(gateway)
  const { qr } = await until(pairing, ({ qr }) => qr !== undefined)
  const restart = until(pairing, ({ connection }) => connection === 'close')
  await network.control.scan(phone, qr!)
  assert.equal(codeOf(await restart), 515)
  await gateway.auth.saveCreds(gateway.creds)
  const sock = connect(gateway)
  await until(sock, ({ connection }) => connection === 'open')
  return sock
}

async function send(sock: WASocket, text: string) {
  const messageId = generateMessageIDV2(sock.user?.id)
  const acks = createAcks()
  const ack = acks.expect(messageId, CONTACT_JID)
  sock.ws.on('CB:ack', acks.came)
  await sock.sendMessage(CONTACT_JID, { text }, { messageId })
  return ack.within(10_000).finally(() => sock.ws.off('CB:ack', acks.came))
}

function textsReceived(sock: WASocket, wanted: number): Promise<string[]> {
  const texts: string[] = []
  return new Promise((resolve) => {
    sock.ev.on('messages.upsert', ({ messages }) => {
      for (const { key, message } of messages) {
        const text = message?.conversation ?? message?.extendedTextMessage?.text
        if (!key.fromMe && text) texts.push(text)
      }
      if (texts.length >= wanted) resolve(texts)
    })
  })
}

let linked: Gateway

test('a device is linked, and 80 of 80 texts are read on each side with a slow store and traffic both ways', async () => {
  configureTrust({ root: Buffer.from(network.root, 'base64'), verify: 'strict', now: () => Date.now() })
  linked = await newGateway()
  const sock = await link(linked, PHONE)
  assert.deepEqual(await send(sock, 'out first'), { ok: true })
  const received = textsReceived(sock, 80)
  const sent = []
  for (let n = 0; n < 80; n++) {
    sent.push(send(sock, `out ${n}`))
    await network.control.sendFromContact(CONTACT, PHONE, { text: `in ${n}` })
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
  }
  const outcomes = await Promise.all(sent)
  assert.ok(outcomes.every((outcome) => typeof outcome === 'object' && outcome.ok))
  assert.deepEqual((await received).toSorted(), Array.from({ length: 80 }, (_, n) => `in ${n}`).toSorted())
  const { items } = await network.control.inbox(CONTACT, 0, 0)
  assert.equal(items.filter(({ text }) => text?.startsWith('out ')).length, 81)
  assert.equal(network.control.stats().undecryptable, 0)
  assert.deepEqual(network.control.stats().unknown_queries, [])
})

test('a linked device logs in again from the disk', async () => {
  const again = await openGateway({ store: disk.store, instanceId: linked.keys.instanceId, preKeys: 0 })
  const sock = connect(again)
  await until(sock, ({ connection }) => connection === 'open')
  assert.deepEqual(await send(sock, 'after a restart'), { ok: true })
  const received = textsReceived(sock, 1)
  await network.control.sendFromContact(CONTACT, PHONE, { text: 'welcome back' })
  assert.deepEqual(await received, ['welcome back'])
  assert.equal(network.control.stats().undecryptable, 0)
})

for (const what of ['root', 'leaf'] as const) {
  test(`a forged ${what} is refused at the handshake, and with warn it is only logged`, async () => {
    network.control.forge(what)
    const gateway = await newGateway()
    await assert.rejects(
      until(connect(gateway), ({ qr }) => qr !== undefined),
      /noise (intermediate )?certificate signature invalid/,
    )
    network.control.forge(what)
    const problems: string[] = []
    configureTrust({
      root: Buffer.from(network.root, 'base64'),
      verify: 'warn',
      now: () => Date.now(),
      log: (problem) => problems.push(problem),
    })
    await until(connect(gateway), ({ qr }) => qr !== undefined)
    assert.ok(problems.length > 0)
  })
}

test('a root other than the trusted one is refused', async () => {
  configureTrust({ verify: 'strict', now: () => Date.now() })
  await assert.rejects(
    until(connect(await newGateway()), ({ qr }) => qr !== undefined),
    /noise intermediate certificate signature invalid/,
  )
})

test('a forged account signature is refused at linking', async () => {
  const phone = '4915733333333'
  network.control.createPhone({ phone })
  network.control.forge('account_signature')
  const sock = connect(await newGateway())
  const { qr } = await until(sock, ({ qr }) => qr !== undefined)
  const end = until(sock, ({ connection }) => connection === 'close')
  await network.control.scan(phone, qr!).catch(() => {})
  assert.match(String((await end).lastDisconnect?.error?.message), /Failed to verify account signature/)
})

test('an HTTP error in place of the connection, and a frame that cannot be opened, end the socket', async () => {
  const again = await openGateway({ store: disk.store, instanceId: linked.keys.instanceId, preKeys: 0 })
  network.control.addFault({ on: 'connect', do: { http_status: 503 }, times: 1 })
  const refused = await until(connect(again), ({ connection }) => connection === 'close')
  assert.equal(refused.lastDisconnect?.error?.message, 'HTTP 503 in place of the connection')

  const sock = connect(again)
  await until(sock, ({ connection }) => connection === 'open')
  network.control.addFault({ on: 'query', do: { corrupt: true }, times: 1 })
  const end = until(sock, ({ connection }) => connection === 'close')
  // The network answers this query with a frame that cannot be decrypted.
  sock.fetchBlocklist().catch(() => {})
  assert.equal((await end).lastDisconnect?.error?.message, 'stalled')
  assert.equal(stalled.length, 1)
})

test('no socket is left behind', async () => {
  assert.equal(liveSockets(), 0)
})
