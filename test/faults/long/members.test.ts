/** Two members of a cluster run as processes, and their connections to the database are cut. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Instance } from '../../harness/gateway.ts'
import { type Cluster, noPostgres, startCluster } from '../../harness/postgres.ts'
import { type PostgresProxy, startProxy } from '../../harness/postgres-proxy.ts'
import { type Running, run } from '../../harness/process.ts'
import { SECRET_KEY } from '../../harness/store-env.ts'
import { until } from '../../harness/until.ts'
import { freePort, type Ground, startGround } from '../ground.ts'

const ME = '5511999990000'
const ANA = '5511988887777'
/** Time in ms for which the database is away. It is longer than the lease of a member (`owner-lease.ts`). */
const AWAY = 10_000

describe('two members of a cluster', { skip: noPostgres, timeout: 300_000 }, () => {
  let cluster: Cluster
  let ground: Ground
  let instance: Instance
  let second: Running
  const proxies: PostgresProxy[] = []

  async function memberEnv(name: string): Promise<Record<string, string>> {
    const proxy = await startProxy(cluster.socket)
    proxies.push(proxy)
    const port = String(await freePort())
    return {
      SVC_STORE_URL: `postgres://svc@127.0.0.1:${proxy.port}/postgres?schema=members`,
      SVC_SECRET_KEY: SECRET_KEY,
      SVC_CLUSTER: 'on',
      SVC_NODE_NAME: name,
      SVC_PORT: port,
      SVC_BASE_URL: `http://127.0.0.1:${port}`,
      SVC_PEER_PORT: String(await freePort()),
    }
  }

  before(async () => {
    cluster = await startCluster()
    ground = await startGround({}, await memberEnv('a'))
    await ground.sandbox.createContact(ANA, { name: 'Ana' })
    instance = await ground.gateway.connected(ground.sandbox, ME, ground.receiver)
    const own = { SVC_DATA_DIR: `${ground.dataDir}-b`, SVC_SHARDS: '1', SVC_LOG_LEVEL: 'warn' }
    second = await run([], { ...ground.onNetwork, ...(await memberEnv('b')), ...own })
    const side = await cluster.client('members')
    await until(
      async () => (await side.query("SELECT FROM svc_service WHERE state = 'member' AND writer IS NOT NULL")).rowCount,
      (count) => count === 2,
    )
    // The pause is long enough for each member to see the other one.
    await pause(2_000)
  })
  after(async () => {
    await second?.kill()
    await ground?.stop()
    await Promise.all(proxies.map((proxy) => proxy.stop()))
    await cluster?.stop()
  })

  function cut(proxy: PostgresProxy) {
    proxy.refuse(true)
    proxy.cut()
  }

  /**
   * Resolves with the payload of the last login. Every login contains another counter, so an equal payload means that
   * there was no new login.
   */
  async function lastLogin(): Promise<unknown> {
    const { phones } = await ground.sandbox.get<{ phones: { phone: string; devices: { login: unknown }[] }[] }>('/state')
    return phones.find(({ phone }) => phone === ME)!.devices[0]!.login
  }

  test('keep their sessions while neither can reach the database', async () => {
    const login = await lastLogin()
    proxies.forEach(cut)
    await pause(AWAY)
    for (const proxy of proxies) proxy.refuse(false)
    await pause(AWAY)
    assert.deepEqual([ground.service.child.exitCode, ground.service.child.signalCode], [null, null])
    assert.deepEqual([second.child.exitCode, second.child.signalCode], [null, null])
    assert.deepEqual(await lastLogin(), login)
    const { message_id } = await ground.gateway.sendText(instance, ANA, 'after the outage')
    const delivery = await ground.receiver.waitFor(
      'a delivery',
      (each) => each.type === 'delivery' && each.message_id === message_id,
    )
    assert.equal(delivery.status, 'sent')
  })

  test('end four seconds after another one has found the database again', async () => {
    proxies.forEach(cut)
    await pause(AWAY)
    proxies[1]!.refuse(false)
    const foundAt = performance.now()
    assert.equal((await ground.service.ended).signal, 'SIGKILL')
    const tookMs = performance.now() - foundAt
    // If its lease did not end this member, the other member would remove it after five seconds.
    assert.ok(tookMs > 2_900 && tookMs < 5_500, `${tookMs} ms`)
    assert.deepEqual([second.child.exitCode, second.child.signalCode], [null, null])
  })
})
