import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InstanceRow } from '../../../src/domain/dashboard.ts'
import { connectionOf, csvOf, hasNoAccount, ordered, stateOf, troubleOf } from '../../../src/domain/instance-list.ts'

const row = (change: Partial<InstanceRow> = {}): InstanceRow => ({
  id: 'a',
  name: 'Shop',
  status: 'connected',
  status_reason: null,
  status_text: null,
  phone: '5511999990001',
  last_phone: '5511999990001',
  profile_name: null,
  platform: null,
  connected_at: '2026-01-31T12:00:00.000Z',
  disconnected_at: null,
  created_at: '2026-01-31T12:00:00.000Z',
  was_connected: true,
  banned_until: null,
  restriction: null,
  queue: 0,
  backlog: 0,
  refused_since: null,
  last_inbound_at: null,
  webhooks: 1,
  ...change,
})

test('what was never paired, and what its owner paused, is not broken', () => {
  assert.equal(stateOf(row({ status: 'stopped', was_connected: false })), 'not_paired')
  assert.equal(stateOf(row({ status: 'logged_out', was_connected: false })), 'not_paired')
  assert.equal(stateOf(row({ status: 'stopped', status_reason: 'paused' })), 'paused')
  assert.equal(stateOf(row({ status: 'stopped', status_reason: 'bad_session' })), 'stopped')
  assert.equal(stateOf(row({ status: 'qr', was_connected: false })), 'qr')
})

test('what has no linked device cannot be logged out', () => {
  assert.equal(hasNoAccount(row({ status: 'logged_out' })), true)
  assert.equal(hasNoAccount(row({ status: 'stopped', was_connected: false })), true)
  for (const status of ['connected', 'banned', 'stopped', 'qr'] as const) assert.equal(hasNoAccount(row({ status })), false)
})

test('trouble comes first, the worst of it first', () => {
  const rows = [
    row({ id: 'well' }),
    row({ id: 'new', status: 'stopped', was_connected: false }),
    row({ id: 'pairing', status: 'connecting', was_connected: false }),
    row({ id: 'paused', status: 'stopped', status_reason: 'paused' }),
    row({ id: 'restricted', restriction: { type: 'reachout_timelock', until: null, since: '' } as never }),
    row({ id: 'full', queue: 1_000 }),
    row({ id: 'away', status: 'disconnected' }),
    row({ id: 'banned', status: 'banned' }),
    row({ id: 'out', status: 'logged_out' }),
  ]
  const sorted = ordered(rows, 'trouble').map(({ id }) => id)
  assert.deepEqual(sorted, ['banned', 'out', 'away', 'full', 'restricted', 'pairing', 'well', 'paused', 'new'])
  assert.deepEqual(
    rows.filter((each) => troubleOf(each) === 0).map(({ id }) => id),
    ['well', 'new', 'pairing', 'paused'],
  )
})

test('names are ordered by their numbers', () => {
  const names = ['Shop 10', 'Shop 2', 'shop 1'].map((name, at) => row({ id: String(at), name }))
  assert.deepEqual(
    ordered(names, 'name').map(({ name }) => name),
    ['shop 1', 'Shop 2', 'Shop 10'],
  )
})

test('the export quotes what a file or a spreadsheet would misunderstand', () => {
  const [head, ...lines] = csvOf([row({ name: 'A, "B"' }), row({ name: '=HYPERLINK("x")', phone: null, queue: null })]).split(
    '\r\n',
  )
  assert.equal(head, '\uFEFFid,name,status,phone,last_phone,profile_name,queue,backlog,last_inbound_at,created_at')
  assert.equal(lines[0], 'a,"A, ""B""",connected,5511999990001,5511999990001,,0,0,,2026-01-31T12:00:00.000Z')
  assert.equal(lines[1], `a,"'=HYPERLINK(""x"")",connected,,5511999990001,,,0,,2026-01-31T12:00:00.000Z`)
  // Spreadsheet programs in Portuguese or Spanish split lines at semicolons, even inside of quotes.
  // So such a name must not begin a formula after a semicolon.
  const named = (name: string) =>
    csvOf([row({ name, phone: null })])
      .split('\r\n')[1]!
      .split(',connected')[0]
  assert.equal(named('Shop;=1+1'), "a,Shop;'=1+1")
  assert.equal(named('Shop; \t@SUM(A1)'), "a,Shop; \t'@SUM(A1)")
  assert.equal(named(';"=1"'), `a,";""'=1"""`)
  assert.equal(named('＝1'), "a,'＝1")
  assert.equal(named('Shop - 2'), 'a,Shop - 2')
})

test('an instance that is not connected shows until when it was, not when it logged in', () => {
  const login = '2026-01-28T12:00:00.000Z'
  const end = '2026-01-31T12:00:00.000Z'
  const of = (change: Partial<InstanceRow>) => connectionOf(row({ connected_at: login, ...change }))
  assert.deepEqual(of({ status: 'connected' }), { is: 'connected', at: login })
  assert.deepEqual(of({ status: 'disconnected', disconnected_at: end }), { is: 'until', at: end })
  assert.deepEqual(of({ status: 'starting' }), { is: 'login', at: login })
  // In this row every login failed, so the instance was never connected.
  assert.deepEqual(of({ status: 'disconnected', connected_at: null, disconnected_at: end }), { is: 'login', at: null })
  for (const status of ['logged_out', 'qr', 'banned'] as const)
    assert.deepEqual(of({ status, connected_at: null, disconnected_at: end }), { is: 'ended', at: end })
  assert.deepEqual(of({ status: 'qr', connected_at: null }), { is: 'login', at: null })
})
