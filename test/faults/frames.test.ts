/**
 * Compressed frames must stay in order, and large frames must not block other work. A malicious frame must only end the
 * connection, with one line in the log.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { type BinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys'
import { pino } from 'pino'
import { MAX_INFLATED } from '../../workers/shard/network/frames/frame-reader.ts'
import { ANA, ME } from '../e2e/received/story.ts'
import { until } from './ground.ts'
import { startHosted } from './hosted.ts'

const lines: { msg: string; err?: { message: string } }[] = []
const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) })

const world = await startHosted(ME, { log })
await world.sandbox.createContact(ANA)
after(() => world?.stop())

const jidOfAna = (device: number) => `${ANA}:${device}@s.whatsapp.net`

/**
 * Builds a notification about the devices of a person. The service handles notifications of one kind one after the
 * other.
 */
const notice = (id: string, devices: number): BinaryNode => ({
  tag: 'notification',
  attrs: { type: 'devices', from: `${ANA}@s.whatsapp.net`, id, t: '1700000000' },
  content: [
    {
      tag: 'update',
      attrs: {},
      content: Array.from({ length: devices }, (_, n) => ({ tag: 'device', attrs: { jid: jidOfAna(n), 'key-index': `${n}` } })),
    },
  ],
})
const plain = (node: BinaryNode): Buffer => encodeBinaryNode(node)
const compressed = (node: BinaryNode): Buffer => Buffer.concat([Buffer.of(2), deflateSync(plain(node).subarray(1))])
const push = (...frames: Buffer[]) =>
  world.sandbox.post('/frames', { phone: ME, frames: frames.map((frame) => frame.toString('base64')) })

/**
 * Runs `act`, which sends stanzas to the service. Resolves with the ids of the first `count` stanzas with which the
 * service answers, in order.
 */
async function answersTo(count: number, act: () => Promise<unknown>): Promise<(string | undefined)[]> {
  const match = { from: 'client', tag: 'ack', attrs: { class: 'notification' } }
  const { id } = await world.sandbox.post<{ id: string }>('/expect', { match, count, wait_ms: 0 })
  await act()
  const { items } = await world.sandbox.get<{ items: { node: [string, Record<string, string>] }[] }>(
    `/expect/${id}?wait_ms=20000`,
  )
  return items.map(({ node }) => node[1].id)
}

test('a compressed frame is handled before the small ones that came behind it', async () => {
  const ids = ['L1', 'S2', 'C3', 'S4', 'L5', 'S6']
  const frames = [
    compressed(notice('L1', 4_000)),
    plain(notice('S2', 1)),
    compressed(notice('C3', 1)),
    plain(notice('S4', 1)),
    plain(notice('L5', 4_000)),
    plain(notice('S6', 1)),
  ]
  assert.deepEqual(await answersTo(ids.length, () => push(...frames)), ids)
  assert.equal(world.state().status, 'connected')
})

const LIST_8 = 248
const LIST_16 = 249
const LEAF = [LIST_8, 1, 9]
const HOSTILE: readonly [what: string, why: RegExp, frame: () => Buffer][] = [
  ['inflates to more than any', /larger than/, () => Buffer.concat([Buffer.of(2), deflateSync(Buffer.alloc(MAX_INFLATED + 1))])],
  [
    'has ten thousand nodes in one another',
    /nested too deep/,
    () => Buffer.from([0, ...Array.from({ length: 10_000 }, () => [LIST_8, 2, 9, LIST_8, 1]).flat(), ...LEAF]),
  ],
  [
    'names more children than it has, on each level',
    /it ends too early/,
    () => Buffer.from([0, ...Array.from({ length: 500 }, () => [LIST_8, 2, 9, LIST_16, 255, 255]).flat(), ...LEAF]),
  ],
  ['says that it is compressed and is not', /incorrect header/, () => Buffer.from([2, 1, 2, 3])],
]
for (const [what, why, frame] of HOSTILE) {
  test(`a frame that ${what} ends the connection, and the next one brings what came meanwhile`, async () => {
    lines.length = 0
    const stalledBefore = world.deps.tally.numbers().get('svc_inbound_stalled_total|frame') ?? 0
    await push(frame(), plain(notice('never', 1)))
    await until('the connection is replaced', () => world.state().status !== 'connected')
    const { id } = await world.sandbox.send(ANA, ME, { text: `after it ${what}` })
    await world.untilRelinked('connected', () => world.state().status === 'connected')
    await world.receiver.waitFor(what, ({ message_id }) => message_id === id)
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['a frame could not be decrypted or decoded; reconnecting'],
    )
    assert.match(lines[0]!.err!.message, why)
    assert.equal(world.deps.tally.numbers().get('svc_inbound_stalled_total|frame'), stalledBefore + 1)
  })
}

