/**
 * Two services run in two processes, each with real shard threads. The first service has an account. The engine of the
 * second service sends messages, reads chats and receives events of this account over the link. The first service is
 * killed and started again.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readConfig } from '../../../src/config.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { CallOf, EngineEvent, OperationId } from '../../../src/engine/engine.ts'
import { callOf } from '../../../src/features/call.ts'
import { endpoints } from '../../../src/features/index.ts'
import { parseInput } from '../../../src/features/input.ts'
import { createLog } from '../../../src/log.ts'
import { type Service, startService } from '../../../src/main.ts'
import { type ClusterEngine, createClusterEngine } from '../../../src/peer/engine/cluster-engine.ts'
import { peerKeyOf } from '../../../src/peer/peer-key.ts'
import { program } from '../../harness/checkout.ts'
import { createGateway, type Gateway, type Instance } from '../../harness/gateway.ts'
import { ask } from '../../harness/http.ts'
import { peakOf, rssOf } from '../../harness/large-bodies.ts'
import { networkEnv, type Running, run } from '../../harness/process.ts'
import { createSandbox, type Sandbox } from '../../harness/sandbox.ts'
import { until } from '../../harness/until.ts'
import { freePort } from '../ground.ts'

const ME = '5511999990000'
const ANA = '5511988887777'
const NO_GROUP = '120363000000000000-group'
const ROUNDS = 300
/** Number of bytes of a document. Its JSON request is nearly as long as a request may be. */
const LARGEST = 47_000_000
/**
 * Maximum growth of the memory in MB: commands may use 192 MB, and their bytes are copied to the shard thread and to
 * the disk.
 */
const MOST_GROWTH = 700

