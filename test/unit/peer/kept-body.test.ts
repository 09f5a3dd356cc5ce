import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { type KeptBody, keepBody } from '../../../src/peer/kept-body.ts'
import { createRoom } from '../../../src/peer/room.ts'
import { until } from '../../harness/until.ts'

const PIECE = 60_000
/** Capacity in bytes: one unfinished body and a part of a second one fit. */
const ROOM = 100_000

const room = createRoom(ROOM)
const bodies = new Map<string | undefined, KeptBody>()
const server = createServer(async (incoming, outgoing) => {
  // If a body is still being read when the test ends, `keepBody` rejects.
  const body = await keepBody(incoming, room).catch(() => undefined)
  if (body !== undefined) bodies.set(incoming.url, body)
  outgoing.end()
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const sockets: Socket[] = []
after(() => {
  for (const body of bodies.values()) body.end()
  for (const socket of sockets) socket.destroy()
  server.close()
})

/** Sends the first half of a body. The second half never arrives. */
function sendPart(path: string) {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  sockets.push(socket)
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${2 * PIECE}\r\n\r\n`)
  socket.write(Buffer.alloc(PIECE))
}

test('bodies that have not ended count, and when they fill the room, nothing of further ones is kept', async () => {
  sendPart('/first')
  sendPart('/second')
  await until(
    async () => room.isFull(),
    (isFull) => isFull,
  )
  sendPart('/third')
  const third = await until(
    async () => bodies.get('/third'),
    (body) => body !== undefined,
  )
  assert.deepEqual([third!.isWhole, third!.pieces], [false, []])
})
