/**
 * Members of a cluster share the instances of one real store, in one process. At no time may two members run the same
 * instance.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createStoredAccount } from '../../../src/account/stored-account.ts'
import { createInstanceDirectory } from '../../../src/directory/instance-directory.ts'
import { steadyClock, systemClock } from '../../../src/domain/clock.ts'
import type { Log } from '../../../src/domain/log.ts'
import { parseRanges } from '../../../src/egress/addresses.ts'
import { createTally } from '../../../src/metrics/tally.ts'
import { createOauth } from '../../../src/oauth/create.ts'
import { createClusterHosting } from '../../../src/service/cluster/cluster-hosting.ts'
import { createHomeMap } from '../../../src/service/cluster/home-map.ts'
import { hostedDirectory } from '../../../src/service/cluster/hosted-directory.ts'
import { eraseClaimed } from '../../../src/storage/erase.ts'
import { openKeyRing } from '../../../src/storage/key-ring.ts'
import { sharedRecords } from '../../../src/storage/main-records/shared-records.ts'
import { mountBlobs, openStore } from '../../../src/storage/open-store.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { doubleEngine } from '../../contract/http/service.ts'
import { type Cluster, noPostgres, startCluster } from '../../harness/postgres.ts'
import { type PostgresProxy, startProxy } from '../../harness/postgres-proxy.ts'
import { until } from '../../harness/until.ts'

const SECRET_KEY = new Uint8Array(32).fill(1)
const ADMIN_KEY = `svc_admin_${'a'.repeat(48)}`
const TIMES = { patience: 1_000, balanceEvery: 100, quiet: 0, drainEvery: 1, giveUpAfter: 500 }

describe('members that share instances', { skip: noPostgres, timeout: 120_000, concurrency: true }, () => {
  let cluster: Cluster
  let schemas = 0
  const proxies: PostgresProxy[] = []
  const ending: (() => Promise<unknown>)[] = []
  before(async () => {
    cluster = await startCluster({ max_connections: '150' })
  })
  after(async () => {
    await Promise.all(ending.map((end) => end()))
    await Promise.all(proxies.map((proxy) => proxy.stop()))
    await cluster?.stop()
  })

  /**
   * Notes which member runs which instance, how the instance was started last, and starts that must not happen
   * (`faults`).
   */
  function createRunning() {
    const running = new Map<string, { member: string; how: string }>()
    const dead = new Set<string>()
    const faults: string[] = []
    return {
      running,
      dead,
      faults,
      of: (member: string) => [...running].flatMap(([instance, each]) => (each.member === member ? [instance] : [])),
      start(member: string, instance: string, how: string) {
        const before = running.get(instance)
        if (before && !dead.has(before.member)) faults.push(`${member} started ${instance}, which ${before.member} runs`)
        running.set(instance, { member, how })
      },
      stop(member: string, instance: string) {
        if (running.get(instance)?.member === member) running.delete(instance)
      },
    }
  }

  async function join(schema: string, name: string, shared: ReturnType<typeof createRunning>, { followMs = 200 } = {}) {
    const proxy = await startProxy(cluster.socket)
    proxies.push(proxy)
    const lines: string[] = []
    const note = (_: object, message: string) => void lines.push(message)
    const log: Log = { info: note, warn: note, error: note }
    const store = await openStore(`postgres://svc@127.0.0.1:${proxy.port}/postgres?schema=${schema}`, {
      node: { id: randomUUID(), name, release: '1.0.0', host: '127.0.0.1', port: 1, peerPort: 2 },
      cluster: { ask: async () => 'refused', onLost() {}, onNotRemoved() {} },
    })
    const giveBack = await store.own()
    const main = sharedRecords({ store, changes: store.changes!, log })
    const keyRing = await openKeyRing(store, SECRET_KEY)
    const sealer = keyRing.main
    const clock = systemClock
    const account = createStoredAccount({ main, store, sealer, clock, log, adminKey: ADMIN_KEY, instanceSlots: null })
    await account.load()
    const { engine } = doubleEngine()
    engine.start = async (config, how) => {
      shared.start(name, config.id, how)
      return { ...(await doubleEngine().engine.start(config, how)), status: 'stopped' }
    }
    const { adminKeyTag: keyTagOf, settled, catchUp } = account
    const oauth = createOauth({ store, main, sealer, clock, log, allow: parseRanges([]), keyTagOf, settled, catchUp })
    await oauth.load()
    const checks = { checkUrl: () => undefined, checkProxy: () => undefined, createWaitMs: 0 }
    const directory = createInstanceDirectory({ store, main, sealer, keyRing, account, oauth, engine, clock, log, ...checks })
    await directory.load()
    const stopFollowing = main.follow(followMs)
    const [homes, members] = [store.homes!, store.members!]
    const map = createHomeMap(homes, members)
    let failsToStop = false
    const unstartable = new Set<string>()
    let dies: 'before' | 'after' | undefined
    function kill() {
      shared.dead.add(name)
      proxy.refuse(true)
      proxy.cut()
    }
    const hosting = createClusterHosting({
      self: store.ownerId!,
      startsPerSecond: 25,
      homes,
      members,
      map,
      store,
      keyRing,
      directory: hostedDirectory({ directory, main, isPaused: () => false, clock }),
      async start(config, how) {
        shared.start(name, config.id, how)
        assert.equal(map.whereIs(config.id), 'here')
        keyRing.of(config.id)
      },
      async stop(instance) {
        assert.notEqual(map.whereIs(instance), 'here')
        if (failsToStop) throw new Error('the instance could not be stopped')
        if (dies === 'before') kill()
        // Stands for the last commits of an instance, which are under way while it stops.
        await store.commit({ ops: [[`${keys.instance(instance)}last`, Buffer.from(name)]] })
        shared.stop(name, instance)
        if (dies === 'after') kill()
      },
      isHosted: (instance) => shared.running.get(instance)?.member === name,
      failingFor: (instance) => (unstartable.has(instance) ? 1_000 : undefined),
      erase: (ids) => eraseClaimed(ids, { store, keyRing, blobs: mountBlobs(store.blobDriver!), log: log as never }),
      askToLook: async () => undefined,
      tally: createTally(),
      clock: steadyClock,
      log,
      times: TIMES,
    })
    await hosting.begin()
    let isOver = false
    async function leave() {
      if (isOver) return
      isOver = true
      await hosting.stop()
      stopFollowing()
      await account.stop()
      await oauth.stop()
      await main.idle()
      shared.dead.add(name)
      await store.close()
      await giveBack()
    }
    ending.push(leave)
    return {
      name,
      store,
      proxy,
      lines,
      keyRing,
      directory,
      hosting,
      map,
      leave,
      /** Cuts the member off from the database for good. */
      kill,
      dieWhenItGives(when: 'before' | 'after') {
        dies = when
      },
      failToStop() {
        failsToStop = true
      },
      failToStart(instance: string) {
        unstartable.add(instance)
      },
      create: (count: number) =>
        Promise.all(
          Array.from({ length: count }, (_, index) =>
            directory.create(account.findAdmin(ADMIN_KEY)!, { name: `${name} ${index}` }),
          ),
        ),
    }
  }
  type Member = Awaited<ReturnType<typeof join>>

  const world = () => ({ schema: `hosting_${schemas++}`, shared: createRunning() })
  const untilRuns = (shared: ReturnType<typeof createRunning>, counts: Record<string, number>) =>
    until(
      async () => Object.fromEntries(Object.keys(counts).map((name) => [name, shared.of(name).length])),
      (found) => JSON.stringify(found) === JSON.stringify(counts),
      30_000,
    )
  /** Waits until every member knows which member runs each instance. */
  const untilKnown = (shared: ReturnType<typeof createRunning>, members: Member[]) =>
    until(
      async () =>
        [...shared.running].every(([instance, { member }]) =>
          members.every(({ name, map, store }) => {
            const home = map.whereIs(instance)
            if (name === member) return home === 'here' && store.homes!.isOwn(instance)
            return typeof home === 'object' && home.id === members.find((each) => each.name === member)!.store.ownerId
          }),
        ),
      Boolean,
    )

  test('a member that joins gets its share, and what a dead one had is started by the others', async () => {
    const { schema, shared } = world()
    const a = await join(schema, 'a', shared)
    const ids = await a.create(9)
    const b = await join(schema, 'b', shared)
    // Nothing is moved while all members are within two of the mean. The mean of nine instances on two members is 4.5,
    // so `b` gets at least three.
    await until(
      async () => shared.of('b').length,
      (count) => count >= 3,
      30_000,
    )
    const c = await join(schema, 'c', shared)
    await until(
      async () => [shared.of('a').length, shared.of('b').length, shared.of('c').length],
      (counts) => counts.every((count) => count >= 1 && count <= 5) && counts.reduce((sum, count) => sum + count) === 9,
      30_000,
    )
    await untilKnown(shared, [a, b, c])
    const ofC = shared.of('c')
    assert.ok(ofC.every((each) => shared.running.get(each)!.how === 'boot'))
    c.kill()
    await until(
      async () => shared.of('a').length + shared.of('b').length,
      (count) => count === 9,
      30_000,
    )
    for (const each of ofC) assert.equal(shared.running.get(each)!.how, 'takeover')
    assert.ok([a, b].some(({ lines }) => lines.some((line) => line.includes('has claimed instances'))))
    await untilKnown(shared, [a, b])
    await b.hosting.drain(10_000)
    await untilRuns(shared, { a: 9, b: 0 })
    assert.deepEqual(shared.of('a').sort(), [...ids].sort())
    assert.deepEqual(shared.faults, [])
  })

  const runnerOf = (shared: ReturnType<typeof createRunning>, instance: string) =>
    until(
      async () => shared.running.get(instance)?.member,
      (member) => member !== undefined,
      30_000,
    )

  test('instances go to the member to which they are given, also if it does not know them yet, and to another if it takes none', async () => {
    const { schema, shared } = world()
    const a = await join(schema, 'a', shared)
    const b = await join(schema, 'b', shared, { followMs: 60_000 })
    const idle = await join(schema, 'c', shared)
    await idle.hosting.stop()
    const [unknown, left] = await a.create(2)
    for (const instance of [unknown!, left!]) shared.stop('a', instance)
    assert.equal(b.directory.isKnown(unknown!), false)
    await Promise.all([
      a.store.homes!.release([unknown!], b.store.ownerId!),
      a.store.homes!.release([left!], idle.store.ownerId!),
    ])
    assert.equal(await runnerOf(shared, unknown!), 'b')
    assert.equal(shared.running.get(left!), undefined)
    assert.match((await runnerOf(shared, left!)) as string, /^[ab]$/)
    assert.deepEqual(shared.faults, [])
  })

  for (const when of ['before', 'after'] as const)
    test(`a member that is killed ${when} the stop of an instance that it gives away loses none`, async () => {
      const { schema, shared } = world()
      const a = await join(schema, 'a', shared)
      const ids = await a.create(3)
      const others = [await join(schema, 'b', shared), await join(schema, 'c', shared)]
      await until(
        async () => a.store.members!.others().length,
        (count) => count === 2,
      )
      a.dieWhenItGives(when)
      void a.hosting.drain(1_000)
      await until(
        async () => others.flatMap(({ name }) => shared.of(name)).length,
        (count) => count === ids.length,
        30_000,
      )
      await untilKnown(shared, others)
      assert.deepEqual(shared.faults, [])
    })

  test('an instance that a member cannot start goes to another one, and comes back only if nobody else takes it', async () => {
    const { schema, shared } = world()
    const a = await join(schema, 'a', shared)
    const [broken] = await a.create(1)
    const b = await join(schema, 'b', shared)
    await until(async () => a.store.members!.others().length, Boolean)
    a.failToStart(broken!)
    await untilRuns(shared, { a: 0, b: 1 })
    await b.store.homes!.release([broken!], a.store.ownerId!)
    shared.stop('b', broken!)
    assert.equal(await runnerOf(shared, broken!), 'b')
    await b.leave()
    await untilRuns(shared, { a: 1 })
    assert.deepEqual(shared.faults, [])
  })

  test('an instance that could not be stopped stays, and a member that leaves has its instances taken', async () => {
    const { schema, shared } = world()
    const a = await join(schema, 'a', shared)
    await a.create(3)
    const b = await join(schema, 'b', shared)
    await until(async () => a.store.members!.others().length, Boolean)
    a.failToStop()
    await a.hosting.drain(5_000)
    assert.deepEqual([shared.of('a').length, a.lines.filter((line) => line.includes('could not be given')).length], [3, 3])
    for (const each of shared.of('a')) assert.equal(a.map.whereIs(each), 'here')
    await a.leave()
    await untilRuns(shared, { a: 0, b: 3 })
    await untilKnown(shared, [b])
    assert.deepEqual(shared.faults, [])
  })

  test('what an interrupted creation left is erased, and a deleted instance is not started', async () => {
    const { schema, shared } = world()
    const a = await join(schema, 'a', shared)
    const b = await join(schema, 'b', shared)
    const leftover = randomUUID()
    await a.keyRing.make(leftover)
    await a.store.commit({ ops: [[`${keys.instance(leftover)}record`, Buffer.from('x')]] })
    const [deleted] = await a.create(1)
    shared.stop('a', deleted!)
    await a.store.homes!.release([deleted!], randomUUID())
    await a.store.commit({ ops: [[keys.config(deleted!), null]] })
    const side = await cluster.client(schema)
    const counts = async () => {
      const count = async (sql: string) => (await side.query(sql)).rowCount
      return [
        await count('SELECT FROM svc_home'),
        await count(`SELECT FROM svc_key WHERE name IN ('${leftover}', '${deleted}')`),
        await count(`SELECT FROM svc_state WHERE scope IN ('${leftover}', '${deleted}')`),
      ]
    }
    await until(counts, ([homes]) => homes === 1, 30_000)
    assert.deepEqual(await counts(), [1, 1, 1], 'what a member has is not erased')
    a.kill()
    await until(counts, (found) => found.every((each) => each === 0), 30_000)
    assert.deepEqual([shared.running.size, shared.faults], [0, []])
    assert.ok(b.lines.some((line) => line.includes('an interrupted deletion or import had left data')))
  })
})
