/** Tests the corrections that each socket gets, over a real socket of the library. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { Browsers, DisconnectReason, initAuthCreds, type WASocket } from '@whiskeysockets/baileys'
import '../../../workers/shard/baileys/thread/first.ts'
import { watchCompanionRefresh } from '../../../workers/shard/baileys/companion-refresh.ts'
import { adoptSocket, endReason, endSocket, liveSockets } from '../../../workers/shard/baileys/end.ts'
import { createQrClock } from '../../../workers/shard/baileys/qr-clock.ts'
import { bounded, boundedQuery, withDeadline } from '../../../workers/shard/baileys/query.ts'
import { watchConnection } from '../../../workers/shard/baileys/watchdog.ts'
import { closed, listen, openSocket, type Server } from './loopback.ts'

let silent: Server
before(async () => {
  silent = await listen()
})
after(() => silent.close())

const opened: WASocket[] = []
afterEach(async () => {
  for (const sock of opened.splice(0)) await endSocket(sock, undefined, 'abrupt')
})

function open(url = silent.url, creds = initAuthCreds()): WASocket {
  const sock = openSocket(url, creds)
  opened.push(sock)
  adoptSocket(sock)
  return sock
}

const isOpen = (sock: WASocket) => sock.waitForSocketOpen()
const forever = 60_000
const fail = (error: unknown) => assert.fail(String(error))

test('a query without an answer is send_timeout, not an empty result', async () => {
  const sock = open()
  await isOpen(sock)
  await assert.rejects(boundedQuery(sock, { tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'x' } }, 20), {
    code: 'send_timeout',
  })
  await assert.rejects(
    bounded(forever, async () => undefined),
    { code: 'send_timeout' },
  )
  assert.equal(await withDeadline(forever, async () => undefined), undefined)
})

test('a query that is pending when the connection ends fails at once, with an Error', async () => {
  const ending = open()
  await isOpen(ending)
  const query = { tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'x' } }
  const pending = boundedQuery(ending, { ...query, attrs: { ...query.attrs } }, forever)
  const refused = assert.rejects(pending, Error)
  await endSocket(ending, undefined, 'abrupt')
  await refused

  const server = await listen()
  const connection = server.connected()
  const cut = open(server.url)
  const peer = await connection
  await isOpen(cut)
  const alsoRefused = assert.rejects(boundedQuery(cut, { ...query, attrs: { ...query.attrs } }, forever), Error)
  peer.terminate()
  await alsoRefused
  await server.close()
})

test('an answer is handed on', async () => {
  const sock = open()
  await isOpen(sock)
  const answer = boundedQuery(sock, { tag: 'iq', attrs: { id: 'q1', to: '@s.whatsapp.net', type: 'get', xmlns: 'x' } }, forever)
  await new Promise((resolve) => setImmediate(resolve))
  sock.ws.emit('TAG:q1', { tag: 'iq', attrs: { id: 'q1', type: 'result' } })
  assert.equal((await answer).attrs.type, 'result')
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

test('a socket is counted until it ends, whoever ends it, and leaves no listener', async () => {
  const base = liveSockets()
  const ours = open()
  const theirs = open()
  assert.equal(liveSockets(), base + 2)
  await endSocket(ours, endReason('enough', 428))
  await endSocket(ours, undefined)
  await theirs.end(undefined)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(liveSockets(), base)
  assert.deepEqual(ours.ws.eventNames(), ['error'])
  assert.equal(ours.ws.emit('error', new Error('late')), true)
})

test("the library's own listener for an offer of codes is removed, and the other listeners stay", () => {
  const sock = open()
  createQrClock(sock, { now: Date.now, browser: Browsers.macOS('Chrome'), onCode: fail, onReplaced: fail, onOver: fail })
  assert.equal(sock.ws.listenerCount('CB:iq,type:set,pair-device'), 0)
  assert.ok(sock.ws.listenerCount('CB:success') > 0)
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
