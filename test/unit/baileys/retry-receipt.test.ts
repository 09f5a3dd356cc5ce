/** Retry receipts are ours: the library hears of none, each is answered in its turn and then confirmed. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { watchLiveness } from '../../../workers/shard/baileys/liveness.ts'
import { requestOf, takeRetryReceipts } from '../../../workers/shard/baileys/retry-receipt.ts'

const ANA = '5511988880001:3@s.whatsapp.net'
const GROUP = '120363019502650977@g.us'

const retry = (attrs: Record<string, string> = {}, count: string | undefined = '1', more: BinaryNode[] = []): BinaryNode => ({
  tag: 'receipt',
  attrs: { id: 'A', type: 'retry', from: ANA, ...attrs },
  content: [{ tag: 'retry', attrs: count === undefined ? {} : { count } }, ...more],
})

type Socket = Parameters<typeof takeRetryReceipts>[0]

/** Answers end when `finish` is called. */
function bench() {
  const ws = Object.assign(new EventEmitter(), { isOpen: true })
  const b = {
    ws,
    library: [] as BinaryNode[],
    asked: [] as string[],
    sent: [] as BinaryNode[],
    errors: [] as string[],
    finish: [] as ((error?: Error) => void)[],
    /** As many turns of the loop as a chain of promises takes. */
    settle: () => new Promise((resolve) => setImmediate(resolve)),
  }
  ws.on('CB:receipt', (node) => b.library.push(node))
  takeRetryReceipts({ ws, sendNode: async (node: BinaryNode) => void b.sent.push(node) } as unknown as Socket, {
    answer: ({ id }) =>
      new Promise((resolve, reject) => {
        b.asked.push(id)
        b.finish.push((error) => (error ? reject(error) : resolve()))
      }),
    onError: ({ message }, { attrs }) => b.errors.push(`${attrs.id}: ${message}`),
  })
  return b
}

test('the library hears of every receipt but those that ask for a message again', () => {
  const b = bench()
  const read = { tag: 'receipt', attrs: { id: 'A', type: 'read', from: ANA } }
  b.ws.emit('CB:receipt', read)
  b.ws.emit('CB:receipt', retry())
  assert.deepEqual(b.library, [read])
})

test('one is answered after the other, and confirmed when it is answered, also in vain', async () => {
  const b = bench()
  for (const id of ['A', 'B', 'C']) b.ws.emit('CB:receipt', retry({ id, from: GROUP, participant: ANA }))
  await b.settle()
  assert.deepEqual([b.asked, b.sent], [['A'], []])
  b.finish[0]!()
  await b.settle()
  assert.deepEqual(b.asked, ['A', 'B'])
  assert.deepEqual(b.sent, [{ tag: 'ack', attrs: { id: 'A', to: GROUP, class: 'receipt', participant: ANA, type: 'retry' } }])
  b.finish[1]!(new Error('no session'))
  await b.settle()
  assert.deepEqual(b.errors, ['B: no session'])
  assert.deepEqual(
    b.sent.map(({ attrs }) => attrs.id),
    ['A', 'B'],
  )
  assert.deepEqual(b.asked, ['A', 'B', 'C'])
})

test('what an ended connection leaves is neither answered nor confirmed: it comes again', async () => {
  const b = bench()
  for (const id of ['A', 'B']) b.ws.emit('CB:receipt', retry({ id }))
  await b.settle()
  b.ws.isOpen = false
  b.finish[0]!(new Error('Connection Closed'))
  await b.settle()
  assert.deepEqual([b.asked, b.sent], [['A'], []])
})

test('a flood does not fill the memory: beyond five thousand in line they are confirmed only', async () => {
  const b = bench()
  for (let n = 0; n < 5_100; n++) b.ws.emit('CB:receipt', retry({ id: `m${n}` }))
  await b.settle()
  assert.equal(b.sent.length, 100)
  assert.equal(b.errors.length, 100)
  assert.deepEqual(b.asked, ['m0'])
})

test('a malformed one is confirmed and no more', async () => {
  const b = bench()
  for (const node of [
    { tag: 'receipt', attrs: { id: 'A', type: 'retry', from: ANA } },
    retry({ from: GROUP }),
    retry({ from: 'status@broadcast' }),
  ])
    b.ws.emit('CB:receipt', node)
  await b.settle()
  assert.deepEqual([b.asked, b.errors, b.sent.length], [[], [], 3])
})

// Else a connection on which nothing else comes would be taken for deaf, and replaced.
test('answers count as what is sent on behalf of a receipt', async () => {
  const socket = { send() {} }
  const ws = Object.assign(new EventEmitter(), { isOpen: true, socket })
  const ev = new EventEmitter()
  const sendNode = async () => socket.send()
  takeRetryReceipts({ ws, sendNode } as unknown as Socket, { answer: () => sendNode(), onError: assert.ifError })
  const liveness = watchLiveness({ ws, ev } as unknown as Parameters<typeof watchLiveness>[0], {
    now: Date.now,
    onStanza() {},
    onSilent() {},
    onDeaf() {},
  })
  ev.emit('connection.update', { connection: 'open' })
  for (const node of [retry(), retry({ id: 'B' })]) {
    ws.emit('frame', node)
    ws.emit('CB:receipt', node)
  }
  await new Promise((resolve) => setImmediate(resolve))
  ev.emit('connection.update', { connection: 'close' })
  assert.deepEqual(liveness.traffic().receipt, { stanzas: 2, answers: 4 })
})

test('who asks is the participant of a group and of a status, and the sender of anything else', () => {
  const about = (attrs: Record<string, string>) => {
    const { asker, shared, recipient } = requestOf(retry(attrs))!
    return { asker, shared, recipient }
  }
  assert.deepEqual(about({}), { asker: ANA, shared: null, recipient: null })
  assert.deepEqual(about({ participant: '1@lid' }), { asker: ANA, shared: null, recipient: null })
  assert.deepEqual(about({ recipient: '1@lid' }), { asker: ANA, shared: null, recipient: '1@lid' })
  for (const from of [GROUP, 'status@broadcast'])
    assert.deepEqual(about({ from, participant: ANA }), { asker: ANA, shared: from, recipient: null })
})

test('a count that is none counts as the first', () => {
  const counts = ['3', '0', '-1', '1.5', 'x', '1e400', undefined].map((count) => requestOf(retry({}, count))?.count)
  assert.deepEqual(counts, [3, 1, 1, 1, 1, 1, 1])
})
