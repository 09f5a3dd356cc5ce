import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type BinaryNode, DisconnectReason, initAuthCreds } from '@whiskeysockets/baileys'
import pino from 'pino'
import { closedBy } from '../../../workers/shard/connection/disconnect.ts'
import { watchCompanionRefresh } from '../../../workers/shard/network/companion-refresh.ts'
import { endOf, endReason } from '../../../workers/shard/network/end-reason.ts'
import { createLoginCounts } from '../../../workers/shard/network/login/login-counts.ts'
import type { NetworkSocket } from '../../../workers/shard/network/network-socket.ts'
import { createQueries, QueryRefused } from '../../../workers/shard/network/queries.ts'
import { openTransport } from '../../../workers/shard/network/transport.ts'
import { watchConnection } from '../../../workers/shard/network/watchdog.ts'
import { answerHandshake, closed, isOpen, listen, openSocket, type Server } from './loopback.ts'

let silent: Server
before(async () => {
  silent = await listen()
})
after(() => silent.close())

const opened: NetworkSocket[] = []
afterEach(async () => {
  for (const sock of opened.splice(0)) await sock.end(undefined, 'abrupt')
})

function open(url = silent.url, creds = initAuthCreds()): NetworkSocket {
  const sock = openSocket(url, creds)
  opened.push(sock)
  return sock
}

const forever = 60_000
const fail = (error: unknown) => assert.fail(String(error))

const QUERY: BinaryNode = { tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'x' } }

/** Opens a socket and completes its handshake. After that the server answers nothing. */
async function openAsking() {
  const connected = silent.connected()
  const sock = open()
  const peer = await connected
  await answerHandshake(peer)
  return { sock, peer }
}

test('a query without an answer is send_timeout, and gets an id of its own', async () => {
  const { sock } = await openAsking()
  await assert.rejects(sock.query(QUERY, 20), { code: 'send_timeout' })
  assert.deepEqual(QUERY.attrs, { to: '@s.whatsapp.net', type: 'get', xmlns: 'x' })
  assert.notEqual(sock.generateMessageTag(), sock.generateMessageTag())
})

test('a query that is pending when the connection ends fails at once, with an Error, and so does a later one', async () => {
  const { sock: ending } = await openAsking()
  const refused = assert.rejects(ending.query(QUERY, forever), /Connection Closed/)
  const end = ending.end(undefined, 'abrupt')
  await refused
  await end
  await assert.rejects(ending.query(QUERY, forever), /Connection Closed/)

  const { sock: cut, peer } = await openAsking()
  const alsoRefused = assert.rejects(cut.query(QUERY, forever), /Connection Closed/)
  peer.terminate()
  await alsoRefused
})

test('a stanza is refused until the handshake has ended, and nothing of it is sent', async () => {
  const connected = silent.connected()
  const sock = open()
  const peer = await connected
  const handshake = answerHandshake(peer)
  await isOpen(sock)
  await assert.rejects(sock.sendNode(QUERY), { code: 'instance_not_connected' })
  await assert.rejects(sock.query(QUERY, forever), { code: 'instance_not_connected' })
  const { later } = await handshake
  assert.equal(later(), 0)
  await sock.sendNode(QUERY)
})

test('a connection that ends before the hello of the network ends the handshake, and nothing is logged', async () => {
  const failed = new Promise((resolve) => {
    const transport = openTransport({
      url: silent.url,
      version: [2, 3000, 1],
      creds: initAuthCreds(),
      loginCounts: createLoginCounts(),
      trust: { verify: 'strict', now: Date.now, log: fail },
      onNode: fail,
      onBroken: fail,
      onFailed: resolve,
    })
    transport.ws.on('open', () => void transport.close())
  })
  assert.match(String(await failed), /Connection Closed/)

  const lines: string[] = []
  const sock = openSocket(silent.url, initAuthCreds(), {
    log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
  })
  opened.push(sock)
  await isOpen(sock)
  await sock.end()
  assert.deepEqual(lines, [])
})

test('a listener of the end that throws does not keep the others from it', async () => {
  const thrown: unknown[] = []
  const sock = openSocket(silent.url, initAuthCreds(), { onStray: (error) => void thrown.push(error) })
  opened.push(sock)
  sock.ev.on('connection.update', () => {
    throw new Error('a listener failed')
  })
  const gone = closed(sock)
  await sock.end(endReason('enough', 428))
  assert.equal((await gone)?.message, 'enough')
  assert.match(String(thrown), /a listener failed/)
})

test('a change of the credentials after the end of the socket is still reported, so that it is saved', async () => {
  const sock = open()
  const saved: unknown[] = []
  sock.ev.on('creds.update', (update) => saved.push(update))
  await sock.end()
  sock.ev.emit('creds.update', { accountSyncCounter: 1 })
  assert.deepEqual(saved, [{ accountSyncCounter: 1 }])
  assert.equal(sock.authState.creds.accountSyncCounter, 1)
})

test('an answer is passed on by its id, and a refusal with its code and the name of the field', async () => {
  const queries = createQueries({ send: async () => {}, tag: () => 'made' })
  const answer = queries.query({ ...QUERY, attrs: { ...QUERY.attrs, id: 'q1' } }, forever)
  const refusal = queries.query(QUERY, forever)
  queries.came({ tag: 'iq', attrs: { id: 'other', type: 'result' } })
  queries.came({ tag: 'message', attrs: {} })
  queries.came({ tag: 'iq', attrs: { id: 'q1', type: 'result' } })
  queries.came({ tag: 'iq', attrs: { id: 'q1', type: 'result' } })
  assert.deepEqual(await answer, { tag: 'iq', attrs: { id: 'q1', type: 'result' } })
  const field = { tag: 'field', attrs: { name: 'subject' } }
  const error = { tag: 'error', attrs: { code: '406', text: 'not-acceptable' }, content: [field] }
  queries.came({ tag: 'iq', attrs: { id: 'made', type: 'error' }, content: [error] })
  await assert.rejects(refusal, (thrown) => {
    assert.ok(thrown instanceof QueryRefused)
    assert.deepEqual([thrown.message, thrown.data, thrown.refusedField], ['not-acceptable', 406, 'subject'])
    return true
  })
})

