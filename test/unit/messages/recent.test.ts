import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import { createRecent } from '../../../workers/shard/messages/recent.ts'

const ID = '3EB0796DC6B777C0C7CD'
const ANA = '5511988887777@s.whatsapp.net'
const ANA_LID = '81896604192873@lid'
const GROUP = '120363019502650977@g.us'
const said = (key: Partial<WAMessageKey>, conversation: string): WAMessage => ({
  key: { id: ID, ...key },
  message: { conversation },
})
const anybody = () => true
const textOf = (message: WAMessage | undefined) => message?.message?.conversation

test('who uses the id of another message does not take its place', () => {
  const recent = createRecent()
  recent.add(said({ remoteJid: ANA, fromMe: true }, 'mine'))
  recent.add(said({ remoteJid: ANA, fromMe: false }, 'hers'))
  recent.add(said({ remoteJid: GROUP, participant: '5511988886666@s.whatsapp.net' }, 'of a stranger'))
  const mine = ({ fromMe }: WAMessageKey) => fromMe === true
  assert.equal(textOf(recent.get(ID, mine)), 'mine')
  assert.equal(textOf(recent.get(ID, (key) => !mine(key) && key.remoteJid === ANA)), 'hers')
  assert.equal(textOf(recent.get(ID, ({ remoteJid }) => remoteJid === GROUP)), 'of a stranger')
  assert.equal(recent.size, 3)
})

test('a message that comes again replaces itself, under either name of its author', () => {
  const recent = createRecent()
  recent.add(said({ remoteJid: ANA }, 'one'))
  recent.add(said({ remoteJid: ANA_LID, remoteJidAlt: ANA }, 'two'))
  assert.equal(recent.size, 1)
  assert.equal(textOf(recent.get(ID, anybody)), 'two')
})

test('however many use one id, the first few are kept', () => {
  const recent = createRecent()
  recent.add(said({ remoteJid: ANA, fromMe: true }, 'mine'))
  for (let n = 0; n < 100; n++) recent.add(said({ remoteJid: GROUP, participant: `${5511900000000 + n}@s.whatsapp.net` }, 'twin'))
  assert.equal(recent.size, 4)
  assert.equal(textOf(recent.get(ID, anybody)), 'mine')
})

test('the oldest go when there are too many, or too many bytes', () => {
  const few = createRecent({ maxMessages: 2 })
  for (const id of ['a', 'b', 'a', 'c']) few.add(said({ id, remoteJid: ANA }, id))
  assert.deepEqual(
    ['a', 'b', 'c'].map((id) => textOf(few.get(id, anybody))),
    ['a', undefined, 'c'],
  )
  const small = createRecent({ maxMessages: 100, maxBytes: 300 })
  for (const id of ['a', 'b', 'c']) small.add(said({ id, remoteJid: ANA }, 'x'.repeat(150)))
  assert.deepEqual([small.size, textOf(small.get('c', anybody))?.length], [1, 150])
})

// An earlier bug: two hundred instances with 4,000 messages in memory each filled the heap of their shard, so the shard
// ended.
test('what all instances of a thread remember is bounded, each has its share of it, and one that stops leaves its own', () => {
  const total = { messages: 0, instances: 0 }
  const [busy, idle, third] = [1, 2, 3].map(() => createRecent({ total, maxOfThread: 900 }))
  const take = (recent: typeof busy, count: number) => {
    for (let n = 0; n < count; n++) recent!.add(said({ id: `${n}`, remoteJid: ANA }, 'text'))
  }
  take(busy, 800)
  take(idle, 10)
  assert.deepEqual([busy!.size, total], [800, { messages: 810, instances: 3 }])
  take(third, 200)
  busy!.add(said({ id: 'more', remoteJid: ANA }, 'text'))
  assert.ok(busy!.size <= 300, `${busy!.size} are left`)
  assert.equal(textOf(busy!.get('more', anybody)), 'text')
  assert.deepEqual([idle!.size, third!.size], [10, 200])
  for (const each of [busy, idle, third, third]) each!.end()
  assert.deepEqual(total, { messages: 0, instances: 0 })
})

test('a post is found by the number the network gave it, in its channel only', () => {
  const recent = createRecent()
  const key = { remoteJid: '1@newsletter', server_id: '17' }
  recent.add(said(key, 'a post'))
  recent.add(said({ remoteJid: ANA }, 'a message'))
  assert.equal(recent.post('1@newsletter', '17')?.id, ID)
  assert.equal(recent.post('2@newsletter', '17'), undefined)
  assert.equal(recent.post('1@newsletter', '18'), undefined)
})

const BEN = '5511988886666@s.whatsapp.net'

test('however much somebody writes in another chat, what was said here stays', () => {
  for (const [text, count] of [
    ['x', 9_000],
    ['x'.repeat(60_000), 1_000],
  ] as const) {
    const recent = createRecent()
    for (let n = 0; n < 15; n++) recent.add(said({ id: `hers${n}`, remoteJid: ANA }, 'hello'))
    for (let n = 0; n < count; n++) recent.add(said({ id: `flood${n}`, remoteJid: BEN }, text))
    for (let n = 0; n < 15; n++) assert.equal(textOf(recent.get(`hers${n}`, anybody)), 'hello')
    assert.ok(recent.get(`flood${count - 1}`, anybody))
    assert.ok(recent.size <= 4_000)
  }
})

test('where no chat has much the oldest go, and what is a day old goes before anything of a busy chat', () => {
  let now = 0
  const recent = createRecent({ now: () => now })
  for (let n = 0; n < 2_000; n++) recent.add(said({ id: `old${n}`, remoteJid: `${5511900000000 + n}@s.whatsapp.net` }, 'hi'))
  now += 25 * 3_600_000
  for (let n = 0; n < 3_500; n++) recent.add(said({ id: `busy${n}`, remoteJid: ANA }, 'hi'))
  assert.ok(recent.get('busy0', anybody))
  assert.equal(recent.get('old0', anybody), undefined)
  const many = createRecent()
  for (let n = 0; n < 5_000; n++) many.add(said({ id: `one${n}`, remoteJid: `${5511900000000 + n}@s.whatsapp.net` }, 'hi'))
  assert.equal(many.get('one0', anybody), undefined)
  assert.ok(many.get('one1200', anybody))
})
