import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { after, before, test } from 'node:test'
import { endReason } from '../../../workers/shard/network/end-reason.ts'
import type { NetworkSocket } from '../../../workers/shard/network/network-socket.ts'
import { answerHandshake, closed, isOpen, listen, openSocket, type Server } from './loopback.ts'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const CLOSED = 3

const rawSocket = ({ ws }: NetworkSocket) => (ws as unknown as { socket: { readyState: number } }).socket

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
    // The server reads everything and sends nothing. So it does not even answer a close frame.
    socket.on('error', () => {}).resume()
    connections.push(socket)
  })
})
after(async () => {
  for (const socket of connections) socket.destroy()
  await server.close()
})

test('a socket that is ending already is closed when the end resolves, though the server never answers', async () => {
  const sock = openSocket(server.url)
  await isOpen(sock)
  const raw = rawSocket(sock)
  const gone = closed(sock)
  void sock.end(endReason('Intentional Logout', 401))
  await sock.end()
  assert.equal(raw?.readyState, CLOSED)
  await gone
  assert.deepEqual(sock.ws.eventNames(), ['error'])
})

test('a socket can be ended while it is still connecting', async () => {
  const sock = openSocket(server.url)
  const raw = rawSocket(sock)
  await sock.end()
  assert.equal(raw?.readyState, CLOSED)
})

test('a cut does not wait for the server', async () => {
  const sock = openSocket(server.url)
  await isOpen(sock)
  const raw = rawSocket(sock)
  void sock.end(endReason('Intentional Logout', 401))
  await sock.end(undefined, 'abrupt')
  assert.equal(raw?.readyState, CLOSED)
})

test('the parts of a session may all follow its connection without a warning of a leak', async (t) => {
  const warnings: Error[] = []
  const warned = (warning: Error) => void warnings.push(warning)
  process.on('warning', warned)
  t.after(() => process.off('warning', warned))
  const sock = openSocket(server.url)
  for (let part = 0; part < 12; part++) sock.ev.on('connection.update', () => {})
  // Node emits a warning only later, so the test waits for one turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
  await sock.end()
  assert.deepEqual(warnings, [])
})

test('a socket whose account another process may run sends no frame, and is cut', async () => {
  const answering = await listen()
  const connected = answering.connected()
  let isHeld = true
  const sock = openSocket(answering.url, undefined, { isHeld: () => isHeld })
  const gone = closed(sock)
  await answerHandshake(await connected)
  await sock.sendNode({ tag: 'iq', attrs: {} })
  isHeld = false
  await assert.rejects(sock.sendNode({ tag: 'iq', attrs: {} }), /Connection Closed/)
  assert.match(String(await gone), /Connection Terminated/)
  await answering.close()
})
