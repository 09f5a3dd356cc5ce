/**
 * A standby passes requests on to the active service (`SVC_PEER_PORT`), so any load balancer may send to both. The
 * active service is killed in the middle of a request, and nothing may be sent twice under two ids.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { connect } from 'node:tls'
import { callerTls, peerKeyOf } from '../../../src/peer/peer-key.ts'
import { START } from '../../harness/checkout.ts'
import { readStream } from '../../harness/event-reader.ts'
import { createGateway, type Gateway, type Instance } from '../../harness/gateway.ts'
import { ask, must } from '../../harness/http.ts'
import { type Cluster, noPostgres, startCluster } from '../../harness/postgres.ts'
import { type Running, run } from '../../harness/process.ts'
import { postgresEnv } from '../../harness/store-env.ts'
import { until } from '../../harness/until.ts'
import { untilReady } from '../../harness/until-ready.ts'
import { freePort, type Ground, startGround } from '../ground.ts'

const ME = '5511999990000'
const ANA = '5511988887777'
/** Time limit in ms of the standby's start, which ends only after the takeover. */
const ENOUGH = 400_000
const ROUNDS = 500
const LARGE = 20_000_000

describe('a standby that passes requests on', { skip: noPostgres, timeout: 400_000 }, () => {
  let cluster: Cluster
  let ground: Ground
  let peerPort: number
  let standbyUrl: string
  let standby: Promise<Running>
  let onStandby: Record<string, string>
  let gateway: Gateway
  let instance: Instance
  before(async () => {
    cluster = await startCluster()
    peerPort = await freePort()
    const env = {
      ...postgresEnv(cluster.url(''), 'forwarding'),
      SVC_STANDBY: 'on',
      SVC_SHARDS: '1',
      SVC_ADMIN_ALLOWED_IPS: '127.0.0.1/32',
    }
    ground = await startGround({}, { ...env, SVC_PEER_PORT: String(peerPort) })
    const [port, otherPeerPort] = [await freePort(), await freePort()]
    standbyUrl = `http://127.0.0.1:${port}`
    const folder = { SVC_DATA_DIR: `${ground.dataDir}-b`, SVC_PORT: String(port), SVC_PEER_PORT: String(otherPeerPort) }
    onStandby = { ...ground.onNetwork, ...env, ...folder, SVC_LOG_LEVEL: 'warn' }
    standby = run([], onStandby, undefined, ENOUGH)
    await untilReady(standbyUrl, 120_000)
  })
  after(async () => {
    ;(await standby).child.kill('SIGKILL')
    await ground?.stop()
    await cluster?.stop()
  })
  const at = (url: string): Instance => ({ ...instance, api_url: `${url}${new URL(instance.api_url).pathname}` })

  test('pairs, sends, receives, uploads and streams through the standby', async () => {
    const { sandbox, receiver } = ground
    await sandbox.createContact(ANA, { name: 'Ana' })
    gateway = await createGateway(standbyUrl, ground.gateway.admin.authorization.slice('Bearer '.length))
    await sandbox.createPhone(ME, { name: 'Me' })
    instance = await gateway.createInstance(receiver)
    instance = at(standbyUrl)
    await gateway.pair(instance, sandbox, ME)
    const reader = await readStream(instance.api_url)
    const { message_id: sent } = await gateway.sendText(instance, ANA, 'hello')
    assert.equal(
      (await receiver.waitFor('the delivery', (each) => each.message_id === sent && each.type === 'delivery')).status,
      'sent',
    )
    await sandbox.send(ANA, ME, { text: 'an answer' })
    await receiver.waitFor('the answer', ({ type }) => type === 'received')
    await reader.waitFor('the answer', ({ data }) => data.type === 'received')
    await reader.cut()
    const document = `data:text/plain;base64,${Buffer.alloc(LARGE, 'x').toString('base64')}`
    const { message_id: file } = await must('POST', `${instance.api_url}/send-document/txt`, {
      phone: ANA,
      document,
      file_name: 'large.txt',
    })
    assert.equal(
      (await receiver.waitFor('the file', (each) => each.message_id === file && each.type === 'delivery')).status,
      'sent',
    )
  })

  test('lists of allowed addresses see the caller and not the standby, and a caller cannot name another', async () => {
    const statusOf = async (localAddress: string) => {
      const headers = { ...ground.gateway.admin, 'svc-link-address': '127.0.0.1' }
      const asked = request(`${standbyUrl}/admin/api-keys`, { localAddress, headers }).end()
      const [response] = (await once(asked, 'response')) as [IncomingMessage]
      await text(response)
      return response.statusCode
    }
    assert.deepEqual([await statusOf('127.0.0.1'), await statusOf('127.0.0.2')], [200, 403])
  })

  test('an answer through the standby takes a little longer', async () => {
    const times: Record<'direct' | 'passed on', number[]> = { direct: [], 'passed on': [] }
    for (let round = 0; round < ROUNDS; round++)
      for (const [way, url] of [
        ['direct', ground.gateway.baseUrl],
        ['passed on', standbyUrl],
      ] as const) {
        const begun = performance.now()
        await must('GET', `${url}/version`)
        times[way].push(performance.now() - begun)
      }
    const middle = (all: number[]) => all.toSorted((one, other) => one - other)[ROUNDS / 2]!.toFixed(2)
    process.stdout.write(`# p50 of a request: direct ${middle(times.direct)} ms, passed on ${middle(times['passed on'])} ms\n`)
  })

  test('a connection with another key is refused', async () => {
    const socket = connect({ host: '127.0.0.1', port: peerPort, ...callerTls(peerKeyOf(new Uint8Array(32))) })
    await assert.rejects(once(socket, 'secureConnect'))
  })

  test('a standby that is stopped is not ready, still passes requests on, and ends when they are answered', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const folder = {
      SVC_DATA_DIR: `${ground.dataDir}-c`,
      SVC_PORT: String(port),
      SVC_PEER_PORT: String(await freePort()),
      SVC_SHUTDOWN_SECONDS: '60',
    }
    const third = spawn(process.execPath, START, {
      env: { ...process.env, ...onStandby, ...folder },
      stdio: 'ignore',
    })
    const ended = once(third, 'exit')
    try {
      await untilReady(url, 120_000)
      await ground.sandbox.setDown(true)
      const begun = performance.now()
      const waiting = ask('POST', `${at(url).api_url}/send-text`, { phone: ANA, message: 'during a stop' }, { prefer: 'wait=30' })
      await until(
        () => must<{ total: number }>('GET', `${instance.api_url}/queue`),
        ({ total }) => total === 1,
      )
      third.kill('SIGTERM')
      await until(
        () => ask('GET', `${url}/health/ready`),
        ({ status }) => status === 503,
      )
      assert.equal((await ask('GET', `${url}/version`)).status, 200)
      await ground.sandbox.setDown(false)
      assert.deepEqual([(await waiting).status, await ended], [200, [0, null]])
      process.stdout.write(`# the standby stopped ${Math.round(performance.now() - begun)} ms after the request\n`)
    } finally {
      third.kill('SIGKILL')
      await ground.sandbox.setDown(false)
    }
  })

  test('a request whose active service is killed ends with an unknown outcome, and its repetition is sent under one id', async () => {
    const body = { phone: ANA, message: 'only once' }
    const key = { 'Idempotency-Key': 'once' }
    await ground.sandbox.setDown(true)
    const waiting = ask('POST', `${instance.api_url}/send-text`, body, { ...key, prefer: 'wait=30' })
    await until(
      () => must<{ total: number }>('GET', `${instance.api_url}/queue`),
      ({ total }) => total === 1,
    )
    await ground.service.kill()
    const lost = await waiting
    await ground.sandbox.setDown(false)
    assert.deepEqual([lost.status, (lost.body.error as { details: object }).details], [503, { reason: 'outcome_unknown' }])
    const ended = performance.now()
    const repeated = await until(
      () => ask<Record<string, string>>('POST', `${instance.api_url}/send-text`, body, key),
      ({ status }) => status < 300,
      120_000,
    )
    process.stdout.write(`# answered again ${Math.round(performance.now() - ended)} ms after the kill\n`)
    await standby
    const { message_id: id } = repeated.body
    assert.equal(
      (await ground.receiver.waitFor('the delivery', (each) => each.message_id === id && each.type === 'delivery')).status,
      'sent',
    )
    const inbox = await ground.sandbox.inbox(ANA, 0, 1_000)
    assert.equal(new Set(inbox.filter(({ text: each }) => each === 'only once').map(({ id: each }) => each)).size, 1)
  })
})
