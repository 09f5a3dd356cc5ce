/** Tests promises that are rejected in listeners of the library's events. */
import assert from 'node:assert/strict'
import { EventEmitter, on, once } from 'node:events'
import { afterEach, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { WASocket } from '@whiskeysockets/baileys'
import { threadFlags } from '../../../../src/engine/thread.ts'
import '../../../../workers/shard/baileys/thread/first.ts'
import { adoptSocket, endReason, endSocket } from '../../../../workers/shard/baileys/end.ts'
import {
  asError,
  guardListeners,
  surviveRejections,
  type ThreadError,
} from '../../../../workers/shard/baileys/thread/rejections.ts'
import { sameKind } from '../../../harness/checkout.ts'
import { closed, listen, openSocket, type Server } from '../loopback.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

test('a frame that cannot be opened ends the socket it came on, and nothing reaches the thread', async () => {
  const server = await listen()
  servers.push(server)
  const net: ThreadError[] = []
  const removeNet = surviveRejections((stray) => net.push(stray))
  const connection = server.connected()
  const sock = openSocket(server.url)
  // The socket is adopted as a session does it. So code that waits for the server's hello learns that the socket has
  // ended. Without this, it would wait 20 s and keep the process alive.
  adoptSocket(sock)
  const stalled: Error[] = []
  guardListeners(sock, {
    onStalled(error) {
      stalled.push(error)
      void endSocket(sock, endReason('a frame could not be opened', 428), 'abrupt')
    },
    onStray: () => {},
  })
  const end = closed(sock)
  const peer = await connection
  // The library reads a hello of the server, and its listener for this frame throws.
  sock.ws.on('frame', () => {
    throw new Error('cannot be opened')
  })
  peer.send(Buffer.from([0, 0, 2, 1, 2]))
  assert.equal((await end)?.message, 'a frame could not be opened')
  assert.equal(stalled[0]?.message, 'cannot be opened')
  assert.deepEqual(net, [])
  removeNet()
})

test('other listeners that fail are told by event, and the socket stays', async () => {
  const ws = new EventEmitter()
  ws.on('CB:message', async () => {
    throw 1006
  })
  const stray: unknown[] = []
  guardListeners({ ws } as unknown as WASocket, {
    onStalled: () => assert.fail('not stalled'),
    onStray: (error, event) => stray.push([event, error.message, error.cause]),
  })
  ws.emit('CB:message')
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(stray, [['CB:message', 'Connection Closed (1006)', 1006]])
})

test('listeners keep their order and their arguments', () => {
  const ws = new EventEmitter()
  const calls: unknown[] = []
  ws.on('x', (...args) => calls.push(['first', ...args]))
  ws.on('x', (...args) => calls.push(['second', ...args]))
  guardListeners({ ws } as unknown as WASocket, { onStalled: () => {}, onStray: () => {} })
  ws.emit('x', 1, 2)
  assert.deepEqual(calls, [
    ['first', 1, 2],
    ['second', 1, 2],
  ])
})

test('what nobody catches is reported with its owner, and the thread goes on', async () => {
  const module = sameKind('./survivor', import.meta.url)
  const thread = new Worker(module, { execArgv: threadFlags(module) })
  // One listener receives all messages. With `once`, a message that arrives between two calls would be lost.
  const messages = on(thread, 'message')
  const next = async () => (await messages.next()).value[0] as unknown
  const exit = once(thread, 'exit')
  const reports = [await next(), await next(), await next()] as string[][]
  assert.deepEqual(reports.toSorted(), [
    ['exception', 'thrown', 'three'],
    ['rejection', 'Connection Closed (bare)', 'two'],
    ['rejection', 'of one', 'one'],
  ])
  thread.postMessage('still there?')
  assert.equal(await next(), 'alive')
  assert.deepEqual(await exit, [0])
})

test('a bare value becomes an error that keeps it', () => {
  assert.equal(asError(1006).message, 'Connection Closed (1006)')
  const error = new Error('x')
  assert.equal(asError(error), error)
})
