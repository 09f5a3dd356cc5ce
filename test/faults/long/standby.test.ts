/**
 * A standby (`SVC_STANDBY`) takes over a PostgreSQL store when the active service is killed or paused. Nothing may be
 * lost, and the former service must not store anything afterwards.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { schemaOf } from '../../../src/domain/store-url.ts'
import type { Instance } from '../../harness/gateway.ts'
import { ask, must } from '../../harness/http.ts'
import { registerApp } from '../../harness/oauth-app.ts'
import { type Cluster, noPostgres, startCluster } from '../../harness/postgres.ts'
import { type Running, run } from '../../harness/process.ts'
import { postgresEnv } from '../../harness/store-env.ts'
import { until } from '../../harness/until.ts'
import { freePort, type Ground, startGround } from '../ground.ts'

const ME = '5511999990000'
const SHOP = '5511999990001'
const ANA = '5511988887777'
/** Time in ms for which a service is paused with SIGSTOP. */
const STILL = 20_000
/** Time in ms for which the database is down. It is longer than the lease of the active service (`owner-lease.ts`). */
const AWAY = 8_000

/** Time limit of a start in ms. It is high, because the start of a process takes long on a busy machine. */
const STANDBY_START = 120_000

/** SQL of a trigger that records, for each write, which server process of PostgreSQL made it, in order. */
const AUDIT = `
CREATE TABLE audit (n bigserial PRIMARY KEY, pid int NOT NULL);
CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO audit (pid) VALUES (pg_backend_pid());
  RETURN NULL;
END $$;
CREATE TRIGGER noting AFTER INSERT OR UPDATE OR DELETE ON svc_state FOR EACH ROW EXECUTE FUNCTION noted()`
const WRITERS = "SELECT pid FROM pg_stat_activity WHERE application_name = 'svc writer'"

