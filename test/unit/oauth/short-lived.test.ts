/**
 * Tests that consent pages and codes survive a restart of the process, are valid only once, and expire. Codes also end
 * with their instance, their workspace or its admin key. The store is real.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { MINUTE } from '../../../src/domain/clock.ts'
import type { InstanceId, WorkspaceId } from '../../../src/domain/ids.ts'
import { StorageFailure } from '../../../src/domain/storage-failure.ts'
import { parseRanges } from '../../../src/egress/addresses.ts'
import { createKeyedMutex } from '../../../src/lib/keyed-mutex.ts'
import { createOauth } from '../../../src/oauth/create.ts'
import type { Oauth } from '../../../src/oauth/oauth.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import { createMainRecords } from '../../../src/storage/main-records/create-main-records.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { INSTANCE, recordingLog, START, sealer, tempStore } from '../storage/fixtures.ts'

const CALLBACK = 'http://127.0.0.1:9/callback'
const VERIFIER = 'v'.repeat(43)
const challenge = createHash('sha256').update(VERIFIER).digest('base64url')
const workspace = 'w' as WorkspaceId
const instance = INSTANCE as InstanceId
const OWNER = { workspace, keyTag: 'tag' }
const OF = { clientId: 'app', redirectUri: CALLBACK, verifier: VERIFIER }
const REQUEST = { client: { id: 'app', name: 'Assistant' }, redirectUri: CALLBACK, challenge, state: 's' }

/** Each call of `start` simulates a new process on the same store. */
async function bench(t: TestContext) {
  const whole = await tempStore(t)
  await whole.commit({ ops: [[keys.config(instance), Buffer.from('{}')]] })
  const state = { now: START, isFull: false, keyTag: OWNER.keyTag }
  /** Mutex of the workspace, in which its admin key is replaced. */
  const turn = createKeyedMutex()
  const commit: StateStore['commit'] = (batch) =>
    state.isFull ? Promise.reject(new StorageFailure('The disk is full.', { isFull: true })) : whole.commit(batch)
  async function started(store: StateStore = { ...whole, commit }) {
    const clock = { now: () => state.now }
    const { lines, ...log } = recordingLog()
    const main = createMainRecords({ store, log })
    const catchUp = async () => {}
    const keyTagOf = () => state.keyTag
    const settled = () => turn.run(workspace, async () => {})
    const oauth = createOauth({ store, main, sealer, clock, log, allow: parseRanges([]), keyTagOf, settled, catchUp })
    await oauth.load()
    t.after(() => oauth.stop())
    return { oauth, main, lines }
  }
  const start = async (store?: StateStore): Promise<Oauth> => (await started(store)).oauth
  const count = async () => [await whole.count(keys.oauthConsents), await whole.count(keys.oauthCodes)]
  return { store: whole, state, turn, start, started, count }
}

async function identified(oauth: Oauth) {
  const { ticket } = await oauth.ask(REQUEST)
  return (await oauth.identified(ticket, OWNER))!
}
const approved = async (oauth: Oauth) => (await oauth.approve((await identified(oauth)).ticket, { workspace, instance }))!

test('each step of a consent goes on after a start, and no secret of it is stored', async (t) => {
  const { store, start } = await bench(t)
  const asked = await (await start()).ask(REQUEST)
  const known = (await (await start()).identified(asked.ticket, OWNER))!
  const next = await start()
  assert.equal(await next.consent(known.ticket, asked.cookie), undefined)
  assert.deepEqual((await next.consent(known.ticket, known.cookie))!.owner, OWNER)
  const code = (await next.approve(known.ticket, { workspace, instance }))!
  const secrets = [asked.ticket, asked.cookie, known.ticket, known.cookie, code]
  for await (const [key, bytes] of store.range(''))
    for (const secret of secrets) assert.ok(!key.includes(secret) && !Buffer.from(bytes).includes(secret), key)
  const last = await start()
  const { accessToken } = (await last.redeem(code, OF))!
  assert.equal(last.authenticate(accessToken)!.instance, instance)
  assert.equal((await start()).authenticate(accessToken)!.clientName, 'Assistant')
})