test('a query that cannot be written fails with the error of the write', async () => {
  const broken = createQueries({ send: () => Promise.reject(new Error('write EPIPE')), tag: () => 'made' })
  await assert.rejects(broken.query(QUERY, forever), /EPIPE/)
})

test('a change of the credentials is in them when others hear of it', async () => {
  const creds = { ...initAuthCreds(), me: { id: '1:1@s.whatsapp.net', name: 'Ana' } }
  const sock = open(silent.url, creds)
  const seen: unknown[] = []
  sock.ev.on('creds.update', () => seen.push([creds.myAppStateKeyId, creds.me.name]))
  sock.ev.emit('creds.update', { myAppStateKeyId: 'k' })
  sock.ev.emit('creds.update', { me: { id: '1:1@s.whatsapp.net', name: 'Bea' } })
  assert.deepEqual(seen, [
    ['k', 'Ana'],
    ['k', 'Bea'],
  ])
})

for (const [node, code, message] of [
  [{ tag: 'failure', attrs: { reason: '405' } }, 405, 'Connection Failure'],
  [{ tag: 'failure', attrs: {} }, 500, 'Connection Failure'],
  [{ tag: 'stream:error', attrs: { code: '515' } }, 515, 'Stream Errored (restart required)'],
  [
    { tag: 'stream:error', attrs: {}, content: [{ tag: 'conflict', attrs: { type: 'replaced' } }] },
    440,
    'Stream Errored (conflict)',
  ],
  [{ tag: 'xmlstreamend', attrs: {} }, 428, 'Connection Terminated by Server'],
  [{ tag: 'ib', attrs: {}, content: [{ tag: 'downgrade_webclient', attrs: {} }] }, 411, 'Multi-device beta not joined'],
] as const)
  test(`the network ends a connection: ${code} ${message}`, () => {
    const reason = closedBy(endOf(node as unknown as BinaryNode))
    assert.deepEqual([reason.code, reason.message], [code, message])
  })

test('other stanzas end no connection', () => {
  for (const tag of ['success', 'message', 'ib', 'iq']) assert.equal(endOf({ tag, attrs: {} }), undefined)
})

test('an HTTP error in place of the upgrade closes the socket', async () => {
  const server = await listen((_, socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n'))
  const sock = open(server.url)
  watchConnection(sock, { onError: fail })
  const error = (await closed(sock)) as Error & { output: { statusCode: number }; data: object }
  assert.equal(error.message, 'HTTP 503 in place of the connection')
  assert.equal(error.output.statusCode, DisconnectReason.connectionLost)
  assert.deepEqual(error.data, { watchdog: 'http', status: 503 })
  await server.close()
})

test('a server that takes the connection and says nothing more is given up', async () => {
  const sock = open()
  watchConnection(sock, { deadlineMs: 50, onError: fail })
  const error = (await closed(sock)) as Error & { data: object }
  assert.deepEqual(error.data, { watchdog: 'no_success' })
})

test('the watchdog is over with the answer to the login', async () => {
  const sock = open()
  let ended = false
  sock.ev.on('connection.update', ({ connection }) => {
    if (connection === 'close') ended = true
  })
  watchConnection(sock, { deadlineMs: 20, onError: fail }).answered()
  await new Promise((resolve) => setTimeout(resolve, 60))
  assert.equal(ended, false)
})

test('a socket that has ended keeps no listener, whoever ends it, and an error after the end has no effect', async () => {
  const server = await listen()
  const connection = server.connected()
  const theirs = open(server.url)
  const gone = closed(theirs)
  const peer = await connection
  await isOpen(theirs)
  peer.close()
  await gone
  const ours = open()
  await ours.end(endReason('enough', 428))
  await ours.end()
  for (const sock of [ours, theirs]) {
    assert.deepEqual(sock.ws.eventNames(), ['error'])
    assert.equal(sock.ev.listenerCount('connection.update'), 0)
    assert.equal(sock.ws.emit('error', new Error('late')), true)
  }
  await server.close()
})

test('a retired secret is replaced in the credentials, which are saved, and the codes to scan are told', async () => {
  const sock = open()
  await isOpen(sock)
  let told = 0
  const { creds } = sock.authState
  const companion = watchCompanionRefresh(sock, () => told++)
  const first = creds.advSecretKey
  const saved: unknown[] = []
  sock.ev.on('creds.update', (update) => saved.push(update.advSecretKey))
  companion.refresh()
  assert.notEqual(creds.advSecretKey, first)
  assert.equal(Buffer.from(creds.advSecretKey, 'base64').length, 32)
  assert.deepEqual([saved, told], [[creds.advSecretKey], 1])
})

test('the secret of a linked device, and of a code that was entered, stays', async () => {
  for (const settled of [{ account: { details: Buffer.of(1) } }, { registered: true }]) {
    const sock = open(silent.url, { ...initAuthCreds(), ...settled, me: { id: '1:1@s.whatsapp.net', name: 'x' } })
    const before = sock.authState.creds.advSecretKey
    watchCompanionRefresh(sock, () => assert.fail()).refresh()
    assert.equal(sock.authState.creds.advSecretKey, before)
  }
})
