/** Whether a connection is alive is judged by its last received frame, over the library's real socket. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { initAuthCreds, type WASocket } from '@whiskeysockets/baileys'
import '../../../workers/shard/baileys/thread/first.ts'
import { adoptSocket, endSocket } from '../../../workers/shard/baileys/end.ts'
import { keepAlive } from '../../../workers/shard/baileys/keep-alive.ts'
import { listen, openSocket, type Server } from './loopback.ts'

const SECOND = 1_000
let silent: Server
before(async () => {
  silent = await listen()
})
after(() => silent.close())

const opened: WASocket[] = []
afterEach(async () => {
  for (const sock of opened.splice(0)) await endSocket(sock, undefined, 'abrupt')
})

async function open() {
  const sock = openSocket(silent.url, initAuthCreds())
  opened.push(sock)
  adoptSocket(sock)
  await sock.waitForSocketOpen()
  const asked: unknown[] = []
  const ended: unknown[] = []
  sock.ev.on('connection.update', ({ connection, lastDisconnect }) => {
    if (connection === 'close') ended.push(lastDisconnect?.error)
  })
  return { sock, asked, ended }
}

test('while frames arrive a keep-alive is sent every 30 s; a socket that only writes is dead', async (t) => {
  const { sock, asked, ended } = await open()
  t.mock.timers.enable({ apis: ['setInterval', 'Date'] })
  const query = async (node: unknown) => {
    asked.push(node)
    return asked.length === 1 ? { tag: 'iq', attrs: { t: '1769860800' } } : { tag: 'iq', attrs: {} }
  }
  const times: number[] = []
  keepAlive({ ...sock, ws: sock.ws, ev: sock.ev, end: sock.end, query } as never, {
    now: Date.now,
    onError: assert.fail,
    onTime: (seconds) => times.push(seconds),
  })
  sock.ws.emit('frame', {})
  for (const at of [1, 2, 3]) {
    t.mock.timers.tick(30 * SECOND)
    assert.equal(asked.length, at)
    sock.ws.emit('frame', {})
  }
  t.mock.timers.tick(30 * SECOND)
  assert.equal(asked.length, 4)
  assert.equal(ended.length, 0)
  const closed = new Promise<void>((resolve) =>
    sock.ev.on('connection.update', ({ connection }) => connection === 'close' && resolve()),
  )
  t.mock.timers.tick(30 * SECOND)
  await closed
  assert.equal((ended[0] as { output?: { statusCode?: number } }).output?.statusCode, 408)
  t.mock.timers.tick(90 * SECOND)
  assert.equal(asked.length, 4, 'and nothing is asked any more')
  assert.deepEqual(times, [1_769_860_800])
})
