/** Tests the order in which services are listed, and when one of them may hand over or leave its cluster. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SECOND } from '../../../src/domain/clock.ts'
import type { Failure } from '../../../src/domain/failures.ts'
import type { Log } from '../../../src/domain/log.ts'
import type { ServiceNode } from '../../../src/domain/nodes.ts'
import type { LeaveAnswer } from '../../../src/peer/reach-caller.ts'
import { type Listening, listen, type Waiting } from '../../../src/serve.ts'
import { createNodes } from '../../../src/service/nodes.ts'
import { markOf, standbyQuestions } from '../../../src/storage/drivers/postgres/owner/standbys.ts'
import type { Member } from '../../../src/storage/members.ts'
import { freePort } from '../../faults/ground.ts'
import { membersOf } from '../storage/fixtures.ts'

const NOW = 1_000_000
const HOST = '127.0.0.1'
const SILENT: Log = { info() {}, warn() {}, error() {} }
const SELF = { id: 'self', name: 'node-a', release: '1.0.0' }
/** Id by which the standbys know the active service. */
const OWNER = 'owner'
const ORIGIN = { workspace: 'w', address: '192.0.2.1' }
let standby: Listening | undefined
const row = (id: string, change: Partial<ServiceNode> = {}): ServiceNode => ({
  ...SELF,
  id,
  writer: undefined,
  address: undefined,
  healthAddress: standby && { host: HOST, port: standby.port },
  state: 'standby',
  since: NOW,
  seenAt: NOW,
  silentMs: 0,
  takeover: undefined,
  ...change,
})
const active = row('self', { state: 'active', healthAddress: undefined })

before(async () => {
  standby = await listen({ host: HOST, port: 0 })
  answerWith('standby')
})
after(() => standby?.close())
const answerWith = (reason: Waiting['reason'], owner = OWNER) =>
  standby!.explain(() => ({ sentence: 'It waits.', reason, active: markOf(owner) }))

function nodesOf(rows: ServiceNode[] | undefined, isStandby = true) {
  let stops = 0
  const lines: object[] = []
  const { waitsForTurn } = standbyQuestions(OWNER)
  const nodes = createNodes({
    node: SELF,
    store: rows === undefined ? {} : { nodes: async () => rows, waitsForTurn },
    isStandby,
    instancesOf: () => 7,
    clock: { now: () => NOW },
    stopSoon: () => stops++,
    log: { ...SILENT, info: (fields) => void lines.push(fields) },
  })
  const refusal = (id: string) =>
    nodes.drain(id, ORIGIN).then(
      () => 'drains',
      ({ code, message }: Failure) => `${code}: ${message}`,
    )
  return { list: nodes.list, refusal, stops: () => stops, lines }
}

test('the active service is listed first, then standbys, then lost ones, each with the newest first', async () => {
  const { list } = nodesOf([row('l', { state: 'lost' }), row('s1', { since: 1 }), row('s2', { since: 2 }), active])
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    ['self', 's2', 's1', 'l'],
  )
})

test('a service whose store only this machine can use is alone, and hands over to nobody', async () => {
  const { list, refusal } = nodesOf(undefined)
  assert.deepEqual(await list(), [{ ...active, instances: 7 }])
  assert.match(await refusal('self'), /^not_allowed: No standby is ready/)
})

test('only the active service hands over, and only to a standby that shows itself', async () => {
  const lost = row('l', { state: 'lost', silentMs: 60 * SECOND })
  const silent = row('s', { silentMs: 3 * SECOND })
  // This service was killed, and then the clock of the database was set back.
  const future = row('f', { seenAt: NOW + 4 * SECOND, silentMs: -4 * SECOND })
  const without = nodesOf([active, lost, silent, future])
  assert.match(await without.refusal('self'), /^not_allowed: No standby is ready/)
  const pair = nodesOf([active, lost, future, row('s', { silentMs: 2 * SECOND })])
  assert.match(await pair.refusal('s'), /^not_allowed: The service node-a is not the active one \(its state is standby\)/)
  assert.match(await pair.refusal('l'), /its state is lost/)
  const off = nodesOf([active, row('s')], false)
  assert.match(await off.refusal('self'), /^not_allowed: .* Start it with SVC_STANDBY=on first\.$/)
  assert.match(await pair.refusal('nobody'), /^not_found/)
  assert.deepEqual([without.stops(), pair.stops()], [0, 0])
  assert.deepEqual([await pair.refusal('self'), pair.stops(), pair.lines], ['drains', 1, [{ ...ORIGIN, standby: 'node-a' }]])
})

