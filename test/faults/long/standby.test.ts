/**
 * A standby (`SVC_STANDBY`) takes over a PostgreSQL store when the active service is killed or paused. Nothing may be
 * lost, and the former service must not store anything afterwards.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { schemaOf } from '../../../src/domain/store-url.ts'
import type { Instance } from '../../harness/gateway.ts'
import { ask, must } from '../../harness/http.ts'
import { registerApp } from '../../harness/oauth-app.ts'
import { type Cluster, noPostgres, startCluster } from '../../harness/postgres.ts'
import { type Running, run } from '../../harness/process.ts'
import { createStoppedClocks, type StoppedClocks } from '../../harness/stopped-clocks.ts'
import { postgresEnv } from '../../harness/store-env.ts'
import { until } from '../../harness/until.ts'
import { freePort, type Ground, startGround } from '../ground.ts'

const ME = '5511999990000'
const SHOP = '5511999990001'
const ANA = '5511988887777'
/** Time in ms for which a service is paused with SIGSTOP. */
const STILL = 20_000
/**
 * Time in ms for which a service is paused with SIGSTOP while its clocks stand still. The pause is longer than the time
 * after which a standby replaces a silent service.
 */
const CLOCKS_STOPPED = 10_000
/** Time in ms for which the database is down. It is longer than the lease of the active service (`owner-lease.ts`). */
const AWAY = 8_000

/** Time limit of a start in ms. It is high, because the start of a process takes long on a busy machine. */
const STANDBY_START = 120_000

