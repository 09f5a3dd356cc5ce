/**
 * Tests that the sessions of the dashboard survive a restart of the process, and that they end when they should. The
 * store is real.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ApiKey } from '../../../src/account/account.ts'
import { createDashboardSessions, isOverAt } from '../../../src/account/dashboard-sessions.ts'
import { keepSessions, removeSessions } from '../../../src/account/session-records.ts'
import { HOUR, MINUTE } from '../../../src/domain/clock.ts'
import type { WorkspaceId } from '../../../src/domain/ids.ts'
import { createMainRecords } from '../../../src/storage/main-records/create-main-records.ts'
import type { OpenStore } from '../../../src/storage/open-store.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { manualTime, recordingLog, START, sealer, tempStore, until } from '../storage/fixtures.ts'

const workspace = 'w' as WorkspaceId
const FROM = { address: '198.51.100.7', userAgent: 'a browser' }
const STAFF = { id: 'staff', scopes: ['instances:read'] } as unknown as ApiKey

/**
 * Each call of `start` simulates a new process on the same store. A test can change the keys and the clock in `state`.
 */
function bench(whole: OpenStore) {
  const state = { now: START, adminTag: 'admin', keys: [STAFF] as ApiKey[], isFull: false }
  const time = manualTime()
  const commit: OpenStore['commit'] = (batch) => (state.isFull ? Promise.reject(new Error('disk full')) : whole.commit(batch))
  const store = { ...whole, commit }
  const { lines, ...log } = recordingLog()
  const start = () =>
    createDashboardSessions({
      account: {
        adminKeyTag: () => state.adminTag,
        apiKey: (_, id) => state.keys.find((key) => key.id === id),
      },
      clock: { now: () => state.now },
      kept: keepSessions({ main: createMainRecords({ store, log }), sealer, log }),
      log,
      timer: time.timer,
    })
  const rows = () => store.count(keys.dashboardSessions)
  const stored = (count: number) => until(async () => (await rows()) === count, `${count} stored sessions`)
  return { state, start, stored, lines, time }
}

async function rowsOf(store: OpenStore) {
  const rows: (readonly [string, Uint8Array])[] = []
  for await (const row of store.range(keys.dashboardSessions)) rows.push(row)
  return rows
}

async function signedIn(t: TestContext, keyId: string | null = null) {
  const store = await tempStore(t)
  const world = bench(store)
  const sessions = await world.start()
  const { session, value, proof } = sessions.open({ workspace, keyId }, FROM)
  await world.stored(1)
  return { ...world, store, sessions, session, value, proof }
}

test('a session goes on after a start, with the same cookie and proof, and neither of them is stored', async (t) => {
  const { start, state, store, session, value, proof } = await signedIn(t)
  state.now += MINUTE
  const next = await start()
  assert.equal(next.use(value, 'another proof'), undefined)
  assert.deepEqual(next.use(value, proof), { ...session, lastUsedAt: state.now })
  assert.deepEqual(
    next.list(workspace).map(({ id }) => id),
    [session.id],
  )
  for await (const [key, bytes] of store.range(''))
    for (const secret of [value, proof]) assert.ok(!key.includes(secret) && !Buffer.from(bytes).includes(secret), key)
})

test('a use is stored at most once a minute, and keeps the session over a start', async (t) => {
  const { start, state, sessions, value, proof, store } = await signedIn(t)
  const [before] = await rowsOf(store)
  state.now += 59_000
  sessions.use(value, proof)
  state.now += 20 * MINUTE
  sessions.use(value, proof)
  await until(async () => {
    const [row] = await rowsOf(store)
    return !Buffer.from(row![1]).equals(Buffer.from(before![1]))
  }, 'the later use')
  state.now += 20 * MINUTE
  assert.notEqual((await start()).use(value, proof), undefined)
})

test('a session that was ended does not come back with the next start', async (t) => {
  const { start, sessions, session, value, proof } = await signedIn(t)
  assert.equal(await sessions.end('other' as WorkspaceId, session.id), false)
  assert.equal(await sessions.end(workspace, session.id), true)
  assert.equal((await start()).use(value, proof), undefined)
})

test('a session that was used and ended in one turn does not come back with the next start', async (t) => {
  const { start, state, sessions, session, value, proof } = await signedIn(t)
  state.now += 61_000
  assert.notEqual(sessions.use(value, proof), undefined)
  await sessions.end(workspace, session.id)
  assert.equal((await start()).use(value, proof), undefined)
})

test('a session whose removal failed can be ended again, and its removal is retried', async (t) => {
  const { state, sessions, session, value, proof, stored, time, lines } = await signedIn(t)
  state.isFull = true
  for (const _ of [1, 2]) await assert.rejects(sessions.end(workspace, session.id), /disk full/)
  assert.deepEqual([sessions.use(value, proof), sessions.list(workspace)], [undefined, []])
  time.advance(10_000)
  await until(() => lines.length === 1, 'the log of the failed retry')
  await time.idle()
  state.isFull = false
  time.advance(10_000)
  await stored(0)
  // The record disappears from the disk a moment before the retry ends, so the test waits for the retry.
  await until(async () => !(await sessions.end(workspace, session.id)), 'the end of the retry')
})

test('a page that only has its live stream keeps its session over a start', async (t) => {
  const { start, state, sessions, session, value, proof, store } = await signedIn(t)
  const [before] = await rowsOf(store)
  for (let minutes = 0; minutes < 31; minutes++) {
    state.now += MINUTE
    assert.ok(sessions.isOpen(session, true))
  }
  await until(async () => !Buffer.from((await rowsOf(store))[0]![1]).equals(Buffer.from(before![1])), 'a stored use')
  assert.notEqual((await start()).use(value, proof), undefined)
})

test('a start on a machine whose clock is some seconds behind keeps a session', async (t) => {
  const { start, state, value, proof, session } = await signedIn(t)
  state.now = START - 5_000
  const next = await start()
  assert.equal(next.list(workspace)[0]!.lastUsedAt, state.now)
  assert.equal(next.use(value, proof)!.id, session.id)
})

for (const [why, keyId, change] of [
  ['it was unused for too long', null, { now: START + 31 * MINUTE }],
  ['the clock was set back', null, { now: START - HOUR }],
  ['the admin key was rotated', null, { adminTag: 'next' }],
  ['its key was revoked', STAFF.id, { keys: [] }],
] as const)
  test(`a start ends a session if ${why}, and removes it`, async (t) => {
    const { start, stored, state, value, proof, lines } = await signedIn(t, keyId)
    Object.assign(state, change)
    const next = await start()
    assert.deepEqual([next.use(value, proof), next.list(workspace)], [undefined, []])
    await stored(0)
    assert.deepEqual(lines, [])
  })

test('a start without a dashboard removes the sessions, but not those that another service may still use', async (t) => {
  const { store, state } = await signedIn(t)
  const removed = async (isShared: boolean) => {
    const main = { ...createMainRecords({ store, log: recordingLog() }), isShared }
    await removeSessions({ store, main, sealer }, (session) => isOverAt(state.now, session))
    return (await rowsOf(store)).length
  }
  assert.equal(await removed(true), 1)
  state.now += 30 * MINUTE
  assert.equal(await removed(true), 0)
  const other = await signedIn(t)
  await removeSessions({ store: other.store, main: createMainRecords({ ...other, log: recordingLog() }), sealer }, () => false)
  assert.deepEqual(await rowsOf(other.store), [])
})
