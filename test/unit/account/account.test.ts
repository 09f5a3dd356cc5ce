import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import type { Account } from '../../../src/account/account.ts'
import { hashOf, newWebhookSecret } from '../../../src/account/credentials.ts'
import { workspaceRecords } from '../../../src/account/records.ts'
import { createStoredAccount } from '../../../src/account/stored-account.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { WorkspaceId } from '../../../src/domain/ids.ts'
import { createMainRecords } from '../../../src/storage/main-records/create-main-records.ts'
import { type OpenStore, openStore } from '../../../src/storage/open-store.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createSealer } from '../../../src/storage/sealer.ts'
import { failsWith } from '../../harness/failures.ts'

let dir: string
let store: OpenStore
const time = { now: Date.parse('2026-01-31T12:00:00Z') }
const sealer = createSealer(new Uint8Array(32).fill(1))
const GIVEN = `svc_admin_${'b'.repeat(48)}`

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-account-'))
  store = await openStore(`lmdb:${dir}`)
})
afterEach(async () => {
  await store.close()
  await rm(dir, { recursive: true, force: true })
})

async function open(adminKey: string | null = null, instanceSlots: number | null = 3) {
  const log = {
    info() {},
    warn() {},
    error: (fields: object, message: string) => assert.fail(`${message} ${JSON.stringify(fields)}`),
  }
  const main = createMainRecords({ store, log })
  const account = createStoredAccount({ main, store, sealer, clock: { now: () => time.now }, log, adminKey, instanceSlots })
  await account.load()
  return account
}

test('the first start makes the workspace and its key, tells the key once, and later starts know it', async () => {
  const first = await open()
  const key = (await first.firstStart())!
  assert.match(key, /^svc_admin_[0-9a-f]{48}$/)
  assert.equal(await first.firstStart(), null)
  const id = first.findAdmin(key)!
  const { name, subscription, instancesUsed, webhooks } = first.workspace(id)
  assert.deepEqual([name, instancesUsed, subscription.instanceSlots], ['default', 0, 3])
  assert.equal(new Date(subscription.dueAt).toISOString(), '2036-01-31T12:00:00.000Z')
  assert.match(webhooks.secret, /^whsec_[0-9A-Za-z]{32}$/)
  const second = await open()
  assert.equal(await second.firstStart(), null)
  assert.equal(second.findAdmin(key), id)
  assert.equal(second.findAdmin(GIVEN), undefined)
})

test('the number of slots of the environment counts at every start, but not for a workspace that was given its own', async () => {
  const slots = async (given: number | null) => {
    const account = await open(GIVEN, given)
    return account.workspace(account.findAdmin(GIVEN)!).subscription.instanceSlots
  }
  assert.equal(await slots(null), 50)
  assert.equal(await slots(70), 70)
  assert.equal(await slots(null), 70, 'taken away, it changes nothing')
  const account = await open(GIVEN, null)
  const id = account.findAdmin(GIVEN)!
  const key = keys.workspace(id)
  const records = workspaceRecords(sealer)
  const record = records.decode(key, (await store.get(key))!)
  const { hasOwnSlots, ...old } = record
  await store.commit({ ops: [[key, sealer.seal(key, Buffer.from(JSON.stringify({ ...old, v: 1 })))]] })
  assert.equal(await slots(80), 80)
  await store.commit({ ops: [records.encode(key, { ...record, hasOwnSlots: true })] })
  assert.equal(await slots(90), 70)
  await store.commit({ ops: [records.encode(key, record)] })
  const following = await open(GIVEN, null)
  await following.changeSubscription(id, { status: 'partner' })
  assert.equal(await slots(60), 60, 'another field of the plan is no number of its own')
  const administered = await open(GIVEN, null)
  await administered.changeSubscription(id, { instanceSlots: 5 })
  assert.equal(await slots(90), 5)
})

test('a start that failed before it could tell the key leaves it to the next one', async () => {
  await open()
  const next = await open()
  const key = (await next.firstStart())!
  assert.ok(next.findAdmin(key))
})

test('a key of the environment owns the workspace, from the start on which it is set', async () => {
  const made = (await (await open()).firstStart())!
  const owned = await open(GIVEN)
  assert.equal(await owned.firstStart(), null)
  assert.ok(owned.findAdmin(GIVEN))
  assert.equal(owned.findAdmin(made), undefined)
  await assert.rejects(open('svc_admin_short'), /48 lower-case hexadecimal digits/)
})

