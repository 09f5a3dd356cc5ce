import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { askForBatches } from '../../../workers/shard/network/offline-batches.ts'
import { silentServer } from './loopback.ts'

const openSilent = silentServer()
const ib = (tag: string): BinaryNode => ({ tag: 'ib', attrs: {}, content: [{ tag, attrs: {} }] })

async function open() {
  const sock = await openSilent()
  const asked: unknown[] = []
  const sendNode = async (node: BinaryNode) => void asked.push((node.content as BinaryNode[])[0]?.attrs)
  askForBatches({ ws: sock.ws, ev: sock.ev, sendNode }, (error) => assert.fail(String(error)))
  const come = (count: number, attrs: Record<string, string> = { offline: '0' }) => {
    for (let number = 0; number < count; number++) sock.ws.emit('frame', { tag: 'message', attrs })
  }
  return { sock, asked, come, preview: () => sock.ws.emit('frame', ib('offline_preview')) }
}

test('the next batch is asked for when half of the last one is here, and no more after the end', async () => {
  const { sock, asked, come, preview } = await open()
  come(500)
  assert.deepEqual(asked, [], 'nothing was announced')
  preview()
  assert.deepEqual(asked, [{ count: '200' }])
  come(99)
  come(300, {})
  assert.equal(asked.length, 1)
  come(1)
  assert.equal(asked.length, 2)
  come(300)
  assert.equal(asked.length, 5)
  sock.ws.emit('frame', ib('offline'))
  come(500)
  assert.equal(asked.length, 5)
})

test('while nothing comes it is asked for every two seconds, for a minute, and not on a connection that has ended', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { sock, asked, come, preview } = await open()
  preview()
  t.mock.timers.tick(1_999)
  come(1)
  t.mock.timers.tick(1_999)
  assert.equal(asked.length, 1)
  for (let second = 0; second < 100; second++) t.mock.timers.tick(1_000)
  assert.equal(asked.length, 31)
  preview()
  assert.equal(asked.length, 32)
  sock.ev.emit('connection.update', { connection: 'close' })
  t.mock.timers.tick(10_000)
  assert.equal(asked.length, 32)
})
