/**
 * Tests two engines with real threads, which the real link connects. In most tests, the second engine calls instances
 * of the first one, and receives their events.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { Failure } from '../../../src/domain/failures.ts'
import { DEFAULT_SETTINGS, type InstanceConfig, type WebhookSettings } from '../../../src/domain/instance.ts'
import type { LimitUse } from '../../../src/domain/limit-share.ts'
import type { CallOf, EngineEvent } from '../../../src/engine/engine.ts'
import { createPooledEngine, type PooledEngine } from '../../../src/engine/pooled-engine.ts'
import { type ClusterEngine, createClusterEngine } from '../../../src/peer/engine/cluster-engine.ts'
import type { Home } from '../../../src/peer/engine/homes.ts'
import type { ActiveService } from '../../../src/peer/forward-rules.ts'
import { peerKeyOf } from '../../../src/peer/peer-key.ts'
import { SMALL_POOL } from '../../e2e/engine/small-pool.ts'
import { until } from '../../harness/until.ts'
import { closeSides, HOST, openSide, SECRET, type Side } from './side.ts'

const AT_A = 'at-a'
const AT_B = 'at-b'
const config = (id: string): InstanceConfig => ({
  id,
  tokenTag: 'tag',
  settings: DEFAULT_SETTINGS,
  webhooks: {} as WebhookSettings,
})
const asks = (operation: string, input: unknown = null) =>
  ({ kind: 'control', operation, input }) as unknown as CallOf<'instance.status'>
const reasonOf = (error: unknown): string => (error instanceof Failure ? `${error.code} ${error.details?.reason}` : String(error))

/** Starts a relay that passes connections on to a port. It can end these connections, and refuse others. */
async function relayTo(port: number) {
  const sockets = new Set<Socket>()
  let isCut = false
  let leftBytes = Number.POSITIVE_INFINITY
  const server = createServer((near) => {
    if (isCut) return near.destroy()
    const far = connect(port, HOST)
    for (const each of [near, far]) {
      sockets.add(each)
      each.setNoDelay()
      each
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(each)
          far.destroy()
          near.destroy()
        })
    }
    near.on('data', (bytes: Buffer) => {
      leftBytes -= bytes.byteLength
      if (leftBytes > 0) return
      leftBytes = Number.POSITIVE_INFINITY
      near.destroy()
    })
    near.pipe(far).pipe(near)
  }).listen(0, HOST)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true
      for (const each of sockets) each.destroy()
    },
    mend() {
      isCut = false
    },
    /** Counts the further bytes of all connections, and ends the connection on which byte number `bytes` arrives. */
    cutAfter(bytes: number) {
      leftBytes = bytes
    },
    close() {
      for (const each of sockets) each.destroy()
      server.close()
    },
  }
}