test('a page that was answered or refused is closed after a start, too', async (t) => {
  const { start } = await bench(t)
  const [answered, refused] = [await identified(await start()), await identified(await start())]
  assert.ok(await (await start()).approve(answered.ticket, { workspace, instance }))
  await (await start()).close(refused.ticket)
  for (const { ticket, cookie } of [answered, refused]) {
    const oauth = await start()
    assert.equal(await oauth.consent(ticket, cookie), undefined)
    assert.equal(await oauth.approve(ticket, { workspace, instance }), undefined)
  }
})

test('a code that was redeemed before a start revokes its app when it is redeemed again', async (t) => {
  const { start } = await bench(t)
  const oauth = await start()
  const code = await approved(oauth)
  const { accessToken } = (await oauth.redeem(code, OF))!
  const next = await start()
  assert.ok(next.authenticate(accessToken))
  assert.equal(await next.redeem(code, OF), undefined)
  assert.equal(next.authenticate(accessToken), undefined)
  assert.deepEqual((await start()).list(workspace), [])
})

test('of two requests that redeem a code at the same moment one gets an app, and the other revokes it', async (t) => {
  const { store, start } = await bench(t)
  const oauth = await start()
  const code = await approved(oauth)
  const tokens = await Promise.all([oauth.redeem(code, OF), oauth.redeem(code, OF)])
  assert.equal(tokens.filter(Boolean).length, 1)
  assert.equal(await store.count(keys.oauthApps), 0)
  assert.deepEqual(oauth.list(workspace), [])
})

test('of two approvals of a page at the same moment one gets a code', async (t) => {
  const { start, count } = await bench(t)
  const oauth = await start()
  const { ticket } = await identified(oauth)
  const codes = await Promise.all([1, 2].map(() => oauth.approve(ticket, { workspace, instance })))
  assert.equal(codes.filter(Boolean).length, 1)
  assert.deepEqual(await count(), [1, 1])
})

test('an app that is revoked with its instance does not come back with a change that was on its way', async (t) => {
  const { store, start, started } = await bench(t)
  const { oauth, main } = await started()
  const { refreshToken, accessToken } = (await oauth.redeem(await approved(oauth), OF))!
  // Both changes are decided before the first one is stored. The revocation must win.
  await Promise.all([main.change(() => oauth.endOf({ instance })), oauth.refresh(refreshToken, 'app')])
  assert.deepEqual(oauth.list(workspace), [])
  assert.equal(oauth.authenticate(accessToken), undefined)
  assert.equal(await store.count(keys.oauthApps), 0)
  assert.deepEqual((await start()).list(workspace), [])
})

test('a code makes no app if its instance is deleted while it is redeemed', async (t) => {
  const { store, started } = await bench(t)
  const { oauth, main } = await started()
  const code = await approved(oauth)
  const [, tokens] = await Promise.all([
    main.change(() => ({ ops: [[keys.config(instance), null], ...oauth.endOf({ instance }).ops] })),
    oauth.redeem(code, OF),
  ])
  assert.equal(tokens, undefined)
  assert.equal(await store.count(keys.oauthApps), 0)
})

test('a start goes on with a record that cannot be read, and removes it', async (t) => {
  const { store, started, count } = await bench(t)
  await store.commit({ ops: [keys.oauthConsents, keys.oauthCodes].map((prefix) => [`${prefix}broken`, Buffer.from('broken')]) })
  const { lines } = await started()
  assert.equal(lines.length, 2)
  assert.deepEqual(await count(), [0, 0])
})

test('pages and codes end, and the next start or the next page removes them', async (t) => {
  const { state, start, count } = await bench(t)
  const oauth = await start()
  const [page, code] = [await identified(oauth), await approved(oauth)]
  assert.deepEqual(await count(), [3, 1])
  state.now += MINUTE
  assert.equal(await oauth.redeem(code, OF), undefined)
  assert.ok(await (await start()).consent(page.ticket, page.cookie))
  assert.deepEqual(await count(), [3, 0])
  // The page after the identification of the owner expires at the same time as the first page.
  state.now += 9 * MINUTE
  assert.equal(await oauth.consent(page.ticket, page.cookie), undefined)
  assert.equal(await oauth.approve(page.ticket, { workspace, instance }), undefined)
  await oauth.ask(REQUEST)
  assert.deepEqual(await count(), [1, 0])
  // The clock was ahead when the page was written, and is now set back.
  state.now -= MINUTE + 1
  await start()
  assert.deepEqual(await count(), [0, 0])
})