describe('an engine over two services in two processes', { timeout: 300_000 }, () => {
  let dir: string
  let network: Running
  let sandbox: Sandbox
  let first: Running
  let startFirst: () => Promise<Running>
  let second: Service
  let engine: ClusterEngine
  let gateway: Gateway
  let instance: Instance
  const heard: EngineEvent[] = []
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-engines-'))
    network = await run(['--network-only'], { SVC_DATA_DIR: join(dir, 'network'), SVC_SANDBOX_PORT: '0' })
    sandbox = createSandbox(network.printed.sandbox_url!)
    const [port, peerPort] = [await freePort(), await freePort()]
    const env = { ...networkEnv(network.printed), SVC_SHARDS: '1', SVC_FFMPEG: 'off' }
    const host = [...program('../engine-host', import.meta.url), String(peerPort)]
    startFirst = () => run([], { ...env, SVC_DATA_DIR: join(dir, 'a'), SVC_PORT: String(port) }, host)
    first = await startFirst()
    gateway = await createGateway(first.printed.base_url!, first.printed.admin_key!)
    const { config } = readConfig({ env: { ...env, SVC_DATA_DIR: join(dir, 'b'), SVC_PORT: '0', SVC_LOG_LEVEL: 'fatal' } })
    const log = createLog({ level: 'fatal' }, 'main')
    second = await startService(config, { log })
    const peer = { id: 'a', host: '127.0.0.1', port: peerPort }
    const key = peerKeyOf(new Uint8Array(32))
    engine = createClusterEngine({ local: second.engine, homes: { whereIs: () => peer }, key, log, lostAfterMs: 3_000 })
    engine.onEvent((event) => heard.push(event))
    engine.setPeers([peer])
    await sandbox.createContact(ANA, { name: 'Ana' })
    instance = await gateway.connected(sandbox, ME, null)
  })
  after(async () => {
    await engine?.close(1_000)
    await second?.stop(5_000)
    await first?.kill()
    await network?.kill()
    await rm(dir, { recursive: true, force: true })
  })

  function meantBy(operation: OperationId, fields: Record<string, unknown>): CallOf<OperationId> {
    const endpoint = endpoints.find(({ id }) => id === operation)!
    return callOf(endpoint, parseInput(endpoint, fields as never)) as CallOf<OperationId>
  }
  const call = async <T>(operation: OperationId, fields: Record<string, unknown> = {}): Promise<T> =>
    (await engine.call(instance.id, meantBy(operation, fields))) as T
  const statuses = () =>
    heard.flatMap((event) => (event.type === 'state' && event.instance === instance.id ? [event.state.status] : []))
  const untilStatus = (status: string) =>
    until(
      async () => statuses().at(-1),
      (last) => last === status,
      60_000,
    )

  test('a text is sent, its outcome is heard, and the chats are read', async () => {
    await untilStatus('connected')
    const sent = await call<{ svc_id: string }>('send.sendText', { phone: ANA, message: 'through the engine' })
    await until(
      async () => heard.find((event) => event.type === 'outcome' && event.svcId === sent.svc_id),
      (event) => event?.type === 'outcome' && event.outcome.status === 'sent',
      60_000,
    )
    const inbox = await sandbox.inbox(ANA, 0, 1_000)
    assert.deepEqual(
      inbox.map(({ text }) => text),
      ['through the engine'],
    )
    const { data } = await call<{ data: { phone: string }[] }>('chats.list', { page: '1' })
    assert.deepEqual(
      data.map(({ phone }) => phone),
      [ANA],
    )
  })

  test('a document arrives with all its bytes', async () => {
    const size = 2_000_000
    const document = `data:text/plain;base64,${Buffer.alloc(size, 'x').toString('base64')}`
    await call('send.sendDocument', { phone: ANA, document, extension: 'txt', file_name: 'large.txt' })
    const inbox = await until(
      () => sandbox.inbox(ANA, 0, 1_000),
      (items) => items.length === 2,
      60_000,
    )
    assert.equal(inbox[1]!.media!.bytes, size)
  })

  test('six documents of the largest size at a time are queued or refused, and memory is limited where the account is', async () => {
    const pid = first.child.pid!
    const before = rssOf(pid)
    const document = `data:text/plain;base64,${Buffer.alloc(LARGEST, 'x').toString('base64')}`
    const meant = meantBy('send.sendDocument', { phone: ANA, document, extension: 'txt', file_name: 'largest.txt' })
    const results = await Promise.all(
      Array.from({ length: 6 }, () =>
        engine.call(instance.id, meant).then(
          () => 'queued',
          (error: Failure) => `${error.code} ${error.details?.reason}`,
        ),
      ),
    )
    const most = peakOf(pid)
    await call('queue.clear')
    process.stdout.write(`# ${results.join(', ')}; memory grew from ${Math.round(before)} to at most ${Math.round(most)} MB\n`)
    assert.ok(results.filter((result) => result === 'queued').length >= 2)
    assert.ok(most - before < MOST_GROWTH, `${most - before} MB`)
    for (const result of results) assert.match(result, /^(queued|engine_unavailable instance_busy)$/)
  })

  test('a call fails as it does in the service that has the account', async () => {
    const { status, body } = await gateway.ask(instance, 'GET', `/groups/${NO_GROUP}`)
    const failure = (await call('groups.metadata', { group_id: NO_GROUP }).catch((error) => error)) as Failure
    assert.ok(failure instanceof Failure)
    assert.deepEqual([failure.status, failure.code], [status, (body.error as { code: string }).code])
  })

  test('a call takes a little longer than in the service that has the account', async () => {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const begun = performance.now()
      await call('queue.list', {})
      times.push(performance.now() - begun)
    }
    const begun = performance.now()
    await Promise.all(Array.from({ length: 500 }, () => call('queue.list', {})))
    const all = Math.round(performance.now() - begun)
    const middle = times.toSorted((one, other) => one - other)[ROUNDS / 2]!.toFixed(2)
    process.stdout.write(`# p50 of a call over the link ${middle} ms; 500 at a time took ${all} ms\n`)
  })

  test('a call whose service is killed has an unknown outcome, and the account comes back with the service', async () => {
    await sandbox.fault({ on: 'query', match: { xmlns: 'w:g2' }, do: 'drop' })
    const waiting = call('groups.metadata', { group_id: NO_GROUP }).catch((error) => error)
    // When this later call is answered, the earlier call has arrived.
    await call('queue.list', {})
    await first.kill()
    const { code, details } = (await waiting) as Failure
    assert.deepEqual([code, details], ['engine_unavailable', { reason: 'outcome_unknown' }])
    await untilStatus('disconnected')
    first = await startFirst()
    await untilStatus('connected')
    assert.equal((await ask('GET', `${instance.api_url}/status`)).body.status, 'connected')
    await call('queue.list', {})
  })
})