test('no credential is stored, neither readable nor sealed', async () => {
  const account = await open()
  const admin = (await account.firstStart())!
  const { value } = await account.createApiKey(account.findAdmin(admin)!, { name: 'CRM', scopes: ['instances:read'] })
  let records = 0
  for await (const [key, bytes] of store.range('')) {
    records++
    const text = sealer.open(key, bytes).toString()
    for (const secret of [admin, value]) assert.ok(!text.includes(secret.slice(10)) && !Buffer.from(bytes).includes(secret), key)
  }
  assert.equal(records, 2)
})

test('keys survive a restart, newest first, and a revoked one does not come back', async () => {
  const account = await open(GIVEN)
  const workspace = account.findAdmin(GIVEN)!
  const made = []
  for (const name of ['one', 'two', 'three']) {
    time.now += 1_000
    made.push(await account.createApiKey(workspace, { name, scopes: ['instances:operate'] }))
  }
  const [one, two, three] = made as [(typeof made)[0], (typeof made)[0], (typeof made)[0]]
  const revoking = account.revokeApiKey(workspace, two.key.id)
  // The key is used while it is being revoked. The record of this use is written after the revocation, and must not
  // restore the key.
  account.used(two.key, '203.0.113.9')
  await revoking
  account.used(two.key, '203.0.113.9')
  account.used(one.key, '203.0.113.9')
  await account.stop()
  const again = await open(GIVEN)
  assert.deepEqual(
    again.listApiKeys(workspace).map(({ name }) => name),
    ['three', 'one'],
  )
  assert.equal(again.findApiKey(two.value), undefined)
  assert.equal(again.findApiKey(three.value)?.id, three.key.id)
  assert.deepEqual([again.findApiKey(one.value)?.lastUsedAt, again.findApiKey(one.value)?.lastUsedIp], [time.now, '203.0.113.9'])
})

test('a change made beside the service is not undone, and decides what comes after it', async () => {
  const account = await open(GIVEN)
  const workspace = account.findAdmin(GIVEN)!
  const operator = await open(GIVEN)
  await operator.transact(workspace, (current) => ({ next: { ...current, name: 'renamed by the operator' }, ops: [] }))
  const seen: string[] = []
  const countOne = (who: Account) =>
    who.transact(workspace, (current) => {
      seen.push(current.name)
      return { next: { ...current, instancesUsed: current.instancesUsed + 1 }, ops: [] }
    })
  await countOne(account)
  assert.deepEqual(seen, ['renamed by the operator'])
  // Both account objects change the same record at once. The commit refuses the second change, so it is repeated.
  await Promise.all([countOne(account), countOne(operator)])
  assert.equal(seen.length, 4)
  const stored = (await open(GIVEN)).workspace(workspace)
  assert.deepEqual([stored.name, stored.instancesUsed], ['renamed by the operator', 3])
})

test('a change made beside the service counts when it is taken over, and never over one of its own', async () => {
  const account = await open()
  const old = (await account.firstStart())!
  const workspace = account.findAdmin(old)!
  const operator = await open(GIVEN)
  assert.equal(account.findAdmin(old), workspace, 'nobody has looked yet')
  await account.refresh()
  assert.deepEqual([account.findAdmin(old), account.findAdmin(GIVEN)], [undefined, workspace])
  await operator.transact(workspace, (current) => ({ next: { ...current, name: 'theirs' }, ops: [] }))
  const both = [
    account.transact(workspace, (current) => ({ next: { ...current, instancesUsed: 2 }, ops: [] })),
    account.refresh(),
  ]
  await Promise.all(both)
  const { name, instancesUsed } = account.workspace(workspace)
  assert.deepEqual([name, instancesUsed], ['theirs', 2])
})

test('a decision that fails writes nothing', async () => {
  const account = await open(GIVEN)
  const workspace = account.findAdmin(GIVEN)!
  const before = await store.get(keys.workspace(workspace))
  const refusing = account.transact(workspace, () => {
    throw new Failure('instance_limit_reached')
  })
  await assert.rejects(refusing, failsWith('instance_limit_reached'))
  assert.deepEqual(await store.get(keys.workspace(workspace)), before)
})

async function secondWorkspace(account: Awaited<ReturnType<typeof open>>): Promise<{ id: WorkspaceId; adminKey: string }> {
  const id = '0d3f7a52-5b1c-4a6e-8b55-6d1f2c3e4a5b' as WorkspaceId
  const adminKey = `svc_admin_${'d'.repeat(48)}`
  const first = account.workspace(account.findAdmin(GIVEN)!)
  const record = {
    ...first,
    id,
    name: 'other',
    createdAt: first.createdAt + 1,
    adminKeyHash: hashOf(adminKey),
    hasOwnSlots: false,
  }
  await store.commit({ ops: [workspaceRecords(sealer).encode(keys.workspace(id), record)] })
  return { id, adminKey }
}