test('a code ends with the apps of its instance and of its workspace, also after a start', async (t) => {
  const { start, started } = await bench(t)
  for (const of of [{ instance }, { workspace }]) {
    const code = await approved(await start())
    const { oauth, main } = await started()
    const other = oauth.endOf('instance' in of ? { instance: 'another' } : { workspace: 'another' as WorkspaceId })
    assert.deepEqual(other.ops, [])
    await main.change(() => oauth.endOf(of))
    assert.equal(await oauth.redeem(code, OF), undefined)
  }
})

test('a step that the disk refuses changes nothing, and can be repeated', async (t) => {
  const { state, start, count } = await bench(t)
  const oauth = await start()
  async function refusedFirst<T>(step: () => Promise<T>): Promise<T> {
    const before = await count()
    state.isFull = true
    await assert.rejects(step(), StorageFailure)
    state.isFull = false
    assert.deepEqual(await count(), before)
    return step()
  }
  const { ticket } = await refusedFirst(() => oauth.ask(REQUEST))
  const known = await refusedFirst(() => oauth.identified(ticket, OWNER))
  const code = (await refusedFirst(() => oauth.approve(known!.ticket, { workspace, instance })))!
  const wrong = await approved(oauth)
  assert.equal(await refusedFirst(() => oauth.redeem(wrong, { ...OF, clientId: 'another' })), undefined)
  assert.equal(await oauth.redeem(wrong, OF), undefined)
  const { accessToken } = (await refusedFirst(() => oauth.redeem(code, OF)))!
  assert.ok(oauth.authenticate(accessToken))
  assert.equal(await refusedFirst(() => oauth.redeem(code, OF)), undefined)
  assert.equal(oauth.authenticate(accessToken), undefined)
  await refusedFirst(() => oauth.close(ticket))
  assert.deepEqual(await count(), [1, 2])
})

test('a code that was approved with an admin key that is replaced makes no app, also while it is redeemed', async (t) => {
  const { state, start, store } = await bench(t)
  const oauth = await start()
  const before = await approved(oauth)
  state.keyTag = 'another tag'
  assert.equal(await oauth.redeem(before, OF), undefined)
  assert.deepEqual(oauth.list(workspace), [])

  state.keyTag = OWNER.keyTag
  const during = await start({
    ...store,
    async commit(batch) {
      const isStored = await store.commit(batch)
      if (batch.ops.some(([key, value]) => key.startsWith(keys.oauthApps) && value !== null)) state.keyTag = 'another tag'
      return isStored
    },
  })
  assert.equal(await during.redeem(await approved(during), OF), undefined)
  assert.deepEqual(during.list(workspace), [])
})

test('no app is left if the admin key is replaced, or the instance deleted, while the commit of a redeem is under way', async (t) => {
  for (const how of ['rotation', 'deletion'] as const) {
    const { store, state, turn, started } = await bench(t)
    let sent = 0
    // Each commit takes effect at once, but its answer comes later.
    const commit: StateStore['commit'] = async (batch) => {
      const isStored = await store.commit(batch)
      await pause(20 * ++sent)
      return isStored
    }
    const { oauth, main } = await started({ ...store, commit })
    const code = await approved(oauth)
    const before = sent
    const redeeming = oauth.redeem(code, OF)
    while (sent === before) await pause(1)
    const of = how === 'rotation' ? { workspace } : { instance }
    const ending = turn.run(workspace, () =>
      main.change(() => ({
        ops: [
          ...(how === 'deletion' ? [[keys.config(instance), null] as const] : []),
          [keys.order('x'), Buffer.from('1')],
          ...oauth.endOf(of).ops,
        ],
        committed: () => (state.keyTag = how === 'rotation' ? 'another tag' : state.keyTag),
      })),
    )
    assert.equal(await redeeming, undefined, how)
    await ending
    assert.deepEqual(oauth.list(workspace), [], how)
    assert.equal(await store.count(keys.oauthApps), 0, how)
  }
})

test('a code is redeemed although the clock was set back after it was given out', async (t) => {
  const { state, start } = await bench(t)
  const oauth = await start()
  const code = await approved(oauth)
  state.now -= 5_000
  await approved(oauth)
  assert.ok(await oauth.redeem(code, OF))
})
