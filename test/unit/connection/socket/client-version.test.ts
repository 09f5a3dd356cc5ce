import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_CONNECTION_CONFIG, type WAVersion } from '@whiskeysockets/baileys'
import {
  afterLogin,
  afterRefusal,
  BUILT_IN_VERSION,
  createWebVersion,
  isNewer,
  startVersion,
  type VersionState,
} from '../../../../workers/shard/connection/socket/client-version.ts'

const v = (n: number): WAVersion => [2, 3000, n]
const OLD = v(1)
const NEW = v(2_000_000_000)

test('ours is not older than the library’s', () => {
  assert.equal(isNewer(DEFAULT_CONNECTION_CONFIG.version, BUILT_IN_VERSION), false)
})

test('versions compare part by part', () => {
  assert.equal(isNewer([2, 3000, 5], [2, 2999, 9]), true)
  assert.equal(isNewer([2, 3000, 5], [2, 3000, 5]), false)
  assert.equal(isNewer([2, 3000, 4], [2, 3000, 5]), false)
})

test('a release with a newer version replaces a stored older one, not a newer one', () => {
  assert.deepEqual(startVersion(null).current, BUILT_IN_VERSION)
  const stored = { current: OLD, lastGood: OLD, refused: [] }
  assert.deepEqual(startVersion(stored).current, BUILT_IN_VERSION)
  assert.deepEqual(startVersion({ ...stored, current: NEW }).current, NEW)
})

test('what the operator wants comes before all, unless the network has refused it', () => {
  assert.deepEqual(startVersion(null, OLD).current, OLD)
  const stored = { current: NEW, lastGood: NEW, refused: [v(3)] }
  assert.deepEqual(startVersion(stored, OLD), { ...stored, current: OLD })
  assert.deepEqual(startVersion(stored, v(3)).current, NEW)
})

test('after a refusal comes the fetched one, else the last good, else the built-in, each only once', () => {
  const state: VersionState = { current: v(7), lastGood: v(6), refused: [] }
  assert.deepEqual(afterRefusal(state, v(7), NEW).current, NEW)
  const second = afterRefusal(state, v(7), null)
  assert.deepEqual([second.current, second.isChanged], [v(6), true])
  const third = afterRefusal(second, v(6), v(7))
  assert.deepEqual([third.current, third.isChanged], [BUILT_IN_VERSION, true])
  const none = afterRefusal(third, BUILT_IN_VERSION, null)
  assert.deepEqual([none.current, none.isChanged], [BUILT_IN_VERSION, false])
})

test('a login makes a version good again', () => {
  const state = afterLogin({ current: v(7), lastGood: null, refused: [v(7), v(6)] }, v(7))
  assert.deepEqual(state, { current: v(7), lastGood: v(7), refused: [v(6)] })
})

test('many instances refused together fetch once and move once', async () => {
  const saved: VersionState[] = []
  let fetched = 0
  const version = createWebVersion({
    stored: null,
    save: async (state) => void saved.push(state),
    refresh: async () => {
      fetched += 1
      return NEW
    },
    onError: (error) => assert.fail(String(error)),
  })
  assert.equal(fetched, 0)
  const used = version.current()
  assert.deepEqual(await Promise.all([version.refused(used), version.refused(used), version.refused(used)]), [true, true, true])
  assert.equal(fetched, 1)
  assert.equal(saved.length, 1)
  assert.deepEqual(version.current(), NEW)
  await version.loggedIn(NEW)
  await version.loggedIn(NEW)
  assert.equal(saved.length, 2)
  assert.deepEqual(saved[1]!.lastGood, NEW)
})

test('a failed refresh is reported and the other candidates count', async () => {
  const errors: unknown[] = []
  const version = createWebVersion({
    stored: { current: NEW, lastGood: null, refused: [] },
    save: async () => {},
    refresh: async () => {
      throw new Error('offline')
    },
    onError: (error) => errors.push(error),
  })
  assert.equal(await version.refused(NEW), true)
  assert.deepEqual(version.current(), BUILT_IN_VERSION)
  assert.equal(await version.refused(BUILT_IN_VERSION), false)
  assert.equal(errors.length, 2)
})
