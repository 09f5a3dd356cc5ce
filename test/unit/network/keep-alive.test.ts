import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { keepAlive } from '../../../workers/shard/network/keep-alive.ts'
import { silentServer } from './loopback.ts'

const SECOND = 1_000
const openSilent = silentServer()

async function open() {
  const sock = await openSilent()
  const asked: unknown[] = []
  const ended: unknown[] = []
  sock.ev.on('connection.update', ({ connection, error }) => {
    if (connection === 'close') ended.push(error)
  })
  return { sock, asked, ended }
}

test('while frames arrive a keep-alive is sent every 30 s; a socket that only writes is dead', async (t) => {
  const { sock, asked, ended } = await open()
  t.mock.timers.enable({ apis: ['setInterval', 'Date'] })
  const query = async (node: BinaryNode): Promise<BinaryNode> => {
    asked.push(node)
    return asked.length === 1 ? { tag: 'iq', attrs: { t: '1769860800' } } : { tag: 'iq', attrs: {} }
  }
  const times: number[] = []
  keepAlive(
    { ...sock, query },
    {
      now: Date.now,
      onError: assert.fail,
      onTime: (seconds) => times.push(seconds),
    },
  )
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