describe('an engine over two services', { timeout: 60_000 }, () => {
  const key = peerKeyOf(SECRET)
  const pools: PooledEngine[] = []
  let atA: Side
  let a: ClusterEngine
  let b: ClusterEngine
  let relay: Awaited<ReturnType<typeof relayTo>>
  let homes: Map<string, ActiveService | 'a' | 'b'>
  let peerA: ActiveService
  let say: (event: EngineEvent) => void = () => {}
  let heard: EngineEvent[] = []
  let refreshes = 0
  let nowhere: Promise<{ reason: unknown; ms: number }>
  const homeFrom = (self: 'a' | 'b') => ({
    whereIs(instance: string): Home | undefined {
      const home = homes.get(instance)
      if (home === undefined) return undefined
      if (home === self) return 'here'
      return home === 'a' ? peerA : home === 'b' ? { id: 'b', host: HOST, port: 1 } : home
    },
    async refresh() {
      refreshes++
    },
  })
  before(async () => {
    for (let index = 0; index < 2; index++) pools.push(await createPooledEngine({ ...SMALL_POOL, shards: 1 }))
    atA = await openSide()
    relay = await relayTo(atA.port)
    peerA = { id: 'a', host: HOST, port: relay.port }
    homes = new Map([
      [AT_A, 'a'],
      [AT_B, 'b'],
    ])
    const [poolA, poolB] = pools as [PooledEngine, PooledEngine]
    const { log } = SMALL_POOL
    const local: typeof poolA = {
      ...poolA,
      onEvent(listener) {
        say = listener
        poolA.onEvent(listener)
      },
    }
    a = createClusterEngine({ local, homes: homeFrom('a'), key, log })
    b = createClusterEngine({ local: poolB, homes: homeFrom('b'), key, log, lostAfterMs: 1_500 })
    atA.link.setOwnId('a')
    atA.link.setEngine(a.port)
    b.onEvent((event) => heard.push(event))
    const begun = performance.now()
    const refused = b.call('nowhere', asks('echo')).catch(reasonOf)
    nowhere = refused.then((reason) => ({ reason, ms: performance.now() - begun }))
    await a.start(config(AT_A), 'create')
    b.setPeers([peerA])
  })
  beforeEach(() => {
    heard = []
  })
  after(async () => {
    await Promise.all([a?.close(1_000), b?.close(1_000)])
    relay?.close()
    await closeSides()
  })
  const states = () => heard.flatMap((event) => (event.type === 'state' ? [[event.instance, event.state.status]] : []))
  const isFollowed = () =>
    until(
      async () => heard,
      (events) => events.some(({ type }) => type === 'events'),
    )

  test('the events begin with the states that the other service has', async () => {
    await b.hasHeard(30_000)
    assert.equal(b.stateOf!(AT_A)?.status, 'connected')
    await isFollowed()
    assert.deepEqual(heard.map(({ type }) => type).toSorted(), ['events', 'files', 'state'])
    assert.deepEqual(states(), [[AT_A, 'connected']])
  })

  test('a call is carried out where the instance is, with bytes both ways', async () => {
    const bytes = Buffer.alloc(3_000_000, 'x')
    const answer = (await b.call(AT_A, asks('echo', { file: { bytes }, text: 'é', none: undefined }))) as unknown as {
      input: { file: { bytes: Uint8Array }; text: string }
    }
    assert.equal(Buffer.compare(answer.input.file.bytes, bytes), 0)
    assert.deepEqual([answer.input.text, 'none' in answer.input], ['é', false])
    assert.equal(bytes.byteLength, 3_000_000)
    const isInternal = (error: unknown) => error instanceof Failure && error.code === 'internal'
    await assert.rejects(b.call(AT_A, asks('throw')), isInternal)
    await assert.rejects(b.call(AT_A, asks('echo', new Map())), isInternal)
    assert.equal(b.hasTold(AT_A), false)
  })

  test('an instance is started and stopped where it lives, and both services hear of it', async () => {
    homes.set('new', 'a')
    assert.equal((await b.start(config('new'), 'create')).status, 'connected')
    assert.equal(pools[0]!.shardOf('new'), 0)
    await until(
      async () => states(),
      (all) => all.some(([instance]) => instance === 'new'),
    )
    await b.stop('new', 'keep')
    assert.equal(pools[0]!.shardOf('new'), undefined)
    await until(
      async () => states(),
      (all) => all.some(([instance, status]) => instance === 'new' && status === 'disconnected'),
    )
    await b.configure(config('new'))
  })

  test('what one service has allowed of a common limit is told to the other', async () => {
    const spent: unknown[] = []
    let uses: LimitUse[] = [['instance:i', 3]]
    b.shareLimit({ uses: () => [], spend: (found) => spent.push(...found) })
    a.shareLimit({ uses: () => uses.splice(0), spend: () => {} })
    await until(
      async () => spent,
      ({ length }) => length > 0,
    )
    uses = []
    assert.deepEqual(spent, [['instance:i', 3]])
  })

  // `test/faults/long/cluster-engine.test.ts` makes 500 calls at once.
  test('more calls at a time than there are connections are all answered', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => b.call(AT_A, asks('echo', index))))
    assert.deepEqual(
      answers.map((answer) => (answer as unknown as { input: number }).input),
      answers.map((_, index) => index),
    )
  })

  test('a call of an instance that moves waits for its new home', async () => {
    await b.start(config(AT_B), 'create')
    homes.set(AT_B, 'a')
    // Service a does not have the instance, and its answer says so.
    const moving = b.call(AT_B, asks('echo', 1))
    homes.set(AT_B, { id: 'another run', host: HOST, port: relay.port })
    setTimeout(() => homes.set(AT_B, 'b'), 300)
    assert.equal(((await moving) as unknown as { input: number }).input, 1)
  })

  test('a service that refuses a call makes the caller read the homes again, and then the call goes to the new home', async () => {
    homes.set(AT_B, 'a')
    const before = refreshes
    const home = homeFrom('b')
    const moved = b.call(AT_B, asks('echo', 'moved'))
    await until(
      async () => refreshes,
      (count) => count > before,
    )
    assert.deepEqual(home.whereIs(AT_B), peerA)
    homes.set(AT_B, 'b')
    assert.equal(((await moved) as unknown as { input: string }).input, 'moved')
  })

  test('a call waits for an instance that is here, but in no thread; one that may not wait is refused', async () => {
    homes.set('coming', 'b')
    const waiting = b.call('coming', asks('echo', 'came'))
    assert.equal(
      await b.call('coming', asks('echo'), {}, { waits: false }).catch(reasonOf),
      'engine_unavailable instance_unreachable',
    )
    await b.start(config('coming'), 'boot')
    assert.equal(((await waiting) as unknown as { input: string }).input, 'came')
  })

  test('a call that waits for a start at the other service asks its caller again, and ends if the caller leaves', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `line-${index}`)
    for (const id of ids) homes.set(id, 'a')
    const starts = ids.map((id) => pools[0]!.start(config(id), 'boot').catch(() => {}))
    const last = ids.at(-1)!
    const calls = async () => ((await b.call(last, asks('echo'))) as unknown as { calls: number }).calls
    let checks = 0
    const checkAgain = () => {
      checks++
    }
    const leaving = new AbortController()
    const left = b.call(last, asks('echo'), {}, { signal: leaving.signal }).catch(reasonOf)
    let isForbidden = false
    const forbidden = () => {
      if (isForbidden) throw new Failure('unauthorized')
      isForbidden = true
    }
    const refused = b.call(last, asks('echo'), {}, { checkAgain: forbidden }).catch(reasonOf)
    const allowed = b.call(last, asks('echo'), {}, { checkAgain })
    const notAllowed = await b.call(ids[10]!, asks('echo'), {}, { waits: false }).catch((error: Failure) => error)
    assert.ok(notAllowed instanceof Failure)
    assert.deepEqual([notAllowed.details, notAllowed.retryAfter], [{ reason: 'not_started' }, 1])
    setTimeout(() => leaving.abort(), 50)
    assert.equal(((await allowed) as unknown as { calls: number }).calls, 1)
    assert.equal(checks, 2)
    assert.deepEqual([await left, await refused], ['engine_unavailable outcome_unknown', 'unauthorized undefined'])
    // The two calls that failed were not carried out, so this is only the second call.
    assert.equal(await calls(), 2)
    await Promise.all(starts)
    for (const id of ids) await a.stop(id, 'keep')
    await until(
      async () => states(),
      (all) => all.filter(([, status]) => status === 'disconnected').length === ids.length,
    )
  })

  test('an instance that leaves finishes its calls, and calls that wait for its start go to its new home', async () => {
    const ofA: string[] = []
    a.onEvent((event) => event.type === 'state' && ofA.push(`${event.instance} ${event.state.status}`))
    homes.set('leaver', 'a')
    await a.start(config('leaver'), 'boot')
    const answers = [b.call('leaver', asks('late', 300)).catch(reasonOf)]
    await until(
      async () => a.isBusy('leaver'),
      (isBusy) => isBusy,
    )
    answers.push(a.call('leaver', asks('late', 300)).catch(reasonOf))
    homes.delete('leaver')
    await a.leave('leaver')
    assert.deepEqual(await Promise.all(answers), [{ calls: 1 }, { calls: 2 }])
    assert.deepEqual([a.isBusy('leaver'), ofA], [false, ['leaver connected', 'leaver disconnected']])

    const ids = Array.from({ length: 12 }, (_, index) => `queue-${index}`)
    for (const id of ids) homes.set(id, 'a')
    const starts = ids.map((id) => a.here.start(config(id), 'boot').catch(() => {}))
    const last = ids.at(-1)!
    const waiting = [b.call(last, asks('echo', 1)), b.call(last, asks('echo', 2))]
    await until(
      async () => a.isBusy(last),
      (isBusy) => isBusy,
    )
    homes.delete(last)
    await pools[0]!.stop(last, 'keep')
    homes.set(last, 'b')
    await b.start(config(last), 'boot')
    const inputs = (await Promise.all(waiting)) as unknown as { input: number }[]
    assert.deepEqual(inputs.map(({ input }) => input).toSorted(), [1, 2])
    await Promise.all(starts)
    for (const id of ids.slice(0, -1)) await a.here.stop(id, 'keep')
  })

  test('the instances of the other service are measured, and an absent service delays nobody', async () => {
    const found = (await b.readings()).find(({ instance }) => instance === AT_A)!
    assert.ok(found.work.sent > 0)
    assert.equal((await a.readings()).length, 0)
  })

  test('a call of an instance that no service has is refused after three seconds', async () => {
    const { reason, ms } = await nowhere
    assert.equal(reason, 'engine_unavailable instance_unreachable')
    assert.ok(ms >= 2_900, String(ms))
  })

  test('a call whose connection ends before its last byte is carried out once', async () => {
    const calls = async (input: unknown) => ((await b.call(AT_A, asks('echo', input))) as unknown as { calls: number }).calls
    const before = await calls(null)
    for (const bytes of [10_000, 2_000_000]) {
      relay.cutAfter(bytes)
      await calls({ file: { bytes: Buffer.alloc(3_000_000, 'x') } })
    }
    assert.equal(await calls(null), before + 3)
  })

  test('a cut leaves the outcome of a call unknown, loses no outcome of a send, and its instances are unknown until it ends', async () => {
    const calls = Array.from({ length: 3 }, () => b.call(AT_A, asks('never')).catch(reasonOf))
    await b.call(AT_A, asks('echo'))
    say({ type: 'outcome', svcId: 'before', outcome: { status: 'sent' } })
    await until(
      async () => heard,
      (events) => events.some(({ type }) => type === 'outcome'),
    )
    relay.cut()
    say({ type: 'outcome', svcId: 'meanwhile', outcome: { status: 'sent' } })
    assert.deepEqual(new Set(await Promise.all(calls)), new Set(['engine_unavailable outcome_unknown']))
    await until(
      async () => states(),
      (all) => all.length > 0,
    )
    assert.deepEqual(states(), [[AT_A, 'disconnected']])
    const unsent = b.call(AT_A, asks('echo', 'later'))
    setTimeout(relay.mend, 300)
    assert.equal(((await unsent) as unknown as { input: string }).input, 'later')
    await isFollowed()
    assert.deepEqual(states().at(-1), [AT_A, 'connected'])
    assert.deepEqual(
      heard.flatMap((event) => (event.type === 'outcome' ? [event.svcId] : [])),
      ['before', 'meanwhile'],
    )
  })

  test('a service that is no longer a peer is lost at once, and a caller cannot reach an engine through the link', async () => {
    b.setPeers([])
    assert.deepEqual(states().at(-1), [AT_A, 'disconnected'])
    const seen: string[] = []
    atA.server.serve(() => ({
      fetch(request) {
        seen.push(new URL(request.url).pathname)
        return new Response('the application')
      },
    }))
    const standby = await openSide()
    standby.link.setActive(peerA)
    const headers = { 'svc-link-engine': '1', 'svc-link-active': 'a' }
    const answer = await fetch(`${standby.server.url}/peer/events`, { headers })
    assert.deepEqual([await answer.text(), seen.includes('/peer/events')], ['the application', true])
  })
})
