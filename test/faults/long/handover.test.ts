/**
 * The active service is stopped, or killed, while its standby passes requests on to it (`SVC_PEER_PORT`). Measures how
 * long callers of the standby wait, and when the accounts are connected again. A request may be refused after three
 * seconds without an active service, or if its account is not started in time. After a kill, the outcome of a request
 * may also be unknown.
 */
import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { buildFormerRelease, noFormerRelease } from '../../harness/former-release.ts'
import type { Instance } from '../../harness/gateway.ts'
import { ask, must } from '../../harness/http.ts'
import { type Cluster, noPostgres, startCluster } from '../../harness/postgres.ts'
import { type Running, run } from '../../harness/process.ts'
import { postgresEnv } from '../../harness/store-env.ts'
import { until } from '../../harness/until.ts'
import { untilReady } from '../../harness/until-ready.ts'
import { freePort, type Ground, startGround } from '../ground.ts'

const ANA = '5511988887777'
const INSTANCES = Number(process.env.SVC_TEST_INSTANCES ?? 10)
/**
 * Number of accounts that are started per second. With few accounts it is low, so that some sends arrive while their
 * accounts wait for their start.
 */
const STARTS_PER_SECOND = INSTANCES > 25 ? '25' : '1'
/** Time limit in ms of a standby's start, which ends only after the takeover. */
const ENOUGH = 400_000
/** Time in ms for which a standby lets a request wait (`forwarding.ts`), less the inaccuracy of timers. */
const PATIENCE = 2_950
/** Interval in ms between two requests of the callers. */
const EVERY = 25

interface Node {
  url: string
  active: Promise<Running>
}

interface Answer {
  isOfStatus: boolean
  status: number
  reason: string | undefined
  ms: number
}

