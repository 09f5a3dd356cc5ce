import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys'
import pino from 'pino'
import { closedBy } from '../../../workers/shard/connection/disconnect.ts'
import { finishRegistration } from '../../../workers/shard/connection/pairing/companion-registration.ts'
import { requestCode } from '../../../workers/shard/connection/pairing/pairing-code.ts'
import { BROWSER } from '../../../workers/shard/network/device.ts'
import { endReason } from '../../../workers/shard/network/end-reason.ts'
import { createLoginCounts } from '../../../workers/shard/network/login/login-counts.ts'
import { type NetworkSocket, openNetworkSocket } from '../../../workers/shard/network/network-socket.ts'
import type { Trust } from '../../../workers/shard/network/noise/server-certificates.ts'
import { createQrClock } from '../../../workers/shard/network/qr-clock.ts'
import { watchConnection } from '../../../workers/shard/network/watchdog.ts'
import { blocklistQuery } from '../../../workers/shard/wire/blocklist.ts'
import { refsIn } from '../../../workers/shard/wire/pair-device.ts'
import { type Simulator, startSimulator } from '../../harness/network.ts'
import { type Disk, type Gateway, log, openDisk, openGateway, slowly } from '../keys/signal/gateway.ts'
import { closed } from './loopback.ts'

let disk: Disk
let network: Simulator
before(async () => {
  disk = await openDisk()
  network = await startSimulator({ settings: { auto_contacts: true, receipts: 'none' } })
})
after(async () => {
  await network.stop()
  await Promise.all(saves)
  await disk.close()
})

const PHONE = '4915711111111'

let count = 0
const sockets: NetworkSocket[] = []
const saves: Promise<void>[] = []
const stalled: Error[] = []
afterEach(async () => {
  for (const sock of sockets.splice(0)) await sock.end(undefined, 'abrupt')
  network.control.clearFaults()
})

const newGateway = () => openGateway({ store: slowly(disk.store), instanceId: `net${++count}`, preKeys: 0 })
const trust = (verify: Trust['verify'] = 'strict', problems: string[] = []): Trust => ({
  root: Buffer.from(network.root, 'base64'),
  verify,
  now: Date.now,
  log: (problem) => void problems.push(problem),
})

/** Returns a log that adds each warning, and the error in it, to `warnings`. */
const warningsTo = (warnings: string[][]) =>
  pino(
    { level: 'warn' },
    {
      write(line: string) {
        const { msg, err } = JSON.parse(line) as { msg: string; err?: { message: string } }
        warnings.push([msg, err?.message ?? ''])
      },
    },
  )

/**
 * Opens a connection. `code` resolves with the text of the first QR code, or rejects if the socket ends before there is
 * one.
 */
function connect(gateway: Gateway, trusted = trust(), logger = log) {
  const { creds } = gateway
  const sock: NetworkSocket = openNetworkSocket({
    url: network.url,
    version: [2, 3000, 1],
    loginCounts: createLoginCounts(),
    trust: trusted,
    auth: gateway.auth.forSocket(creds),
    makeSignalRepository: () => gateway.openRepository(),
    saved: async () => {},
    onStalled(error) {
      stalled.push(error)
      void sock.end(endReason('stalled', 428), 'abrupt')
    },
    onStray: () => {},
    log: logger as never,
  })
  sockets.push(sock)
  const { answered } = watchConnection(sock, { onError: () => {} })
  const end = closed(sock)
  const code = new Promise<string>((resolve, reject) => {
    const clock = createQrClock(sock, { now: Date.now, browser: BROWSER, onCode: resolve, onReplaced() {}, onOver() {} })
    sock.ws.on('frame', (node: BinaryNode) => {
      if (node.tag === 'success') answered()
      if (!getBinaryNodeChild(node, 'pair-device')) return
      answered()
      clock.offered(refsIn(node))
    })
    end.then(reject)
  })
  code.catch(() => {})
  const open = new Promise<void>((resolve, reject) => {
    sock.ev.on('connection.update', ({ connection }) => {
      if (connection === 'open') resolve()
    })
    end.then(reject)
  })
  open.catch(() => {})
  sock.ev.on('creds.update', () => saves.push(gateway.auth.saveCreds(creds)))
  return { sock, end, code, open }
}

/** Makes the phone scan the first code. Resolves with the connection after the pairing. */
async function link(gateway: Gateway, phone: string): Promise<NetworkSocket> {
  network.control.createPhone({ phone })
  const pairing = connect(gateway)
  await network.control.scan(phone, await pairing.code)
  assert.equal(closedBy(await pairing.end).code, 515)
  await gateway.auth.saveCreds(gateway.creds)
  const { sock, open } = connect(gateway)
  await open
  return sock
}

let linked: Gateway

test('a device is linked and has its keys on the network, and logs in again from the disk', async () => {
  linked = await newGateway()
  const sock = await link(linked, PHONE)
  assert.ok(sock.authState.creds.me?.lid)
  assert.equal(sock.authState.creds.nextPreKeyId, 813)
  assert.ok(await linked.keys.get('pre-key', '812'))
  await Promise.all([sock.uploadPreKeys(), sock.uploadPreKeys()])
  assert.equal(sock.authState.creds.nextPreKeyId, 818, 'two callers at the same time share one upload')
  await Promise.all(saves)
  const again = await openGateway({ store: disk.store, instanceId: linked.keys.instanceId, preKeys: 0 })
  const second = connect(again)
  await second.open
  assert.equal((await second.sock.query(blocklistQuery())).attrs.type, 'result')
  assert.equal(again.creds.nextPreKeyId, 818, 'the network has enough keys')
  assert.deepEqual(network.control.stats().unknown_queries, [])
})