const PEOPLE = 3_000
const GROUP = '120363000000000001@g.us'
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))
const pn = (index: number) => `${15_550_200_000 + index}@s.whatsapp.net`
const lid = (index: number) => `${81_896_700_000_000 + index}@lid`
const element = (tag: string, attrs: Record<string, string>, content?: BinaryNode[]): BinaryNode => ({
  tag,
  attrs,
  ...(content ? { content } : {}),
})

/**
 * Counts the records that the service writes during `act`. `most`: the largest number in one turn of the event loop.
 */
async function writtenBy(act: () => Promise<unknown>): Promise<{ most: number; all: number }> {
  let [now, most, all, isOver] = [0, 0, 0, false]
  world.refuse(({ ops }) => {
    now += ops.length
    all += ops.length
    most = Math.max(most, now)
    return false
  })
  const turn = () => {
    now = 0
    if (!isOver) setImmediate(turn)
  }
  turn()
  await act()
  isOver = true
  world.refuse(null)
  return { most, all }
}

/**
 * Maximum number of records that the service may write in one turn of the event loop: two for each of the 100 pairs
 * (number and LID) in a slice, and at most as many others.
 */
const MOST = 400

test(`${PEOPLE} members who come to a group at once are written in slices`, async () => {
  const added = element('notification', { type: 'w:gp2', from: GROUP, id: 'ADDED', t: '1700000000', participant: pn(0) }, [
    element(
      'add',
      {},
      times(PEOPLE, (index) => element('participant', { jid: lid(index), phone_number: pn(index) })),
    ),
  ])
  const { most, all } = await writtenBy(() => answersTo(1, () => push(compressed(added))))
  assert.ok(all >= PEOPLE, `${all} records`)
  assert.ok(most <= MOST, `${most} records in one turn`)
})

test('300 groups of 20 members, all asked for, are read and written in slices', async (t) => {
  const groups = times(300, (number) => [
    'group',
    { id: `12036300000001${String(number).padStart(4, '0')}`, subject: `group ${number}`, creation: '1', s_t: '1', p_v_id: '1' },
    times(20, (index) => ['participant', { jid: lid(number * 10 + index), phone_number: pn(number * 10 + index) }]),
  ])
  const { sandbox } = world
  await sandbox.post('/answers', {
    match: { xmlns: 'w:g2', child: 'participating' },
    do: { result: [['groups', {}, groups]] },
    times: 1,
  })
  const match = { from: 'client', tag: 'iq', xmlns: 'urn:xmpp:whatsapp:dirty' }
  const { id } = await sandbox.post<{ id: string }>('/expect', { match, wait_ms: 0 })
  const dirty = element('ib', { from: 's.whatsapp.net' }, [element('dirty', { type: 'groups', timestamp: '1700000000' })])
  const { most, all } = await writtenBy(async () => {
    await push(plain(dirty))
    const { complete } = await sandbox.get<{ complete: boolean }>(`/expect/${id}?wait_ms=20000`)
    assert.ok(complete, 'all are read')
  })
  t.diagnostic(`${all} records, ${most} in one turn`)
  assert.ok(all >= 300, `${all} records`)
  assert.ok(most <= MOST, `${most} records in one turn`)
})