describe('a handover between two services', { skip: noPostgres, timeout: 500_000 }, () => {
  let cluster: Cluster
  let ground: Ground
  let env: Record<string, string>
  const instances: Instance[] = []
  const started: Promise<Running>[] = []
  before(async () => {
    cluster = await startCluster()
    env = {
      ...postgresEnv(cluster.url(''), 'handover'),
      SVC_STANDBY: 'on',
      SVC_SHARDS: '1',
      SVC_STARTS_PER_SECOND: STARTS_PER_SECOND,
    }
    ground = await startGround({}, { ...env, SVC_PEER_PORT: String(await freePort()) })
    await ground.sandbox.createContact(ANA, { name: 'Ana' })
    for (let index = 0; index < INSTANCES; index++)
      instances.push(await ground.gateway.connected(ground.sandbox, `55119999${10_000 + index}`, ground.receiver))
  })
  after(async () => {
    for (const service of await Promise.all(started)) service.child.kill('SIGKILL')
    await ground?.stop()
    await cluster?.stop()
  })

  async function startStandby(name: string, program?: readonly string[]): Promise<Node> {
    const port = await freePort()
    const own = { SVC_DATA_DIR: `${ground.dataDir}-${name}`, SVC_PORT: String(port), SVC_PEER_PORT: String(await freePort()) }
    const active = run(
      [],
      { ...ground.onNetwork, ...env, ...own, SVC_LOG_LEVEL: process.env.SVC_LOG_LEVEL ?? 'warn' },
      program,
      ENOUGH,
    )
    started.push(active)
    const url = `http://127.0.0.1:${port}`
    await untilReady(url, 120_000)
    return { url, active }
  }

  const at = (url: string, { api_url }: Instance) => `${url}${new URL(api_url).pathname}`

  async function megabytesOf({ url }: Node): Promise<number> {
    const metrics = await (await fetch(`${url}/metrics`)).text()
    return Math.round(Number(/^process_resident_memory_bytes (.*)$/m.exec(metrics)![1]) / 1e6)
  }

  /** Sends requests to the standby until it is active and all accounts are connected. */
  async function handOver(standby: Node, end: () => Promise<unknown>): Promise<Answer[]> {
    const standby_mb = await megabytesOf(standby)
    const answers: Promise<Answer>[] = []
    const begun = performance.now()
    const since = () => Math.round(performance.now() - begun)
    async function send(index: number): Promise<Answer> {
      const at0 = performance.now()
      const base = at(standby.url, instances[index % INSTANCES]!)
      const isOfStatus = index % 2 === 0
      const asked = isOfStatus
        ? ask('GET', `${base}/status`)
        : ask('POST', `${base}/send-text`, { phone: ANA, message: `text ${standby.url} ${index}` })
      const { status, body } = await asked.catch(() => ({ status: 0, body: {} }) as never)
      const { details } = (body?.error ?? {}) as { details?: { reason?: string } }
      return { isOfStatus, status, reason: details?.reason, ms: performance.now() - at0 }
    }
    let isOver = false
    const sending = (async () => {
      for (let index = 0; !isOver; index++) {
        answers.push(send(index))
        await pause(EVERY)
      }
    })()
    const ended = end().then(since)
    const ready = standby.active.then(since)
    await ready
    for (const instance of instances)
      await until(
        () => must('GET', `${at(standby.url, instance)}/status`),
        ({ status }) => status === 'connected',
        60_000,
      )
    const connected = since()
    isOver = true
    await sending
    const all = await Promise.all(answers)
    const counts: Record<string, number> = {}
    for (const { status, reason } of all) {
      const name = [status, reason].join(' ').trim()
      counts[name] = (counts[name] ?? 0) + 1
    }
    const longest = Math.round(Math.max(...all.map(({ ms }) => ms)))
    const numbers = { ended: await ended, ready: await ready, connected, longest, standby_mb }
    process.stdout.write(`# ${INSTANCES} accounts, ms and MB: ${JSON.stringify(numbers)}, answers: ${JSON.stringify(counts)}\n`)
    return all
  }

  const isRefusedRightly = ({ isOfStatus, status, reason, ms }: Answer) =>
    status === 503 && (reason === 'not_started' ? !isOfStatus : reason === 'no_active_service' && ms >= PATIENCE)

  test('a stop of the active service leaves no outcome unknown to those who call its standby', async () => {
    const standby = await startStandby('b')
    const answers = await handOver(standby, () => ground.service.stop())
    assert.deepEqual(
      answers.filter((answer) => answer.status !== 200 && !isRefusedRightly(answer)),
      [],
    )
  })

  test('after a kill requests are refused for some seconds, and then the accounts go on', async () => {
    const former = await started[0]!
    const standby = await startStandby('c')
    const answers = await handOver(standby, () => former.kill())
    assert.deepEqual(
      answers.filter((answer) => answer.status !== 200 && answer.reason !== 'outcome_unknown' && !isRefusedRightly(answer)),
      [],
    )
  })

  test('on request the active service ends, and its standby goes on without an unknown outcome', async () => {
    const former = await started[1]!
    const standby = await startStandby('d')
    const admin = { authorization: `Bearer ${ground.service.printed.admin_key}` }
    const nodes = async () =>
      (
        await must<{ data: { id: string; state: string; takeover: unknown }[] }>(
          'GET',
          `${standby.url}/admin/nodes`,
          undefined,
          admin,
        )
      ).data
    const states = async () =>
      (await nodes()).filter(({ state }) => state !== 'lost').map(({ state, takeover }) => [state, takeover])
    const [active] = await until(nodes, (found) => found.some(({ state }) => state === 'standby'))
    const answers = await handOver(standby, async () => {
      await must('POST', `${standby.url}/admin/nodes/${active!.id}/drain`, {}, admin)
      assert.deepEqual(await former.ended, { code: 0, signal: null })
    })
    assert.deepEqual(
      answers.filter((answer) => answer.status !== 200 && !isRefusedRightly(answer)),
      [],
    )
    assert.deepEqual(await states(), [['active', { from: hostname(), cause: 'planned' }]])
    assert.equal((await ask('POST', `${standby.url}/admin/nodes/${active!.id}/drain`, {}, admin)).status, 404)
  })

  test('a pair runs the former release and then this one again, and each standby runs the other release', {
    skip: noFormerRelease,
  }, async (t) => {
    const former = await buildFormerRelease()
    t.after(former.remove)
    let active = await started[2]!
    for (const [name, program] of [
      ['e', former.program],
      ['f', undefined],
    ] as const) {
      const standby = await startStandby(name, program)
      const answers = await handOver(standby, () => active.stop())
      assert.deepEqual(
        answers.filter((answer) => answer.status !== 200 && !isRefusedRightly(answer)),
        [],
      )
      active = await standby.active
    }
  })
})