/** SQL of a trigger that records, for each write, which server process of PostgreSQL made it, in order. */
const AUDIT = `
DROP TABLE IF EXISTS audit;
CREATE TABLE audit (n bigserial PRIMARY KEY, pid int NOT NULL);
CREATE OR REPLACE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO audit (pid) VALUES (pg_backend_pid());
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER noting AFTER INSERT OR UPDATE OR DELETE ON svc_state FOR EACH ROW EXECUTE FUNCTION noted()`
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
  let dir: string
  let clocks: StoppedClocks
  const started: Promise<Running>[] = []
  before(async () => {
    cluster = await startCluster()
    env = { ...postgresEnv(cluster.url(''), 'standby'), SVC_STANDBY: 'on', SVC_MCP_OAUTH: 'on' }
    ground = await startGround({}, env)
    dir = await mkdtemp(join(tmpdir(), 'svc-standby-'))
    clocks = createStoppedClocks(dir)
  })
  after(async () => {
    for (const service of await Promise.all(started)) service.child.kill('SIGKILL')
    await ground?.stop()
    await cluster?.stop()
    await rm(dir, { recursive: true, force: true })
  })

  async function startStandby(name: string, more: Record<string, string> = {}): Promise<Standby> {
    const port = await freePort()
    const folder = { SVC_DATA_DIR: `${ground.dataDir}-${name}`, SVC_PORT: String(port), SVC_TEST_LOG_FILE: logOf(name) }
    const active = run([], { ...ground.onNetwork, ...env, SVC_SHARDS: '1', SVC_LOG_LEVEL: 'info', ...folder, ...more })
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
    accepted.push(text)
    assert.equal((await deliveryOf(message_id)).status, 'sent')
  }

  /** All texts that were accepted, in order. */
  const accepted: string[] = []
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
    await exchange(gateway.baseUrl, 'first')
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
    for (const text of ['queued 1', 'queued 2', 'queued 3']) {
      queued.push((await gateway.sendText(instance, ANA, text)).message_id)
      accepted.push(text)
    }
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
    await exchange(standby.url, 'after the kill')
  })

  test('ends at its start if its shard threads cannot load their code', async () => {
    const defect = `import { isMainThread } from 'node:worker_threads'; if (!isMainThread) throw new Error('a defect')`
    const own = { SVC_DATA_DIR: `${ground.dataDir}-damaged`, SVC_PORT: String(await freePort()) }
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(defect)}`
    const damaged = run([], { ...ground.onNetwork, ...env, ...own, SVC_SHARDS: '1', NODE_OPTIONS })
    await assert.rejects(damaged, /ended with 1 before it was up: .*The service cannot load its code.*\n.*because: a defect/s)
  })

  /** Checks that the service writes nothing to the store after the first write of another service. */
  async function watchWrites() {
    const side = await cluster.client(schemaOf(env.SVC_STORE_URL!))
    const pids = (await side.query(WRITERS)).rows.map(({ pid }) => pid as number)
    await side.query(AUDIT)
    return async () => {
      // The trigger existed before the service was paused. So it may have recorded writes of that service, but all of
      // them must precede the first write of the other service.
      const { rows } = await side.query('SELECT n, pid FROM audit ORDER BY n')
      const isFormer = rows.map(({ pid }) => pids.includes(pid))
      assert.ok(isFormer.includes(false))
      assert.equal(isFormer.lastIndexOf(true) < isFormer.indexOf(false), true, 'the former service wrote after the takeover')
    }
  }

  /** The network has ended the sessions of the former service, which must not report that: it can store no status. */
  async function reportsNoReplacement(name: string) {
    const isReplaced = /connection_replaced/
    assert.doesNotMatch(await readFile(logOf(name), 'utf8'), isReplaced)
    assert.equal(
      ground.receiver.events().some((event) => isReplaced.test(JSON.stringify(event))),
      false,
    )
  }

  test('takes over from a service that stands still, which stores nothing when it goes on', async () => {
    const former = await started[0]!
    const standby = await startStandby('c', clocks.env)
    const hasWrittenInTurn = await watchWrites()
    former.child.kill('SIGSTOP')
    await Promise.all([standby.active, pause(STILL)])
    await exchange(standby.url, 'while it stands still')
    const login = await lastLogin()
    former.child.kill('SIGCONT')
    assert.equal((await former.ended).signal, 'SIGKILL')
    await reportsNoReplacement('b')
    await exchange(standby.url, 'then')
    assert.deepEqual(await lastLogin(), login)
    await hasWrittenInTurn()
    assert.equal((await must('GET', `${at(standby.url).api_url}/status`)).status, 'connected')
    active = standby
  })

  test('takes over from a service whose clocks stop while it stands still, as in a paused virtual machine', async (t) => {
    if (clocks.reason !== false) return t.skip(clocks.reason)
    const former = await active.active
    const standby = await startStandby('d')
    const hasWrittenInTurn = await watchWrites()
    const stoppedAt = performance.now()
    former.child.kill('SIGSTOP')
    await Promise.all([standby.active, pause(CLOCKS_STOPPED)])
    await exchange(standby.url, 'while its clocks are stopped')
    clocks.wereStopped(performance.now() - stoppedAt)
    former.child.kill('SIGCONT')
    await former.ended
    const lastLine = (await readFile(logOf('c'), 'utf8')).trim().split('\n').at(-1)!
    assert.ok(Date.now() - Date.parse(JSON.parse(lastLine).time) >= CLOCKS_STOPPED, 'its clocks did not stop')
    await reportsNoReplacement('c')
    await exchange(standby.url, 'then again')
    await hasWrittenInTurn()
    assert.equal((await must('GET', `${at(standby.url).api_url}/status`)).status, 'connected')
    active = standby
  })

  test('accounts stay connected while neither the service nor its standby can reach the database', async () => {
    const next = await startStandby('e')
    const login = await lastLogin()
    await cluster.kill()
    await pause(AWAY)
    await cluster.start()
    await until(
      () => ask('GET', `${active.url}/health/ready`),
      ({ status }) => status === 200,
    )
    await exchange(active.url, 'at the end')
    assert.deepEqual(await lastLogin(), login)
    const inbox = await ground.sandbox.inbox(ANA, 0, 1_000)
    assert.deepEqual([...new Set(inbox.map(({ text }) => text))], accepted)
    assert.equal((await ground.sandbox.stats()).undecryptable, 0)
    // The database is back, so the standby waits again for the end of the active service.
    const former = await active.active
    former.child.kill('SIGKILL')
    await next.active
  })
})