test('the environment owns the key of the first workspace; another one has its own, and may replace it', async () => {
  const other = await secondWorkspace(await open(GIVEN))
  const account = await open(GIVEN)
  await assert.rejects(account.rotateAdminKey(account.findAdmin(GIVEN)!), failsWith('not_allowed'))
  assert.equal(account.findAdmin(other.adminKey), other.id)
  const next = await account.rotateAdminKey(other.id)
  const again = await open(GIVEN)
  assert.deepEqual([again.findAdmin(next), again.findAdmin(other.adminKey)], [other.id, undefined])
})

test('two workspaces may import the same client token: each has its own, also after a restart and when the other one revokes it', async () => {
  const other = await secondWorkspace(await open(GIVEN))
  const account = await open(GIVEN)
  const first = account.findAdmin(GIVEN)!
  const token = 'F7a1b2c3d4e5f60718293a4b5c6d7e8f9'
  const [mine, theirs] = [await account.importClientToken(first, token), await account.importClientToken(other.id, token)]
  const again = await open(GIVEN)
  for (const known of [account, again]) {
    assert.equal(known.findClientToken(first, token)?.id, mine.id)
    assert.equal(known.findClientToken(other.id, token)?.id, theirs.id)
    assert.equal(known.findApiKey(token), undefined, 'it is no API key')
  }
  await again.revokeApiKey(other.id, theirs.id)
  assert.equal(again.findClientToken(other.id, token), undefined)
  assert.equal(again.findClientToken(first, token)?.id, mine.id)
  for await (const [key, bytes] of store.range('')) assert.ok(!sealer.open(key, bytes).includes(token), key)
})

test('a use that is noted while the key is being changed undoes nothing of the change, and is not undone by it', async (t) => {
  const account = await open(GIVEN)
  const workspace = account.findAdmin(GIVEN)!
  const { key } = await account.createApiKey(workspace, { name: 'CRM', scopes: ['instances:operate', 'instances:read'] })
  const commit = store.commit.bind(store)
  const whileItIsWritten = t.mock.method(store, 'commit', async (batch: Parameters<typeof commit>[0]) => {
    if (whileItIsWritten.mock.callCount() === 0) account.used(key, '203.0.113.9')
    return commit(batch)
  })
  const changed = await account.updateApiKey(workspace, key.id, { name: 'CRM of sales', scopes: ['instances:read'] })
  await account.stop()
  for (const known of [changed, (await open(GIVEN)).listApiKeys(workspace)[0]]) {
    const { name, scopes, lastUsedAt, lastUsedIp } = known!
    assert.deepEqual([name, scopes, lastUsedAt, lastUsedIp], ['CRM of sales', ['instances:read'], time.now, '203.0.113.9'])
  }
})

test('what was switched and changed is there after a restart', async () => {
  const account = await open(GIVEN)
  const workspace = account.findAdmin(GIVEN)!
  const { key } = await account.createApiKey(workspace, { name: 'CRM', scopes: ['instances:operate'] })
  await account.update(workspace, { name: 'Support' })
  await account.changeSecurity(workspace, { requireApiKey: true })
  const entries = [{ cidr: '203.0.113.0/24', note: null }]
  await account.changeSecurity(workspace, { allowlist: { enabled: true, entries } })
  await account.changeSubscription(workspace, { status: 'trial', trialEndsAt: time.now })
  await account.updateApiKey(workspace, key.id, { name: 'CRM of sales', scopes: ['instances:operate', 'webhooks:read'] })
  const again = await open(GIVEN)
  const { name, security, subscription } = again.workspace(workspace)
  assert.deepEqual(
    [name, security, subscription.status, subscription.trialEndsAt],
    ['Support', { requireApiKey: true, requireClientToken: false, allowlist: { enabled: true, entries } }, 'trial', time.now],
  )
  assert.deepEqual(
    again.listApiKeys(workspace).map(({ name, scopes }) => [name, scopes]),
    [['CRM of sales', ['instances:operate', 'webhooks:read']]],
  )
})

test('webhook secrets use the whole alphabet', () => {
  const seen = new Set(Array.from({ length: 200 }, () => newWebhookSecret().slice(6)).join(''))
  assert.equal(seen.size, 62)
})
