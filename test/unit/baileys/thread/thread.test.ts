/** Tests corrections that are made once per thread: console output, stack traces, and the corking of sockets. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import WebSocket, { WebSocketServer } from 'ws'
import { redirectConsole } from '../../../../workers/shard/baileys/thread/console.ts'
import { corkPerTurn, corkWebSockets } from '../../../../workers/shard/baileys/thread/cork.ts'
import { limitStackTraces } from '../../../../workers/shard/baileys/thread/stack-limit.ts'

test('libsignal’s dumps reach nobody, other lines reach the logger without what is in objects', async () => {
  const lines: string[] = []
  const write = (level: string) => (line: string) => {
    lines.push(`${level} ${line}`)
  }
  const restore = redirectConsole({ debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') })
  try {
    const { SessionRecord } = await import('libsignal')
    // The types of libsignal do not declare these methods.
    const record = new SessionRecord() as unknown as { closeSession(session: object): void; openSession(session: object): void }
    record.closeSession({ indexInfo: { closed: -1 }, currentRatchet: { privKey: 'PRIVATE' } })
    record.openSession({ indexInfo: { closed: 1 }, currentRatchet: { privKey: 'PRIVATE' } })
    const { console: redirected } = globalThis
    redirected.error('failed for', { key: 'PRIVATE' }, new TypeError('because'))
    redirected.log('plain', 3, undefined)
  } finally {
    restore()
  }
  assert.deepEqual(lines, ['error failed for [object] TypeError: because', 'info plain 3 undefined'])
})

test('a stack has few frames in this thread', () => {
  const before = Error.stackTraceLimit
  try {
    limitStackTraces(2)
    const deep = (n: number): Error => (n === 0 ? new Error('deep') : deep(n - 1))
    assert.equal(deep(20).stack!.split('\n').length, 3)
  } finally {
    Error.stackTraceLimit = before
  }
})

test('what a turn writes leaves together at its end', async () => {
  const socket = new PassThrough()
  corkPerTurn(socket)
  const chunks: string[] = []
  socket.on('data', (chunk) => chunks.push(String(chunk)))
  const written: string[] = []
  for (const chunk of ['a', 'b', 'c']) socket.write(chunk, () => written.push(chunk))
  await Promise.resolve()
  assert.deepEqual(written, [])
  await once(socket, 'data')
  socket.end('d')
  await once(socket, 'end')
  assert.deepEqual(chunks.join(''), 'abcd')
  assert.deepEqual(written, ['a', 'b', 'c'])
})

test('one packet on the wire for all stanzas of a turn', async () => {
  corkWebSockets()
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  // This proxy records the size of each chunk, because the server cannot tell which messages came in one packet.
  const sizes: number[] = []
  const between = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    client.on('data', (data) => {
      sizes.push(data.length)
      upstream.write(data)
    })
    upstream.pipe(client)
    client.on('error', () => upstream.destroy())
    client.on('close', () => upstream.destroy())
  })
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
  const client = new WebSocket(`ws://127.0.0.1:${(between.address() as AddressInfo).port}`)
  const [peer] = (await once(server, 'connection')) as [WebSocket]
  await once(client, 'open')
  sizes.length = 0
  const received: string[] = []
  const all = new Promise<void>((resolve) => {
    peer.on('message', (data) => {
      received.push(String(data))
      if (received.length === 20) resolve()
    })
  })
  for (let n = 0; n < 20; n++) client.send(`stanza ${n}`)
  await all
  assert.equal(received[19], 'stanza 19')
  assert.equal(sizes.length, 1)
  client.close()
  await once(client, 'close')
  server.close()
  between.close()
})
