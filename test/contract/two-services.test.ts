/**
 * Tests two services on one PostgreSQL. Each has its own copy of the main thread's records, and both change the records
 * at the same time. No change may be lost, and in the end both copies must equal the store.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { newApiKey } from '../../src/account/credentials.ts'
import { MINUTE } from '../../src/domain/clock.ts'
import type { Failure } from '../../src/domain/failures.ts'
import type { InstanceId } from '../../src/domain/ids.ts'
import { isStorageFailure } from '../../src/domain/storage-failure.ts'
import type { ChangeFeed } from '../../src/storage/contract.ts'
import { keys } from '../../src/storage/record-keys.ts'
import type { OpenStore } from '../../src/storage/store-backend.ts'
import { createSeeded } from '../faults/seeded.ts'
import { failsWith } from '../harness/failures.ts'
import { type Cluster, noPostgres, startCluster } from '../harness/postgres.ts'
import { type PostgresProxy, startProxy } from '../harness/postgres-proxy.ts'
import { until } from '../harness/until.ts'
import { openService } from './http/service.ts'
import { type MainOptions, openMain, type Running, silent } from './main-thread.ts'
import { openTwoEngines } from './two-homes.ts'
import { testMembers } from './two-members.ts'

const SCOPES = ['instances:read', 'instances:operate', 'webhooks:read'] as const

const seeded = createSeeded()

describe('two services on one PostgreSQL', { skip: noPostgres }, () => {
  let cluster: Cluster
  let proxy: PostgresProxy
  let schemas = 0
  const stores = new Set<OpenStore>()
  before(async () => {
    cluster = await startCluster({ max_connections: '150' })
    proxy = await startProxy(cluster.socket)
  })
  after(async () => {
    await Promise.all([...stores].map((store) => store.close()))
    await proxy?.stop()
    await cluster?.stop()
  })

  async function service(url: string, options: MainOptions = {}) {
    const opened = await openMain(url, options)
    stores.add(opened.store)
    return opened
  }

  const newSchema = () => `two_${schemas++}`
  async function pair(url = cluster.url(newSchema())) {
    const [a, b] = [await service(url), await service(url)]
    assert.equal(a.workspace, b.workspace)
    return { a, b, url }
  }

  const contentOf = ({ account, workspace }: Running) => ({
    workspace: account.workspace(workspace),
    keys: account.listApiKeys(workspace).toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  })

  const instancesOf = ({ directory, workspace }: Running) =>
    directory
      .list(workspace, { page: 1, page_size: 1_000 })
      .ids.map((id) => [id, directory.config(id)] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1))

  const addOne = ({ account, workspace }: Running, decided: () => void = () => {}) =>
    account.transact(workspace, (current) => {
      decided()
      return { next: { ...current, instancesUsed: current.instancesUsed + 1 }, ops: [] }
    })

  test(`random changes of both are all kept, and each conflict is decided again (SVC_TEST_SEED=${seeded.seed})`, async () => {
    const { a, b, url } = await pair()
    const random = seeded.below
    let added = 0
    let decisions = 0
    const [made, revoked] = [new Set<string>(), new Set<string>()]
    /** Newest name of each key, by its id. The newest name is known, because only one worker renames each key. */
    const names = new Map<string, string>()

    async function work(own: Running, name: string): Promise<void> {
      const { account, workspace } = own
      const { key } = await account.createApiKey(workspace, { name, scopes: ['instances:read'] })
      made.add(key.id)
      names.set(key.id, name)
      for (let n = 0; n < 12; n++) {
        const choice = random(6)
        if (choice === 0) {
          const next = `${name} ${n}`
          await account.updateApiKey(workspace, key.id, { name: next, scopes: [SCOPES[random(3)]!] })
          names.set(key.id, next)
        } else if (choice === 1) {
          account.used(key, '203.0.113.9')
        } else if (choice === 2) {
          // Both services want this name at the same time, and only one key may have it. So one of the two requests is
          // refused.
          await account.createApiKey(workspace, { name: `common ${n}`, scopes: ['instances:read'] }).then(
            (common) => {
              made.add(common.key.id)
              names.set(common.key.id, `common ${n}`)
            },
            (error: unknown) => assert.ok(failsWith('invalid_request')(error as Failure)),
          )
        } else if (choice === 3) {
          const some = [...made].filter((id) => !revoked.has(id) && names.get(id)!.startsWith('common'))
          const id = some[random(some.length)]
          if (id === undefined) continue
          // The other service may be revoking the same key. Then this request is refused.
          await account.revokeApiKey(workspace, id).then(
            () => {
              assert.ok(!revoked.has(id), 'a key is revoked once')
              revoked.add(id)
            },
            (error: unknown) => assert.ok(failsWith('not_found')(error as Failure)),
          )
        } else {
          added++
          await addOne(own, () => decisions++)
        }
      }
    }

    await Promise.all([work(a, 'a1'), work(a, 'a2'), work(b, 'b1'), work(b, 'b2')])
    await Promise.all([a.account.stop(), b.account.stop()])
    await Promise.all([a.main.catchUp(), b.main.catchUp()])
    await Promise.all([a.account.readUses(), b.account.readUses()])
    const stored = contentOf(await service(url))
    assert.deepEqual(contentOf(a), stored)
    assert.deepEqual(contentOf(b), stored)
    assert.equal(stored.workspace.instancesUsed, added, 'no change was lost')
    assert.deepEqual(
      new Map(stored.keys.map(({ id, name }) => [id, name])),
      new Map([...names].filter(([id]) => !revoked.has(id)).sort(([one], [other]) => (one < other ? -1 : 1))),
    )
    assert.ok(decisions >= added)
  })

  test(`random changes of instances by both are all kept, also those of the whole workspace (SVC_TEST_SEED=${seeded.seed})`, async () => {
    const { a, b, url } = await pair()
    const random = seeded.below
    let webhooks = 0
    const living = new Map<InstanceId, number>()

    async function work({ directory, workspace }: Running, name: string): Promise<void> {
      const id = await directory.create(workspace, { name })
      let pace = 0
      for (let n = 0; n < 8; n++) {
        // The first change always sets `queue_max_age_hours`, because the comparison below expects the value that was
        // set last, and no default value.
        const choice = n === 0 ? 4 : random(5)
        if (choice === 0) await directory.rotateToken(id)
        else if (choice === 1) {
          webhooks++
          await directory.updateWorkspaceWebhooks(workspace, { received_url: `http://127.0.0.1/${webhooks}` })
        } else if (choice === 2) {
          const extra = await directory.create(workspace, { name: `${name} ${n}` })
          await directory.delete(extra)
        } else {
          pace++
          await directory.update(id, { settings: { queue_max_age_hours: pace } })
          living.set(id, pace)
        }
      }
    }

    await Promise.all([work(a, 'a1'), work(a, 'a2'), work(b, 'b1'), work(b, 'b2')])
    await Promise.all([a.main.catchUp(), b.main.catchUp()])
    const stored = instancesOf(await service(url))
    assert.deepEqual(instancesOf(a), stored)
    assert.deepEqual(instancesOf(b), stored)
    assert.deepEqual(new Map(stored.map(([id, { settings }]) => [id, settings.queue_max_age_hours])), new Map([...living].sort()))
    const urls = new Set(
      [a.account.workspace(a.workspace).webhooks, ...stored.map(([, config]) => config.webhooks)].map(
        (each) => each.received_url,
      ),
    )
    assert.equal(urls.size, 1, 'the workspace and all of its instances have one value')
    assert.equal(a.account.workspace(a.workspace).instancesUsed, living.size)
  })

  test('an instance changed or deleted by one is so for the other, and its shard gets the new configuration', async () => {
    const { a, b } = await pair()
    const id = await a.directory.create(a.workspace, { name: 'first' })
    await b.account.catchUp()
    assert.ok(b.directory.has(b.workspace, id))
    const token = await a.directory.rotateToken(id)
    assert.equal(b.directory.authenticate(id, token), undefined)
    await b.account.catchUp()
    assert.equal(b.directory.authenticate(id, token)?.instance, id)
    await until(
      async () => b.configured.map((config) => config.id),
      (configured) => configured.join() === id,
    )
    const deleted: string[] = []
    b.directory.onDeleted((each) => deleted.push(each))
    await a.directory.delete(id)
    await assert.rejects(b.directory.delete(id), failsWith('not_found'))
    assert.deepEqual([b.directory.has(b.workspace, id), deleted], [false, [id]])
    assert.equal(b.account.workspace(b.workspace).instancesUsed, 0, 'it was counted once')
  })

  test('a change that lost against another service is decided again on what the other one stored', async () => {
    const { a, b } = await pair()
    const seen: number[] = []
    let isOvertaken = false
    await a.account.transact(a.workspace, async (current) => {
      seen.push(current.instancesUsed)
      if (!isOvertaken) {
        isOvertaken = true
        await addOne(b)
      }
      return { next: { ...current, instancesUsed: current.instancesUsed + 1 }, ops: [] }
    })
    assert.deepEqual(seen, [0, 1])
    await b.main.catchUp()
    assert.deepEqual(
      [a, b].map(({ account, workspace }) => account.workspace(workspace).instancesUsed),
      [2, 2],
    )
  })

  test('a key made by one is accepted by the other after one catch-up, shared by all who wait', async () => {
    const { a, b } = await pair()
    const { value, key } = await a.account.createApiKey(a.workspace, { name: 'CRM', scopes: ['instances:read'] })
    assert.equal(b.account.findApiKey(value), undefined)
    await Promise.all(Array.from({ length: 50 }, () => b.account.catchUp()))
    assert.equal(b.account.findApiKey(value)?.id, key.id)
    assert.equal(b.account.findApiKey(newApiKey()), undefined)
  })

  test('the use of a key by one raises no version, is shown by the other, and does not outlive the key', async () => {
    const { a, b, url } = await pair()
    const { workspace } = a
    const { key } = await a.account.createApiKey(workspace, { name: 'CRM', scopes: ['instances:read'] })
    await b.account.catchUp()
    const version = await a.store.changes!.version()
    a.account.used(key, '203.0.113.9')
    await a.account.stop()
    assert.equal(await a.store.changes!.version(), version)
    const ipOf = ({ account }: Running) => account.listApiKeys(workspace)[0]?.lastUsedIp
    assert.equal(ipOf(b), null)
    await b.account.readUses()
    assert.equal(ipOf(b), '203.0.113.9')
    await b.account.updateApiKey(workspace, key.id, { name: 'other' })
    await a.account.catchUp()
    assert.deepEqual([ipOf(a), ipOf(await service(url))], ['203.0.113.9', '203.0.113.9'])
    await b.account.revokeApiKey(workspace, key.id)
    assert.equal(await a.store.count(keys.apiKeyUses), 0)
  })

  test('a key revoked by one is refused by the other at its next beat, and its streams are told', async () => {
    const { a, b } = await pair()
    const { value, key } = await a.account.createApiKey(a.workspace, { name: 'CRM', scopes: ['instances:read'] })
    await b.account.catchUp()
    let told = 0
    b.account.onKeyChange(() => told++)
    const stop = b.main.follow(100)
    const revokedAt = performance.now()
    await a.account.revokeApiKey(a.workspace, key.id)
    await until(
      async () => b.account.findApiKey(value),
      (found) => found === undefined,
      2_000,
    )
    assert.ok(performance.now() - revokedAt < 2_000)
    assert.equal(told, 1)
    stop()
  })

  test('over HTTP, the other one accepts at once what one has given out: a key, a token, a connect link, a session', async () => {
    const storeUrl = cluster.url(newSchema())
    const options = { storeUrl, dashboard: { mode: 'on' as const }, hasOauth: true }
    const [a, b] = [await openService(options), await openService(options)]
    try {
      const { id, base } = await a.newInstance()
      assert.equal((await b.ask('GET', `${base}/me`)).status, 200)
      const { value } = await a.newKey(['instances:operate', 'instances:write'])
      await a.account.changeSecurity(a.workspace, { requireClientToken: true })
      await b.account.catchUp()
      const later = await a.newKey(['instances:operate'])
      assert.equal((await b.ask('GET', `${base}/me`, undefined, { 'Client-Token': later.value })).status, 200)
      const bearer = { Authorization: `Bearer ${value}` }
      const { accessToken } = await a.newApp(id)
      const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
      const ofApp = { Authorization: `Bearer ${accessToken}`, Accept: 'application/json, text/event-stream' }
      assert.equal((await b.ask('POST', '/mcp', ping, { ...ofApp, 'Content-Type': 'application/json' })).status, 200)
      const { body: link } = await a.ask('POST', '/account/connect-links', { instance_id: id }, bearer)
      assert.equal((await b.app.request(`http://gw.test${new URL(link.url).pathname}`)).status, 200)
      const secrets = JSON.stringify({ admin_key: a.credentials.adminKey })
      const page = { Host: 'gw.test', 'X-Svc-Dashboard': '1' }
      const opened = await a.ask('POST', '/dashboard/session', secrets, { ...page, 'Content-Length': String(secrets.length) })
      const Cookie = opened.headers.get('Set-Cookie')!.split(';')[0]!
      const session = { Host: 'gw.test', Cookie, 'X-Svc-Dashboard': opened.body.proof }
      assert.equal((await b.ask('GET', '/dashboard/api/sessions', undefined, session)).status, 200)
      await a.account.revokeApiKey(a.workspace, later.id)
      await b.account.catchUp()
      assert.equal((await b.ask('GET', `${base}/me`, undefined, { 'Client-Token': later.value })).status, 401)
      assert.equal((await b.ask('GET', '/account/instances', undefined, { Authorization: `Bearer ${later.value}` })).status, 401)
    } finally {
      await Promise.all([a.close(), b.close()])
    }
  })

  /** Returns a gate. While it is closed, answers of the database are late. */
  function gateway() {
    let open = () => {}
    const gate = { closed: Promise.resolve(), close: () => {}, open: () => open() }
    gate.close = () => {
      gate.closed = new Promise((resolve) => {
        open = resolve
      })
    }
    return gate
  }
  const lateCommits =
    (gate: { closed: Promise<void> }) =>
    ({ commit }: ChangeFeed): Partial<ChangeFeed> => ({
      async commit(...batch) {
        const isStored = await commit(...batch)
        await gate.closed
        return isStored
      },
    })

  test('a session that was just signed out stays out, although its stored use is read before the answer to that commit', async () => {
    const gate = gateway()
    const a = await service(cluster.url(newSchema()), { late: lateCommits(gate) })
    const { workspace } = a
    const sessions = await a.sessions()
    const from = { address: '203.0.113.9', userAgent: null }
    const { session, value, proof } = sessions.open({ workspace, keyId: null }, from)
    await a.main.idle()
    const version = await a.store.changes!.version()
    gate.close()
    a.time.ahead += MINUTE
    assert.ok(sessions.use(value, proof))
    await until(
      () => a.store.changes!.version(),
      (now) => now > version,
    )
    const ended = sessions.end(workspace, session.id)
    await a.main.catchUp()
    assert.equal(sessions.use(value, proof), undefined)
    gate.open()
    assert.equal(await ended, true)
    assert.equal(await a.store.count(keys.dashboardSessions), 0)
    assert.deepEqual(sessions.list(workspace), [])
  })

  test('a service counts its own change as its own, although it is read before the answer to the commit', async () => {
    const gate = gateway()
    const a = await service(cluster.url(newSchema()), { late: lateCommits(gate) })
    const id = await a.directory.create(a.workspace, { name: 'first' })
    const version = await a.store.changes!.version()
    gate.close()
    const token = a.directory.rotateToken(id)
    await until(
      () => a.store.changes!.version(),
      (now) => now > version,
    )
    const caughtUp = a.main.catchUp()
    setTimeout(gate.open, 100)
    await Promise.all([token, caughtUp])
    assert.equal(a.configured.length, 1, 'its shard is configured once, in the turn of the change')
  })

  test('a change is refused within its time, whatever it waits for: an earlier change, a read, or its decision', async () => {
    const [answers, reads] = [gateway(), gateway()]
    const patienceMs = 1_000
    const late = (changes: ChangeFeed): Partial<ChangeFeed> => ({
      ...lateCommits(answers)(changes),
      async since(version) {
        await reads.closed
        return changes.since(version)
      },
    })
    const a = await service(cluster.url(newSchema()), { late, patienceMs })
    const refused = async (change: Promise<void>) => {
      const askedAt = performance.now()
      await assert.rejects(change, isStorageFailure)
      assert.ok(performance.now() - askedAt < 5_000)
    }
    const version = await a.store.changes!.version()
    answers.close()
    const first = addOne(a)
    await until(
      () => a.store.changes!.version(),
      (now) => now > version,
    )
    await refused(a.main.change(() => assert.fail('the change is not decided later')))
    answers.open()
    await first
    reads.close()
    await refused(addOne(a))
    reads.open()
    await refused(a.main.change(() => new Promise(() => {})))
    const isAdded = () =>
      addOne(a).then(
        () => true,
        () => false,
      )
    await until(isAdded, Boolean)
    assert.equal(a.account.workspace(a.workspace).instancesUsed, 2)
  })

  test('a changed record that cannot be read counts as removed, so its old content is no longer valid', async () => {
    const url = cluster.url(newSchema())
    const errors: string[] = []
    const a = await service(url)
    const b = await service(url, { log: { ...silent, error: (_, message) => void errors.push(message) } })
    const { key, value } = await a.account.createApiKey(a.workspace, { name: 'CRM', scopes: ['instances:read'] })
    const id = await a.directory.create(a.workspace, { name: 'first' })
    const token = await a.directory.rotateToken(id)
    await b.account.catchUp()
    assert.ok(b.account.findApiKey(value) && b.directory.authenticate(id, token))
    const deleted: string[] = []
    b.directory.onDeleted((each) => deleted.push(each))
    const { changes } = b.store
    const broken = [keys.apiKey(a.workspace, key.id), keys.config(id)].map((each) => [each, Buffer.from('broken')] as const)
    assert.ok(await changes!.commit(await changes!.version(), broken))
    await b.account.catchUp()
    assert.deepEqual([b.account.findApiKey(value), b.directory.authenticate(id, token)], [undefined, undefined])
    assert.deepEqual([errors.length, deleted], [2, []])
  })

  const VERIFIER = 'v'.repeat(43)
  const REDIRECT = 'https://app.example/callback'
  const challenge = createHash('sha256').update(VERIFIER).digest('base64url')

  /**
   * Approves an app. The two services carry out its steps in turn. Resolves with the code and with the values that
   * redeem it.
   */
  async function approvedApp(a: Running, b: Running, instance: InstanceId) {
    const { workspace } = a
    const { id } = await a.oauth.register({ name: 'Assistant', redirectUris: [REDIRECT] })
    const client = (await b.oauth.client(id))!
    const { ticket, cookie } = await a.oauth.ask({ client, redirectUri: REDIRECT, challenge, state: 's' })
    assert.ok(await b.oauth.consent(ticket, cookie))
    const next = (await b.oauth.identified(ticket, { workspace, keyTag: b.account.adminKeyTag(workspace)! }))!
    const code = (await a.oauth.approve(next.ticket, { workspace, instance }))!
    return { code, of: { clientId: id, redirectUri: REDIRECT, verifier: VERIFIER } }
  }

  test('an app that was begun on one is approved, redeemed, used and revoked on the other', async () => {
    const { a, b } = await pair()
    const instance = await a.directory.create(a.workspace, { name: 'first' })
    const { code, of } = await approvedApp(a, b, instance)
    const tokens = (await b.oauth.redeem(code, of))!
    await a.account.catchUp()
    assert.equal(a.oauth.authenticate(tokens.accessToken)?.instance, instance)
    const refreshed = (await a.oauth.refresh(tokens.refreshToken, of.clientId))!
    await b.account.catchUp()
    assert.equal(b.oauth.authenticate(tokens.accessToken), undefined)
    assert.ok(b.oauth.authenticate(refreshed.accessToken))
    assert.equal(await b.oauth.revokeToken(refreshed.accessToken), true)
    const last = (await a.oauth.refresh(refreshed.refreshToken, of.clientId))!
    assert.equal(await b.oauth.refresh(refreshed.refreshToken, of.clientId), undefined, 'a used token revokes the app')
    await a.account.catchUp()
    assert.equal(a.oauth.authenticate(last.accessToken), undefined)
    assert.deepEqual([a.oauth.list(a.workspace), b.oauth.list(b.workspace)], [[], []])
  })

  test('the use of an app by one raises no version, is shown by the other, and does not outlive the app', async () => {
    const { a, b, url } = await pair()
    const { workspace } = a
    const instance = await a.directory.create(workspace, { name: 'first' })
    const { code, of } = await approvedApp(a, b, instance)
    const tokens = (await a.oauth.redeem(code, of))!
    await b.account.catchUp()
    const app = a.oauth.authenticate(tokens.accessToken)!
    const version = await a.store.changes!.version()
    a.oauth.used(app)
    await a.oauth.stop()
    assert.equal(await a.store.changes!.version(), version)
    const usedAt = ({ oauth }: Running) => oauth.list(workspace)[0]?.lastUsedAt
    assert.deepEqual([typeof usedAt(a), usedAt(b)], ['number', null])
    await b.oauth.readUses()
    await b.oauth.refresh(tokens.refreshToken, of.clientId)
    await a.account.catchUp()
    assert.deepEqual([usedAt(b), usedAt(await service(url))], [usedAt(a), usedAt(a)])
    await b.oauth.revoke(workspace, app.id)
    assert.equal(await a.store.count(keys.oauthAppUses), 0)
  })

  test('apps and codes of one end with an instance that the other deletes, or when the other revokes all', async () => {
    const { a, b } = await pair()
    const made = async () => {
      const instance = await a.directory.create(a.workspace, { name: 'first' })
      const { code, of } = await approvedApp(a, b, instance)
      return { instance, tokens: (await a.oauth.redeem(code, of))!, later: await approvedApp(a, b, instance) }
    }
    const first = await made()
    await b.account.catchUp()
    await b.directory.delete(first.instance)
    const second = await made()
    const { workspace } = b
    await b.account.transact(workspace, () => b.oauth.endOf({ workspace }))
    for (const { tokens, later } of [first, second]) {
      assert.equal(await a.oauth.redeem(later.code, later.of), undefined)
      await a.account.catchUp()
      assert.equal(a.oauth.authenticate(tokens.accessToken), undefined)
    }
    assert.equal(await a.store.count(keys.oauthApps), 0)
  })

  test('the key of an instance that one has created is known to the other, and forgotten when it is deleted', async () => {
    const { a, b } = await pair()
    const id = await a.directory.create(a.workspace, { name: 'first' })
    await b.account.catchUp()
    await until(
      async () => b.keyRing.instances(),
      (known) => known.includes(id),
    )
    assert.deepEqual(b.keyRing.of(id), a.keyRing.of(id))
    await a.directory.delete(id)
    await b.account.catchUp()
    assert.throws(() => b.keyRing.of(id), /is missing/)
  })

  test('an instance is erased by the service that has it, also if the service that deleted it cannot tell it to', async () => {
    const engines = await openTwoEngines(silent)
    try {
      const url = cluster.url(newSchema())
      const a = await service(url, { open: engines.open('a') })
      const b = await service(url, { open: engines.open('b') })
      const side = await cluster.client(new URL(url).searchParams.get('schema')!)
      const left = async (id: string) => {
        const counted = `SELECT (SELECT count(*) FROM svc_state WHERE scope::text = $1)::int AS records,
          (SELECT count(*) FROM svc_key WHERE name = $1)::int AS keys, (SELECT count(*) FROM svc_home WHERE instance::text = $1)::int AS homes`
        return (await side.query(counted, [id])).rows[0] as { records: number; keys: number; homes: number }
      }
      const NOTHING = { records: 0, keys: 0, homes: 0 }
      const [told, stopped, untold] = [
        await b.directory.create(b.workspace, { name: 'told' }),
        await b.directory.create(b.workspace, { name: 'stopped' }),
        await b.directory.create(b.workspace, { name: 'untold' }),
      ]
      await a.account.catchUp()
      await until(
        async () => a.keyRing.instances().length,
        (count) => count === 3,
      )
      const { records, keys: keyRows, homes } = await left(told)
      assert.ok(records > 0)
      assert.deepEqual([keyRows, homes], [1, 1])
      await a.directory.delete(told)
      assert.deepEqual(await left(told), NOTHING)
      for (const { keyRing } of [a, b]) assert.throws(() => keyRing.of(told), /is missing/)
      assert.equal(engines.poolOf('b').shardOf(told), undefined)
      await engines.poolOf('b').stop(stopped, 'keep')
      await a.directory.delete(stopped)
      assert.deepEqual(await left(stopped), NOTHING)
      await engines.end('a')
      await a.directory.delete(untold)
      assert.equal((await left(untold)).keys, 1)
      await b.account.catchUp()
      assert.deepEqual(
        await until(
          () => left(untold),
          ({ homes: rows }) => rows === 0,
        ),
        NOTHING,
      )
      for (const { keyRing } of [a, b]) assert.deepEqual(keyRing.instances(), [])
      assert.equal(b.account.workspace(b.workspace).instancesUsed, 0)
    } finally {
      await engines.close()
    }
  })

  test('a service that was away until the list of changes was pruned reads everything again', async () => {
    const { a, b, url } = await pair()
    await a.directory.create(a.workspace, { name: 'unchanged' })
    const made = await a.account.createApiKey(a.workspace, { name: 'revoked meanwhile', scopes: ['instances:read'] })
    await b.account.catchUp()
    await a.account.revokeApiKey(a.workspace, made.key.id)
    const kept = await a.account.createApiKey(a.workspace, { name: 'made meanwhile', scopes: ['instances:read'] })
    const side = await cluster.client(new URL(url).searchParams.get('schema')!)
    const versions = async () =>
      (await side.query('SELECT DISTINCT version::int AS v FROM svc_change ORDER BY v')).rows.map(({ v }) => v)
    await side.query("UPDATE svc_change SET at = now() - interval '11 minutes'")
    await addOne(a)
    assert.deepEqual(await versions(), [await a.store.changes!.version()])
    await b.account.catchUp()
    assert.deepEqual([b.account.findApiKey(made.value), b.account.findApiKey(kept.value)?.id], [undefined, kept.key.id])
    assert.deepEqual(contentOf(b), contentOf(a))
    assert.deepEqual(b.configured, [], 'a record that was not changed has no effect')
  })

  test('rules about the whole workspace hold across both: one name, one last key', async () => {
    const { a, b } = await pair()
    const wish = { name: 'operator', scopes: ['instances:operate' as const] }
    const results = await Promise.allSettled([a, b].map(({ account, workspace }) => account.createApiKey(workspace, wish)))
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    await b.account.createApiKey(b.workspace, { ...wish, name: 'operator 2' })
    await a.account.changeSecurity(a.workspace, { requireApiKey: true })
    await b.account.catchUp()
    const [one, two] = b.account.listApiKeys(b.workspace)
    const revoking = await Promise.allSettled([
      a.account.revokeApiKey(a.workspace, one!.id),
      b.account.revokeApiKey(b.workspace, two!.id),
    ])
    assert.deepEqual(revoking.map(({ status }) => status).sort(), ['fulfilled', 'rejected'], 'the last key stays')
  })

  for (const fault of ['before', 'during', 'after'] as const)
    test(`a change whose connection breaks (${fault}) raises the version once, and is not made twice`, async () => {
      const a = await service(`postgres://svc@127.0.0.1:${proxy.port}/postgres?schema=${newSchema()}`)
      const from = await a.store.changes!.version()
      proxy.next('commit-version', fault)
      await addOne(a)
      await addOne(a)
      assert.equal(a.account.workspace(a.workspace).instancesUsed, 2)
      assert.equal(await a.store.changes!.version(), from + 2)
    })

  test('a service that was replaced as a writer changes nothing, also at the right version', async () => {
    const { a, b, url } = await pair()
    const side = await cluster.client(new URL(url).searchParams.get('schema')!)
    await side.query('UPDATE svc_writer SET is_over = true WHERE id = $1', [a.store.ownerId])
    await assert.rejects(addOne(a), /Another process has replaced this one/)
    stores.delete(a.store)
    assert.equal(b.account.workspace(b.workspace).instancesUsed, 0)
    const from = await b.store.changes!.version()
    await addOne(b)
    assert.deepEqual([b.account.workspace(b.workspace).instancesUsed, await b.store.changes!.version()], [1, from + 1])
  })

  testMembers(() => cluster.url(newSchema()), service)
})