test('a standby that is listed, but does not answer that it waits to take over, is no reason to end', async () => {
  const { refusal, stops } = nodesOf([active, row('s', { name: 'node-b' })])
  const refused = new RegExp(`^not_allowed: No standby answers .* Asked: node-b \\(127\\.0\\.0\\.1:${standby!.port}\\)`)
  for (const reason of ['stopping', 'database', undefined] as const) {
    answerWith(reason)
    assert.match(await refusal('self'), refused, reason)
  }
  answerWith('standby', 'another owner')
  assert.match(await refusal('self'), refused)
  const killed = row('k', { healthAddress: { host: HOST, port: await freePort() } })
  const unknown = row('u', { name: 'node-u', healthAddress: undefined })
  assert.match(await nodesOf([active, killed, unknown]).refusal('self'), /node-a \(127\.0\.0\.1:\d+\), node-u \(no address\)/)
  answerWith('standby')
  assert.equal(await nodesOf([active, killed, row('s')]).refusal('self'), 'drains')
  assert.equal(stops(), 0)
})

/** A member of a cluster with one other member, `node-b`. */
function memberOf() {
  const address = { host: '10.0.0.3', port: 8090 }
  const rows = [
    active,
    row('b', { state: 'active', address, writer: 'writer' }),
    row('c', { state: 'leaving' }),
    row('l', { state: 'lost' }),
    row('unknown', { name: 'node-u', state: 'active', writer: 'another' }),
  ]
  const other: Member = { id: 'writer', name: 'node-b', ...address }
  const now = {
    others: [other],
    answer: 'leaves' as LeaveAnswer | undefined,
    /** The decision of the database; undefined if it does not answer. */
    mayLeave: true as boolean | undefined,
    stops: 0,
    asked: [] as string[],
  }
  let leave: () => Promise<LeaveAnswer> = async () => 'stays'
  const members = {
    ...membersOf(() => now.others),
    leaveIfOthersStay: async () => now.mayLeave ?? assert.fail('the database is away'),
  }
  const nodes = createNodes({
    node: SELF,
    store: { nodes: async () => rows, members },
    link: {
      setLeave(next) {
        leave = next
      },
      async askToLeave({ id }) {
        now.asked.push(id)
        return now.answer
      },
    },
    isStandby: false,
    instancesOf: (writer) => (writer === 'writer' ? 5 : 4),
    clock: { now: () => NOW },
    stopSoon: () => now.stops++,
    log: SILENT,
  })
  const drain = (id: string) =>
    nodes.drain(id, ORIGIN).then(
      () => 'leaves',
      ({ message }: Failure) => message,
    )
  return { now, other, drain, list: nodes.list, leave: () => leave() }
}
const NO_OTHER = /^No other member of the cluster can take the accounts/
const UNDECIDED = /^The database has not decided in time whether the service node-a may leave, so it stays/

test('a member of a cluster leaves, or passes the request on to the member that should, if another one can take its accounts', async () => {
  const { now, drain, list, leave } = memberOf()
  assert.deepEqual([await leave(), await drain('self'), now.stops], ['leaves', 'leaves', 2])
  const passing = memberOf()
  passing.now.answer = undefined
  assert.match(await passing.drain('b'), /has not answered in three seconds/)
  for (const [answer, message] of [
    ['alone', NO_OTHER],
    ['undecided', /may leave, so it stays/],
  ] as const) {
    passing.now.answer = answer
    assert.match(await passing.drain('b'), message)
  }
  passing.now.answer = 'leaves'
  assert.deepEqual([await passing.drain('b'), passing.now.asked, passing.now.stops], ['leaves', Array(4).fill('writer'), 0])
  assert.match(await drain('c'), /already gives its accounts away/)
  assert.match(await drain('unknown'), /^The service node-u is no member that this one can ask\./)
  assert.deepEqual(
    (await list()).map(({ id, instances }) => [id, instances]),
    [
      ['self', 4],
      ['b', 5],
      ['unknown', 4],
      ['c', 4],
      ['l', undefined],
    ],
  )
  assert.match(await drain('l'), /has no accounts to give away \(its state is lost\)/)
  now.mayLeave = false
  assert.match(await drain('self'), NO_OTHER)
  assert.deepEqual([await leave(), now.stops], ['alone', 2])
  now.mayLeave = undefined
  assert.match(await drain('self'), UNDECIDED)
  assert.deepEqual([await leave(), now.stops], ['undecided', 2])
})
