import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type BinaryNode, getBinaryNodeChild, initAuthCreds } from '@whiskeysockets/baileys'
import { type AskAgainDeps, createAskAgain } from '../../../workers/shard/retry/ask-again.ts'

const ANA = '5511988880001:3@s.whatsapp.net'
const BEN = '5511977770002@s.whatsapp.net'
const GROUP = '120363019502650977@g.us'

const message = (id: string, attrs: Record<string, string> = {}): BinaryNode => ({
  tag: 'message',
  attrs: { id, from: ANA, t: '1790000000', ...attrs },
})
const key = (id: string) => ({ id, remoteJid: ANA, fromMe: false })
const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

function bench(t: TestContext) {
  const creds = { ...initAuthCreds(), me: { id: '1:1@s.whatsapp.net', name: 'me' }, account: { details: Buffer.of(1) } }
  const keys: Record<string, unknown> = {}
  const ending = new AbortController()
  t.after(() => ending.abort())
  const b = {
    now: 1_000_000,
    sent: [] as BinaryNode[],
    asked: [] as string[][],
    arrived: new Set<string>(),
    ending,
    of: (sender: string) => b.sent.filter(({ attrs }) => attrs.to === sender).length,
  }
  const sock = {
    authState: {
      creds,
      keys: {
        transaction: (work: () => Promise<unknown>) => work(),
        get: async () => keys,
        set: async (data: { 'pre-key': object }) => void Object.assign(keys, data['pre-key']),
      },
    },
    ev: { emit: (_: string, update: object) => Object.assign(creds, update) },
    sendNode: async (node: BinaryNode) => void b.sent.push(node),
  }
  const ask = createAskAgain({
    sock: sock as unknown as AskAgainDeps['sock'],
    async askPhone({ placeholderMessageResendRequest }) {
      b.asked.push(placeholderMessageResendRequest!.map(({ messageKey }) => messageKey!.id!))
    },
    saved: async () => {},
    clock: { now: () => b.now },
    log: { info() {}, warn() {} },
    isMissing: ({ id }) => !b.arrived.has(id!),
    ended: ending.signal,
  })
  return Object.assign(b, { ask })
}

test('a request says which message of which chat, how often it was asked for, and why', async (t) => {
  const b = bench(t)
  await b.ask.sender(message('A'), null, 'no_session')
  await b.ask.sender(message('B', { from: GROUP, participant: ANA, recipient: 'odd' }), null, undefined)
  await b.ask.sender(message('C', { from: '1:0@s.whatsapp.net', recipient: BEN }), null, 'duplicate')
  assert.deepEqual(
    b.sent.map(({ attrs }) => attrs),
    [
      { id: 'A', type: 'retry', to: ANA },
      { id: 'B', type: 'retry', to: GROUP, participant: ANA },
      { id: 'C', type: 'retry', to: '1:0@s.whatsapp.net', recipient: BEN },
    ],
  )
  const retry = (index: number) => getBinaryNodeChild(b.sent[index]!, 'retry')!.attrs
  assert.deepEqual(retry(0), { count: '1', id: 'A', t: '1790000000', v: '1', error: '1' })
  assert.deepEqual([retry(1).error, retry(2).error], ['0', '0'])
})

test('from the second time on it brings keys for a new session, and after the fifth it is not asked for any more', async (t) => {
  const b = bench(t)
  for (let time = 1; time <= 7; time++) await b.ask.sender(message('A'), null, 'unreadable')
  assert.deepEqual(
    b.sent.map((node) => [getBinaryNodeChild(node, 'retry')!.attrs.count, getBinaryNodeChild(node, 'keys') !== undefined]),
    [
      ['1', false],
      ['2', true],
      ['3', true],
      ['4', true],
      ['5', true],
    ],
  )
  const keys = getBinaryNodeChild(b.sent[1]!, 'keys')!
  const identity = getBinaryNodeChild(keys, 'identity')!.content as Uint8Array
  assert.equal(identity.length, 32)
})

test('so many at once for one sender, then one after the other; another sender waits for none of them', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const b = bench(t)
  for (let n = 0; n < 2_000; n++) void b.ask.sender(message(`m${n}`), null, 'unreadable').catch(() => {})
  await settle()
  assert.equal(b.of(ANA), 20)
  await b.ask.sender(message('other', { from: BEN }), null, 'unreadable')
  assert.equal(b.of(BEN), 1)
})

test('the phone is asked for what did not come, many in one question, twice for one message at most', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const b = bench(t)
  for (let n = 0; n < 50; n++) b.ask.phone(key(`m${n}`))
  b.arrived.add('m1')
  await settle()
  const asked: number[][] = []
  for (const ms of [2_000, 999, 1, 1_000, 1_000]) {
    b.now += ms
    t.mock.timers.tick(ms)
    await settle()
    asked.push(b.asked.map((ids) => ids.length))
  }
  assert.deepEqual(asked, [[19], [19], [19, 20], [19, 20, 10], [19, 20, 10]])
  assert.ok(!b.asked.flat().includes('m1'))
})

test('what has to wait ends with the connection', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const b = bench(t)
  const waiting = Array.from({ length: 60 }, (_, n) => b.ask.sender(message(`m${n}`), null, 'unreadable'))
  await settle()
  b.ending.abort()
  const outcomes = await Promise.allSettled(waiting)
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 40)
})
