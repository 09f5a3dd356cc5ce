/**
 * Tests a service on PostgreSQL: texts and media over kills and an outage of the database, the number of statements,
 * commands, and a move to lmdb. `npm run test:postgres` runs most other end-to-end tests on PostgreSQL.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { schemaOf } from '../../src/domain/store-url.ts'
import { type Ground, pause, sendUntilAcknowledged, startGround } from '../faults/ground.ts'
import { repetition } from '../harness/amount.ts'
import { runCommandIn } from '../harness/cli.ts'
import type { Instance } from '../harness/gateway.ts'
import { ask, must } from '../harness/http.ts'
import { type Cluster, noPostgres, startCluster } from '../harness/postgres.ts'
import { type PostgresProxy, startProxy } from '../harness/postgres-proxy.ts'
import { postgresEnv } from '../harness/store-env.ts'
import { until } from '../harness/until.ts'

const ME = '5511999990000'
const ANA = '5511988887777'
const TEXTS = 10

describe('a service whose store is in PostgreSQL', { skip: noPostgres }, () => {
  let cluster: Cluster
  let proxy: PostgresProxy
  let ground: Ground
  let env: Record<string, string>
  let instance: Instance
  before(async () => {
    cluster = await startCluster()
    proxy = await startProxy(cluster.socket)
    env = postgresEnv(`postgres://svc@127.0.0.1:${proxy.port}/postgres`, 'e2e')
    ground = await startGround({}, { ...env, SVC_SHARDS: '2' })
  })
  after(async () => {
    await ground?.stop()
    await proxy?.stop()
    await cluster?.stop()
  })

  test('pairs, sends, receives, and has all of it after a restart, kills and an outage of the database', {
    timeout: 120_000,
  }, async () => {
    const { gateway, sandbox, receiver } = ground
    await sandbox.createContact(ANA, { name: 'Ana' })
    instance = await gateway.connected(sandbox, ME, receiver)
    const texts: string[] = []
    const wanted: string[] = []
    let answers = 0

    /** Sends a text in each direction. The text from Ana may be sent while the service is down. */
    async function exchange(name: string) {
      const ack = await sendUntilAcknowledged(gateway, instance, ANA, name)
      texts.push(name)
      wanted.push(ack.message_id)
      await sandbox.send(ANA, ME, { text: `answer ${name}` })
      answers++
    }

    await exchange('first')
    await receiver.waitFor('delivery', ({ type }) => type === 'delivery')
    await ground.service.stop()
    const stopped = await cluster.client(schemaOf(env.SVC_STORE_URL!))
    // The stopped service has released the instance. So a later member of a cluster does not treat it as an instance of
    // a failed service.
    assert.deepEqual((await stopped.query('SELECT writer, wanted FROM svc_home')).rows, [{ writer: null, wanted: null }])
    await ground.start()
    await gateway.waitForStatus(instance, 'connected')
    assert.equal((await must('GET', `${instance.api_url}/me`)).phone, ME)
    await exchange('after the stop')
    for (const round of [1, 2]) {
      const sent = exchange(`before kill ${round}`)
      if (round > 1) await sent
      await pause(40)
      await ground.service.kill()
      const started = ground.start()
      await sandbox.send(ANA, ME, { text: `answer during kill ${round}` })
      answers++
      await Promise.all([started, sent])
    }
    // While the database is down, the service must report this and accept no messages. Afterwards it must work as
    // before.
    await cluster.kill()
    const health = () => ask('GET', `${gateway.baseUrl}/health/ready`)
    const { body } = await until(health, ({ status }) => status === 503)
    const { details } = body.error as { details: { checks: Record<string, string> } }
    assert.deepEqual([details.checks.database, details.checks.engine], ['failed', 'ok'])
    const waiting = exchange('while it is away')
    await cluster.start()
    await until(health, ({ status }) => status === 200)
    await waiting
    for (const id of wanted) {
      const delivery = await receiver.waitFor(`delivery of ${id}`, (each) => each.type === 'delivery' && each.message_id === id)
      assert.equal(delivery.status, 'sent')
    }
    const received = () => new Set(receiver.events('received').map(({ message_id }) => message_id))
    while (received().size < answers) await pause(20)
    const inbox = await sandbox.inbox(ANA, 0, 1_000)
    assert.deepEqual([...new Set(inbox.map(({ text }) => text))], texts)
    assert.equal((await sandbox.stats()).undecryptable, 0)
    const side = await cluster.client(schemaOf(env.SVC_STORE_URL!))
    // The service must have claimed every instance that exists, and no others.
    const { rows } =
      await side.query(`SELECT s.key, h.instance FROM svc_state s FULL JOIN svc_home h ON s.key = 'config:' || h.instance
      LEFT JOIN svc_writer w ON w.id = h.writer WHERE (s.key IS NULL OR s.key LIKE 'config:%') AND w.is_service IS NOT TRUE`)
    assert.deepEqual(rows, [])
  })

  test('texts of a known chat are sent without a read of the database, and received with one', async () => {
    const { gateway, sandbox, receiver } = ground
    const statements = async (act: () => Promise<unknown>) => {
      const before = proxy.statements()
      for (let count = 0; count < TEXTS; count++) await act()
      const after = proxy.statements()
      return (...names: string[]) => names.reduce((sum, name) => sum + (after[name] ?? 0) - (before[name] ?? 0), 0) / TEXTS
    }
    const send = async () => {
      const { message_id } = await gateway.sendText(instance, ANA, 'counted')
      await receiver.waitFor('delivery', (each) => each.type === 'delivery' && each.message_id === message_id)
    }
    const receive = async () => {
      const { id } = await sandbox.send(ANA, ME, { text: 'counted' })
      await receiver.waitFor('received', (each) => each.type === 'received' && each.message_id === id)
    }
    await statements(send)
    await statements(receive)
    const sent = await statements(send)
    const received = await statements(receive)
    const reads = ['get', 'range', 'reverse', 'count']
    const counts = {
      sent: sent(...reads),
      sentCommits: sent('commit'),
      received: received(...reads),
      receivedCommits: received('commit'),
    }
    // A received text causes one read only, which checks whether the id of the text is already stored.
    const isAsDesigned = counts.sent < 0.5 && counts.sentCommits < 8 && counts.received < 1.5 && counts.receivedCommits < 3
    assert.ok(isAsDesigned, JSON.stringify(counts))
  })

  test('media that wait to be sent survive kills and the loss of the data folder, and leave the database when they are sent', {
    timeout: 120_000,
    skip: repetition,
  }, async () => {
    const { gateway, sandbox, receiver } = ground
    const [last] = (await sandbox.inbox(ANA, 0, 1_000)).slice(-1)
    await sandbox.setDown(true)
    const file = randomBytes(2_500_000)
    const document = `data:text/plain;base64,${file.toString('base64')}`
    const { status, body } = await gateway.ask(instance, 'POST', '/send-document/txt', { phone: ANA, document })
    assert.equal(status, 200, JSON.stringify(body))
    const side = await cluster.client(schemaOf(env.SVC_STORE_URL!))
    const pieces = async () => Number((await side.query('SELECT count(*) FROM svc_blob')).rows[0].count)
    assert.equal(await pieces(), 3)
    await ground.service.kill()
    await rm(ground.dataDir, { recursive: true })
    const killed = await ground.start({ SVC_TEST_KILL_AT: 'queue:before-send' })
    await sandbox.setDown(false)
    await killed.ended
    await ground.start()
    const { message_id } = body as { message_id: string }
    await receiver.waitFor('its delivery', (each) => each.type === 'delivery' && each.message_id === message_id)
    const [arrived, ...more] = await sandbox.inbox(ANA, last!.seq, 1_000)
    assert.equal(arrived?.media?.sha256, createHash('sha256').update(file).digest('hex'))
    assert.deepEqual([arrived?.id, more.length], [message_id, 0])
    await until(pieces, (count) => count === 0)
  })

  test('commands use the same store, and the data folder holds nothing that must survive', async () => {
    const { out, errors } = await runCommandIn(env, ground.dataDir, 'store', 'check')
    assert.match(out, /^The store in .*\/postgres, schema of_\w+ is sound: \d+ records, \d/, errors)
    const backup = await runCommandIn(env, ground.dataDir, 'store', 'backup', `${ground.dataDir}-copy`)
    assert.match(backup.errors, /pg_basebackup or pg_dump/)
    const names = await readdir(ground.dataDir)
    assert.deepEqual(names.toSorted(), ['tmp'])
  })

  test('everything moves to a store of lmdb, over a kill of the command, and only one of both can be started on', {
    timeout: 120_000,
  }, async () => {
    const { gateway, sandbox, receiver } = ground
    await sandbox.setDown(true)
    const document = `data:text/plain;base64,${randomBytes(5_000).toString('base64')}`
    const { body } = await gateway.ask(instance, 'POST', '/send-document/txt', { phone: ANA, document })
    const here = `lmdb:${ground.dataDir}/state`
    const cli = (more: Record<string, string>, ...words: string[]) => runCommandIn({ ...env, ...more }, ground.dataDir, ...words)
    const copy = (more: Record<string, string> = {}) => cli(more, 'store', 'copy', '--to', here)
    assert.match((await copy()).errors, /Another svc runs on the store in .*, schema of_/)
    await ground.service.stop()

    assert.equal((await copy({ SVC_TEST_KILL_AT: 'copy:medium' })).code, null)
    await assert.rejects(ground.start({ SVC_STORE_URL: here }), /state is an unfinished copy of the store in .*run the same/)
    const { out, errors } = await copy()
    assert.match(out, /state: \d+ records, 3 keys, 1 media\.\nStart the service .*with the same SVC_SECRET_KEY\.\n$/, errors)
    assert.match((await copy()).out, /was already moved; nothing was copied/)

    const moved = /schema of_\w+ was moved to .*state; start the service there .*store reopen/
    await assert.rejects(ground.start(), moved)
    assert.match((await cli({}, 'workspace', 'list')).errors, moved)
    await ground.start({ SVC_STORE_URL: here })
    await sandbox.setDown(false)
    const { message_id } = body as { message_id: string }
    await receiver.waitFor('its delivery', (each) => each.type === 'delivery' && each.message_id === message_id)
    const reopen = (...words: string[]) => cli({}, 'store', 'reopen', ...words)
    assert.equal((await reopen()).code, 2)
    assert.match((await reopen('--copy', here)).errors, /Another svc runs on the store in .*state/)
    await ground.service.stop()

    assert.match((await reopen('--copy', here)).errors, /state has been used: \d+ of its records are different/)
    assert.match((await reopen('--copy-is-gone')).out, /can start on the store in .* again\.\n$/)
    assert.equal((await cli({}, 'workspace', 'list')).code, 0)
  })
})
