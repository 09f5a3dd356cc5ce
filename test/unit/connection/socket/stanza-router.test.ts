import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import {
  type Answer,
  AT_ONCE,
  decide,
  describeTable,
  Following,
  type Mutex,
  oneByOne,
  type RouterDeps,
  rest,
  route,
  routeStanzas,
  step,
  type Table,
} from '../../../../workers/shard/connection/socket/stanza-router.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))
const stanza = (id: string, attrs: Record<string, string> = {}, tag = 'message'): BinaryNode => ({ tag, attrs: { id, ...attrs } })

function gate() {
  const begun: string[] = []
  const open = new Map<string, (error?: Error) => void>()
  const work = ({ attrs }: BinaryNode) =>
    new Promise<void>((resolve, reject) => {
      begun.push(attrs.id!)
      open.set(attrs.id!, (error) => (error ? reject(error) : resolve()))
    })
  return { begun, work, finish: (id: string, error?: Error) => open.get(id)!(error) }
}

function bench(table: (answer: Answer) => Table, more: Partial<RouterDeps> = {}) {
  const ws = Object.assign(new EventEmitter(), { isOpen: true })
  const b = {
    ws,
    answered: [] as string[],
    failures: [] as string[],
    givenUp: [] as string[],
    unknown: [] as string[],
    overflows: 0,
    through: 0,
    comes(...nodes: BinaryNode[]) {
      for (const node of nodes) ws.emit('frame', node)
    },
  }
  const answer: Answer = { name: 'told', send: ({ attrs }, outcome) => void b.answered.push(`${attrs.id}${outcome ?? ''}`) }
  const router = routeStanzas({ ws } as never, {
    came: () => () => b.through++,
    isWorthAnother: () => true,
    onFailure: ({ message }, { route, step }) => b.failures.push(`${route} ${step}: ${message}`),
    onGivenUp: ({ message }) => b.givenUp.push(message),
    onOverflow: () => b.overflows++,
    onUnknown: ({ tag, attrs }) => b.unknown.push(`${tag} ${attrs.id}`),
    onUnanswered: assert.ifError,
    ...more,
  })
  router.serve(table(answer))
  return Object.assign(b, { router })
}

const SENDER: Mutex = { name: 'of a sender', key: ({ attrs }) => attrs.from }

test('in one line each waits for the one before it, in another for nobody, and the answer comes when all steps are through', async () => {
  const { begun, work, finish } = gate()
  const b = bench((answer) => [route({ tag: 'message' }, SENDER, [step('commit', 'written', work)], answer)])
  b.comes(stanza('a1', { from: 'a' }), stanza('a2', { from: 'a' }), stanza('b1', { from: 'b' }))
  assert.deepEqual([begun, b.answered], [['a1', 'b1'], []])
  finish('b1')
  await settle()
  assert.deepEqual(b.answered, ['b1'])
  finish('a1')
  await settle()
  assert.deepEqual(
    [begun, b.answered],
    [
      ['a1', 'b1', 'a2'],
      ['b1', 'a1'],
    ],
  )
  finish('a2')
  await settle()
  assert.deepEqual([b.answered, b.through], [['b1', 'a1', 'a2'], 3])
})

test('where rows overlap the next one begins when the one before has had its turn; the others wait for its answer', async () => {
  const { begun, work, finish } = gate()
  const written = gate()
  const turn = async (node: BinaryNode) => {
    await work(node)
    return new Following(written.work(node).then(() => '!'))
  }
  const b = bench((answer) => [
    route({ tag: 'message' }, { ...SENDER, overlaps: true }, [decide<string>('commit', 'inbox', turn)], answer as Answer<string>),
    route({ tag: 'presence' }, SENDER, [step('commit', 'presence', work)], answer),
  ])
  const [a1, a2, a3, p] = ['a1', 'a2', 'a3', 'p'].map((id) => stanza(id, { from: 'a' }, id === 'p' ? 'presence' : 'message'))
  b.comes(a1!, a2!, p!, a3!)
  finish('a1')
  await settle()
  assert.deepEqual(begun, ['a1', 'a2'])
  finish('a2')
  await settle()
  written.finish('a2')
  await settle()
  assert.deepEqual([begun, b.answered], [['a1', 'a2'], ['a2!']])
  written.finish('a1')
  await settle()
  assert.deepEqual(
    [begun, b.answered],
    [
      ['a1', 'a2', 'p'],
      ['a2!', 'a1!'],
    ],
  )
  finish('p')
  await settle()
  assert.deepEqual(begun, ['a1', 'a2', 'p', 'a3'])
  finish('a3')
  await settle()
  written.finish('a3', new Error('full'))
  await settle()
  assert.deepEqual([b.answered, b.failures], [['a2!', 'a1!', 'p'], ['message inbox: full']])
})

test('what no row is about, or only one for the rest, is counted as unknown, and answered if that row says so', async () => {
  const b = bench((answer) => [
    route({ tag: 'receipt', attrs: { type: [undefined, 'read'] } }, AT_ONCE, [], answer),
    rest({ tag: 'receipt' }, answer),
  ])
  b.comes(
    stanza('1', {}, 'receipt'),
    stanza('2', { type: 'read' }, 'receipt'),
    stanza('3', { type: 'new' }, 'receipt'),
    stanza('4', {}, 'new'),
  )
  await settle()
  assert.deepEqual(
    [b.answered, b.unknown],
    [
      ['1', '2', '3'],
      ['receipt 3', 'new 4'],
    ],
  )
})