async function startLateReceiver() {
  let isOpen = false
  const types: string[] = []
  const server = createServer(async (request, response) => {
    const chunks = (await request.toArray().catch(() => [])) as Buffer[]
    const { type } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { type?: string }
    types.push(`${isOpen ? 'taken' : 'kept waiting'} ${type}`)
    if (isOpen) response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    types: () => types,
    open() {
      isOpen = true
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

interface Standby {
  url: string
  active: Promise<Running>
}

describe('a standby', { skip: noPostgres, timeout: 400_000 }, () => {
  let cluster: Cluster
  let ground: Ground
  let env: Record<string, string>
  let instance: Instance
  const started: Promise<Running>[] = []
  before(async () => {
    cluster = await startCluster()
    env = { ...postgresEnv(cluster.url(''), 'standby'), SVC_STANDBY: 'on', SVC_MCP_OAUTH: 'on' }
    ground = await startGround({}, env)
  })
  after(async () => {
    for (const service of await Promise.all(started)) service.child.kill('SIGKILL')
    await ground?.stop()
    await cluster?.stop()
  })

  async function startStandby(name: string): Promise<Standby> {
    const port = await freePort()
    const folder = { SVC_DATA_DIR: `${ground.dataDir}-${name}`, SVC_PORT: String(port), SVC_TEST_LOG_FILE: logOf(name) }
    const active = run([], { ...ground.onNetwork, ...env, SVC_SHARDS: '1', SVC_LOG_LEVEL: 'info', ...folder })
    started.push(active)
    const url = `http://127.0.0.1:${port}`
    const { status } = await until(
      () => ask('GET', `${url}/health/ready`).catch(() => ({ status: 0, body: {} })),
      ({ body }) => /waiting for the service on .*, whose standby it is/.test(JSON.stringify(body)),
      STANDBY_START,
    )
    assert.equal(status, 503)
    return { url, active }
  }

  async function standingBy(url: string): Promise<string[]> {
    const metrics = await (await fetch(`${url}/metrics`)).text()
    assert.match(metrics, /^process_resident_memory_bytes /m)
    return metrics.split('\n').filter((line) => line.startsWith('svc_standing_by'))
  }

  const logOf = (name: string) => `${ground.dataDir}-${name}.log`
  const at = (url: string): Instance => ({ ...instance, api_url: `${url}${new URL(instance.api_url).pathname}` })
  const deliveryOf = (id: string) =>
    ground.receiver.waitFor(`delivery of ${id}`, (each) => each.type === 'delivery' && each.message_id === id)

  async function exchange(url: string, text: string): Promise<void> {
    const { message_id } = await ground.gateway.sendText(at(url), ANA, text)
    assert.equal((await deliveryOf(message_id)).status, 'sent')
  }

  const texts = ['first', 'queued 1', 'queued 2', 'queued 3', 'after the kill', 'while it stands still', 'then', 'at the end']
  let active: Standby

  /**
   * Returns the payload of the device's last login. Every login has another counter in it, so an equal payload means
   * that there was no new login.
   */
  async function lastLogin(): Promise<unknown> {
    const { phones } = await ground.sandbox.get<{ phones: { phone: string; devices: { login: unknown }[] }[] }>('/state')
    return phones.find(({ phone }) => phone === ME)!.devices[0]!.login
  }

  test('goes on with the queue, the waiting events and the keys of a service that was killed', async () => {
    const { gateway, sandbox, receiver } = ground
    const adminKey = gateway.admin.authorization.slice('Bearer '.length)
    await sandbox.createContact(ANA, { name: 'Ana' })
    instance = await gateway.connected(sandbox, ME, receiver)
    await exchange(gateway.baseUrl, texts[0]!)
    const late = await startLateReceiver()
    await gateway.connected(sandbox, SHOP, null, { webhooks: { received_url: late.url } })
    await sandbox.send(ANA, SHOP, { text: 'an order' })
    await until(
      async () => late.types(),
      (types) => types.includes('kept waiting received'),
    )
    const standby = await startStandby('b')
    assert.equal((await ask('POST', `${standby.url}/admin/instances`)).status, 503)
    assert.deepEqual(await standingBy(standby.url), ['svc_standing_by 1'])
    await sandbox.setDown(true)
    const queued: string[] = []
    for (const text of texts.slice(1, 4)) queued.push((await gateway.sendText(instance, ANA, text)).message_id)
    const app = await registerApp(gateway.baseUrl)
    const page = await app.enterKey(gateway.baseUrl, await app.open(gateway.baseUrl), adminKey)
    const other = await app.enterKey(gateway.baseUrl, await app.open(gateway.baseUrl), adminKey)
    const code = await app.allow(gateway.baseUrl, other, instance.id)
    await ground.service.kill()
    late.open()
    await sandbox.send(ANA, ME, { text: 'an answer' })
    await sandbox.setDown(false)
    await standby.active
    assert.deepEqual(await standingBy(standby.url), [])
    for (const each of [code, await app.allow(standby.url, page, instance.id)]) {
      const { status, accessToken } = await app.redeem(standby.url, each)
      assert.deepEqual([status, await app.mayList(standby.url, accessToken)], [200, 200])
    }
    for (const id of queued) assert.equal((await deliveryOf(id)).status, 'sent')
    await receiver.waitFor('the answer', ({ type }) => type === 'received')
    await until(
      async () => late.types(),
      (types) => types.includes('taken received'),
    )
    late.stop()
    await exchange(standby.url, texts[4]!)
  })

  test('ends at its start if its shard threads cannot load their code', async () => {
    const defect = `import { isMainThread } from 'node:worker_threads'; if (!isMainThread) throw new Error('a defect')`
    const own = { SVC_DATA_DIR: `${ground.dataDir}-damaged`, SVC_PORT: String(await freePort()) }
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(defect)}`
    const damaged = run([], { ...ground.onNetwork, ...env, ...own, SVC_SHARDS: '1', NODE_OPTIONS })
    await assert.rejects(damaged, /ended with 1 before it was up: .*The service cannot load its code.*\n.*because: a defect/s)
  })

  test('takes over from a service that stands still, which stores nothing when it goes on', async () => {
    const former = await started[0]!
    const standby = await startStandby('c')
    const side = await cluster.client(schemaOf(env.SVC_STORE_URL!))
    const pids = (await side.query(WRITERS)).rows.map(({ pid }) => pid as number)
    await side.query(AUDIT)
    former.child.kill('SIGSTOP')
    await Promise.all([standby.active, pause(STILL)])
    await exchange(standby.url, texts[5]!)
    const login = await lastLogin()
    former.child.kill('SIGCONT')
    assert.equal((await former.ended).signal, 'SIGKILL')
    // The network has ended the sessions of the paused service, because the other service logged in. The paused service
    // can no longer store a status, so it must not report one.
    const isReplaced = /connection_replaced/
    assert.doesNotMatch(await readFile(logOf('b'), 'utf8'), isReplaced)
    assert.equal(
      ground.receiver.events().some((event) => isReplaced.test(JSON.stringify(event))),
      false,
    )
    await exchange(standby.url, texts[6]!)
    assert.deepEqual(await lastLogin(), login)
    // The trigger already existed when the former service was paused. So it may have recorded writes of that service,
    // but all of them must precede the first write of the other service.
    const { rows } = await side.query('SELECT n, pid FROM audit ORDER BY n')
    const isFormer = rows.map(({ pid }) => pids.includes(pid))
    assert.ok(isFormer.includes(false))
    assert.equal(isFormer.lastIndexOf(true) < isFormer.indexOf(false), true, 'the former service wrote after the takeover')
    assert.equal((await must('GET', `${at(standby.url).api_url}/status`)).status, 'connected')
    active = standby
  })

  test('accounts stay connected while neither the service nor its standby can reach the database', async () => {
    const next = await startStandby('d')
    const login = await lastLogin()
    await cluster.kill()
    await pause(AWAY)
    await cluster.start()
    await until(
      () => ask('GET', `${active.url}/health/ready`),
      ({ status }) => status === 200,
    )
    await exchange(active.url, texts[7]!)
    assert.deepEqual(await lastLogin(), login)
    const inbox = await ground.sandbox.inbox(ANA, 0, 1_000)
    assert.deepEqual([...new Set(inbox.map(({ text }) => text))], texts)
    assert.equal((await ground.sandbox.stats()).undecryptable, 0)
    // The database is back, so the standby waits again for the end of the active service.
    const former = await active.active
    former.child.kill('SIGKILL')
    await next.active
  })
})