test('a new name is announced once, and a change without a name is only kept', async () => {
  const again = await openGateway({ store: disk.store, instanceId: linked.keys.instanceId, preKeys: 0 })
  const { sock, open } = connect(again)
  await open
  const { id } = network.control.expect({ from: 'client', tag: 'presence' }, 1)
  const { creds } = sock.authState
  sock.ev.emit('creds.update', { myAppStateKeyId: 'k' })
  sock.ev.emit('creds.update', { me: { ...creds.me!, lid: creds.me!.lid! } })
  sock.ev.emit('creds.update', { me: { ...creds.me!, name: 'After' } })
  const { items } = await network.control.expected(id, 10_000)
  assert.deepEqual(
    items.map(({ node: [, attrs] }) => attrs),
    [{ name: 'After' }],
  )
  assert.deepEqual([creds.myAppStateKeyId, creds.me!.name], ['k', 'After'])
})

for (const what of ['root', 'leaf'] as const) {
  test(`a forged ${what} is refused at the handshake, and with warn it is only logged`, async () => {
    network.control.forge(what)
    const gateway = await newGateway()
    const warnings: string[][] = []
    const refused = connect(gateway, trust(), warningsTo(warnings))
    await assert.rejects(refused.code, /certificate is (not signed by the trusted root|for another server)/)
    assert.deepEqual(warnings, [['the handshake with the network failed', (await refused.end)?.message]])
    network.control.forge(what)
    const problems: string[] = []
    await connect(gateway, trust('warn', problems)).code
    assert.ok(problems.length > 0)
  })
}

test('a root other than the trusted one is refused', async () => {
  const trusted = { ...trust(), root: undefined }
  await assert.rejects(connect(await newGateway(), trusted).code, /certificate is not signed by the trusted root/)
})

test('a forged account signature is refused at linking, and logged once', async () => {
  const phone = '4915733333333'
  network.control.createPhone({ phone })
  network.control.forge('account_signature')
  const warnings: string[][] = []
  const { code, end } = connect(await newGateway(), trust(), warningsTo(warnings))
  await network.control.scan(phone, await code).catch(() => {})
  const reason = String((await end)?.message)
  assert.match(reason, /is not signed by its account/)
  assert.deepEqual(warnings, [['the pairing could not be completed', reason]])
})

describe('a pairing code', () => {
  const waiting = async () => {
    const phone = `49157444444${++count}`
    network.control.createPhone({ phone })
    const gateway = await newGateway()
    const { sock, code } = connect(gateway)
    await code
    return { sock, phone, ended: new AbortController() }
  }

  test('is entered on the phone, which then links the device', async () => {
    const { sock, phone, ended } = await waiting()
    const linked = new Promise((resolve) => {
      sock.ev.on('connection.update', ({ isNewLogin }) => isNewLogin && resolve(undefined))
    })
    const code = await requestCode({ sock, ended: ended.signal }, phone)
    assert.match(code, /^[1-9A-HJ-NP-TV-Z]{8}$/)
    assert.deepEqual([sock.authState.creds.pairingCode, sock.authState.creds.me?.id], [code, `${phone}@s.whatsapp.net`])
    sock.ws.on('frame', (node: BinaryNode) => {
      if (node.tag === 'notification') void finishRegistration(sock, node)
    })
    await network.control.enterCode(phone, code)
    await linked
  })

  test('that the network refuses is not given out', async () => {
    const { sock, phone, ended } = await waiting()
    network.control.addFault({
      on: 'query',
      match: { child: 'link_code_companion_reg' },
      do: { query_error: [429, 'rate-overlimit'] },
      times: 1,
    })
    await assert.rejects(requestCode({ sock, ended: ended.signal }, phone), {
      code: 'action_failed',
      details: { network_code: 429 },
    })
  })

  test('that the network does not answer in time is given out', async () => {
    const { sock, phone, ended } = await waiting()
    network.control.addFault({ on: 'query', match: { child: 'link_code_companion_reg' }, do: 'drop', times: 1 })
    const hurried = { ...sock, query: (node: BinaryNode) => sock.query(node, 50) }
    assert.equal(await requestCode({ sock: hurried, ended: ended.signal }, phone), sock.authState.creds.pairingCode)
  })

  test('whose socket ends in the meantime is not given out', async () => {
    const { sock, phone, ended } = await waiting()
    network.control.addFault({ on: 'query', match: { child: 'link_code_companion_reg' }, do: 'drop', times: 1 })
    const refused = assert.rejects(requestCode({ sock, ended: ended.signal }, phone), { code: 'instance_not_connected' })
    ended.abort()
    await refused
    const { sock: cut, phone: other, ended: never } = await waiting()
    await cut.end(undefined, 'abrupt')
    await assert.rejects(requestCode({ sock: cut, ended: never.signal }, other), { code: 'instance_not_connected' })
  })
})

test('an HTTP error in place of the connection, and a frame that cannot be opened, end the socket', async () => {
  const again = await openGateway({ store: disk.store, instanceId: linked.keys.instanceId, preKeys: 0 })
  network.control.addFault({ on: 'connect', do: { http_status: 503 }, times: 1 })
  assert.equal((await connect(again).end)?.message, 'HTTP 503 in place of the connection')

  const { sock, open, end } = connect(again)
  await open
  network.control.addFault({ on: 'query', do: { corrupt: true }, times: 1 })
  // The network answers this query with a frame that cannot be decrypted.
  await assert.rejects(sock.query(blocklistQuery()), /Connection Closed/)
  assert.equal((await end)?.message, 'stalled')
  assert.equal(stalled.length, 1)
})