test('the first row that fits decides, by attributes, server and first child', () => {
  const row = (name: string, of: Parameters<typeof route>[0]) =>
    route(of, AT_ONCE, [], { name, send: ({ attrs }) => void heard.push(`${attrs.id} ${name}`) })
  const heard: string[] = []
  const b = bench(() => [
    row('post', { tag: 'message', from: 'newsletter' }),
    row('message', { tag: 'message' }),
    row('sync', { tag: 'iq', child: 'sync' }),
    row('error', { tag: 'iq', attrs: { type: 'error' } }),
  ])
  b.comes(
    stanza('1', { from: '1@newsletter' }),
    stanza('2', { from: '1@lid' }),
    stanza('3'),
    stanza('4', { type: 'error' }, 'iq'),
  )
  b.comes({ tag: 'iq', attrs: { id: '5' }, content: [{ tag: 'sync', attrs: {} }] }, stanza('6', {}, 'iq'))
  assert.deepEqual(heard, ['1 post', '2 message', '3 message', '4 error', '5 sync'])
})

test('a step that took the stanza leaves out those behind it, and says how it is answered', async () => {
  const ran: string[] = []
  const b = bench((answer) => [
    route<string>(
      { tag: 'message' },
      AT_ONCE,
      [
        step('intercept', 'counted', ({ attrs }) => ran.push(`counted ${attrs.id}`)),
        decide('commit', 'taken', async ({ attrs }) => (attrs.id === 'ours' ? ' taken' : undefined)),
        step('commit', 'rest', ({ attrs }) => ran.push(`rest ${attrs.id}`)),
      ],
      answer as Answer<string>,
    ),
  ])
  b.comes(stanza('ours'))
  await settle()
  b.comes(stanza('other'))
  await settle()
  assert.deepEqual(ran, ['counted ours', 'counted other', 'rest other'])
  assert.deepEqual(b.answered, ['ours taken', 'other'])
})

for (const how of ['throws', 'rejects'] as const) {
  test(`a commit that ${how} shuts the router: nothing is answered any more, and nothing reaches the emitter`, async () => {
    const broken = new Error('disk full')
    const { work, finish } = gate()
    const b = bench((answer) => [
      route(
        { tag: 'message' },
        SENDER,
        [
          step('commit', 'written', (node) => {
            if (node.attrs.id !== 'bad') return work(node)
            if (how === 'throws') throw broken
            return Promise.reject(broken)
          }),
        ],
        answer,
      ),
    ])
    b.comes(stanza('before', { from: 'a' }), stanza('bad', { from: 'b' }), stanza('behind', { from: 'b' }))
    await settle()
    assert.deepEqual(b.failures, ['message written: disk full'])
    finish('before')
    b.comes(stanza('later', { from: 'c' }))
    await settle()
    assert.deepEqual([b.answered, b.failures.length], [[], 1])
  })
}

test('an effect that fails has its tries, and is then let go; what is to be on disk never is', async () => {
  let tries = 0
  const failing = (phase: 'intercept' | 'commit') => (answer: Answer) => [
    route({ tag: 'message' }, AT_ONCE, [step(phase, 'effect', () => Promise.reject(new Error('no')))], answer),
  ]
  const b = bench(failing('intercept'), { isWorthAnother: () => ++tries <= 0 })
  b.comes(stanza('a'))
  await settle()
  assert.deepEqual([b.failures, b.givenUp, b.answered], [[], ['no'], ['a']])
  const c = bench(failing('commit'), { isWorthAnother: () => false })
  c.comes(stanza('a'))
  await settle()
  assert.deepEqual([c.failures, c.answered], [['message effect: no'], []])
})

test('an ended connection takes and answers nothing more', async () => {
  const { begun, work, finish } = gate()
  const b = bench((answer) => [route({ tag: 'message' }, oneByOne('all'), [step('commit', 'written', work)], answer)])
  b.comes(stanza('a'), stanza('b'))
  b.router.fence()
  finish('a')
  b.comes(stanza('c'))
  await settle()
  assert.deepEqual([begun, b.answered, b.failures], [['a'], [], []])
})

test('beyond what may wait in a line stanzas are only answered', async () => {
  const { begun, work, finish } = gate()
  const b = bench((answer) => [route({ tag: 'receipt' }, oneByOne('retries', 2), [step('commit', 'again', work)], answer)])
  b.comes(...['a', 'b', 'c', 'd'].map((id) => stanza(id, {}, 'receipt')))
  await settle()
  assert.deepEqual([begun, b.answered, b.overflows], [['a'], ['c', 'd'], 2])
  for (const id of ['a', 'b']) {
    finish(id)
    await settle()
  }
  b.comes(stanza('e', {}, 'receipt'))
  assert.deepEqual(begun, ['a', 'b', 'e'])
})

test('a table is printed as it stands', () => {
  const nothing: Answer = { name: 'nothing', send() {} }
  const table = [
    route(
      { tag: 'notification', attrs: { type: 'devices' } },
      oneByOne('one by one'),
      [step('intercept', 'lists', () => {}), step('commit', 'event', () => {})],
      nothing,
    ),
    route({ tag: 'iq', child: 'sync' }, AT_ONCE, [], nothing),
  ]
  assert.deepEqual(describeTable(table), [
    'notification type=devices | one by one | intercept lists, commit event | answer nothing',
    'iq <sync> | at once | nothing | answer nothing',
  ])
})
