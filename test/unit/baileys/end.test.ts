/** Tests how a connection ends if the server does not answer the close frame. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { after, before, test } from 'node:test'
import '../../../workers/shard/baileys/thread/first.ts'
import { adoptSocket, endReason, endSocket, liveSockets, rawSocket } from '../../../workers/shard/baileys/end.ts'
import { closed, listen, openSocket, type Server } from './loopback.ts'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const CLOSED = 3

let server: Server
const connections: Duplex[] = []
before(async () => {
  server = await listen(({ headers }, socket) => {
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${GUID}`).digest('base64')
    const answer = [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept}`,
    ]
    socket.write(`${answer.join('\r\n')}\r\n\r\n`)
    // The server reads everything and sends nothing. So it does not answer a close frame either.
    socket.on('error', () => {}).resume()
    connections.push(socket)
  })
})
after(async () => {
  for (const socket of connections) socket.destroy()
  await server.close()
})

test('a socket that the library is ending already is closed when the end resolves, though the server never answers', async () => {
  const sock = openSocket(server.url)
  adoptSocket(sock)
  await sock.waitForSocketOpen()
  const raw = rawSocket(sock)
  // The socket is ended in the same way as by the library's `logout`.
  const gone = closed(sock)
  void sock.end(endReason('Intentional Logout', 401))
  await endSocket(sock, undefined)
  assert.equal(raw?.readyState, CLOSED)
  await gone
  assert.equal(liveSockets(), 0)
})

test('a socket can be ended while it is still connecting', async () => {
  const sock = openSocket(server.url)
  adoptSocket(sock)
  const raw = rawSocket(sock)
  await endSocket(sock, undefined)
  assert.equal(raw?.readyState, CLOSED)
})

test('a cut does not wait for the server', async () => {
  const sock = openSocket(server.url)
  adoptSocket(sock)
  await sock.waitForSocketOpen()
  const raw = rawSocket(sock)
  void sock.end(endReason('Intentional Logout', 401))
  await endSocket(sock, undefined, 'abrupt')
  assert.equal(raw?.readyState, CLOSED)
})

test('the parts of a session may all follow its connection without a warning of a leak', async (t) => {
  const warnings: Error[] = []
  const warned = (warning: Error) => void warnings.push(warning)
  process.on('warning', warned)
  t.after(() => process.off('warning', warned))
  const sock = openSocket(server.url)
  adoptSocket(sock)
  for (let part = 0; part < 12; part++) sock.ev.on('connection.update', () => {})
  // Node emits its warning in a later turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
  await endSocket(sock, undefined)
  assert.deepEqual(warnings, [])
})
