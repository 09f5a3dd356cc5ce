import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { type WebSocket, WebSocketServer } from 'ws'
import { corkPerTurn } from '../../../workers/shard/network/cork.ts'
import { answerHandshake, openSocket } from './loopback.ts'

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
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  // This proxy records the size of each chunk. The server itself cannot see which messages came in the same packet.
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
  const client = openSocket(`ws://127.0.0.1:${(between.address() as AddressInfo).port}`)
  const [peer] = (await once(server, 'connection')) as [WebSocket]
  // A stanza cannot be sent until the handshake has ended.
  await answerHandshake(peer)
  let received = 0
  const all = new Promise<void>((resolve) => {
    peer.on('message', () => {
      received++
      if (received === 20) resolve()
    })
  })
  sizes.length = 0
  await Promise.all(Array.from({ length: 20 }, (_, n) => client.sendNode({ tag: 'ib', attrs: { n: String(n) } })))
  await all
  assert.equal(sizes.length, 1)
  await client.end(undefined, 'abrupt')
  server.close()
  between.close()
})
