/**
 * Several services use one schema at the same time. Each reaches the server through a proxy of its own, which a test
 * cuts or stops.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { postgresBackend } from '../../src/storage/backends/postgres-backend.ts'
import { codeOf, LOCK_TIMEOUT } from '../../src/storage/drivers/postgres/error-codes.ts'
import { connect } from '../../src/storage/drivers/postgres/link.ts'
import { decideToLeave } from '../../src/storage/drivers/postgres/owner/decide-to-leave.ts'
import { SERVICES, servicesIn } from '../../src/storage/drivers/postgres/owner/member-lock.ts'
import { removeMember } from '../../src/storage/drivers/postgres/owner/remove-members.ts'
import { targetOf } from '../../src/storage/drivers/postgres/target.ts'
import { Fenced } from '../../src/storage/drivers/postgres/writer.ts'
import { openPostgres } from '../../src/storage/drivers/postgres.ts'
import { openStore } from '../../src/storage/open-store.ts'
import { type Cluster, noPostgres, startCluster } from '../harness/postgres.ts'
import { type PostgresProxy, startProxy } from '../harness/postgres-proxy.ts'
import { until } from '../harness/until.ts'
import { closeSides } from '../unit/peer/side.ts'
import { cutOff, isOver, memberBench, nodeOf, put, type RunningMember, sees } from './member-host.ts'
import { createSeeded } from './seeded.ts'

const ENDED = ['The service cannot reach PostgreSQL, and another member of its cluster may reach it.']
/** Resolves with undefined for a statement that waited too long for a lock; rejects with any other error. */
const unlessLocked = (error: unknown) => (codeOf(error) === LOCK_TIMEOUT ? undefined : Promise.reject(error))
const seeded = createSeeded()

describe('members of a cluster', { skip: noPostgres, concurrency: true }, () => {
  let cluster: Cluster
  const proxies: PostgresProxy[] = []
  const ending: (() => Promise<void>)[] = []
  const bench = memberBench(() => cluster)
  before(async () => {
    cluster = await startCluster({ max_connections: '150' })
  })
  after(async () => {
    await Promise.all(ending.map((end) => end()))
    await bench.stop()
    await closeSides()
    await Promise.all(proxies.map((proxy) => proxy.stop()))
    await cluster?.stop()
  })

  const { newSchema, start, several, isRemoved } = bench

  test('a member that is killed is removed by the others after two seconds, and stores nothing more', async () => {
    const { members, writers, side } = await several('a', 'b', 'c')
    const [a, ...others] = members
    assert.deepEqual(
      a.store
        .members!.others()
        .map(({ id }) => id)
        .sort(),
      others.map(({ store }) => store.ownerId).sort(),
    )
    assert.deepEqual(
      (await a.store.nodes!()).map(({ state }) => state),
      ['active', 'active', 'active'],
    )
    others[0]!.store.members!.leave()
    const states = async () => (await a.store.nodes!()).map(({ writer, state }) => `${writer} ${state}`)
    await until(states, (found) => found.includes(`${others[0]!.store.ownerId} leaving`))
    // A leaving member keeps the state `member` in the table: an earlier release knows no other state of members, and
    // would send it no commands.
    assert.deepEqual((await side.query('SELECT DISTINCT state FROM svc_service')).rows, [{ state: 'member' }])
    // A leaving member still has its instances, so the others must still list it.
    await until(
      async () => a.store.members!.others().map(({ isLeaving }) => isLeaving),
      (found) => found.length === 2 && found.includes(true),
    )
    const killedAt = performance.now()
    await a.kill()
    await isRemoved(a, others, writers)
    // The removal took less than five seconds, because the member was killed. A member that is only cut off is
    // removed after five seconds.
    assert.ok(performance.now() - killedAt < 4_900)
    assert.equal((await side.query("SELECT FROM svc_service WHERE name = 'a' AND state = 'lost'")).rowCount, 1)
    a.proxy.refuse(false)
    await assert.rejects(a.store.commit(put('after')), Fenced)
    await isOver(a)
  })

  test('of the last two members only one leaves, although both are asked at the same moment', async () => {
    const { members, side, schema } = await several('a', 'b')
    const [a, b] = members
    const leave = ({ store }: RunningMember) => store.members!.leaveIfOthersStay(AbortSignal.timeout(20_000))
    const answers = await Promise.all([leave(a), leave(b)])
    assert.deepEqual(answers.toSorted(), [false, true])
    // Later looks of the member that stays change the state of neither member.
    const first = a.looks()
    await until(
      async () => a.looks(),
      (looks) => looks > first + 1,
    )
    const { rows } = await side.query('SELECT leaving FROM svc_service ORDER BY leaving')
    assert.deepEqual(rows, [{ leaving: false }, { leaving: true }])
    assert.deepEqual(await Promise.all([leave(a), leave(b)]), answers)

    // The two members above may have asked for their decision one after the other. The following queries reach the
    // server at the same time.
    const links = [await connect(targetOf(cluster.url(schema))), await connect(targetOf(cluster.url(schema)))]
    for (let decisions = 0; decisions < 20; ) {
      const ids = [randomUUID(), randomUUID()]
      for (const id of ids) {
        await side.query('INSERT INTO svc_writer (id) VALUES ($1)', [id])
        await side.query(
          `INSERT INTO svc_service (id, writer, name, release, state, host) VALUES ($1, $1, 'pair', '1.0.0', 'member', '127.0.0.1')`,
          [id],
        )
      }
      const decided = await Promise.all(
        links.map((link, index) => decideToLeave(link, ids[index]!, ids.toSpliced(index, 1)).catch(unlessLocked)),
      )
      // On a full machine a member may wait for the lock too long. It has then decided nothing.
      if (decided.includes(undefined)) continue
      assert.deepEqual(decided.toSorted(), [false, true])
      decisions++
    }
    await Promise.all(links.map((link) => link.end()))
  })

  test('a member that alone cannot reach the database ends after four seconds, as another one says that it can', async () => {
    const schema = newSchema()
    const [a, b] = [await start(schema, 'a'), await start(schema, 'b')]
    await sees(a, ['b'])
    const cutAt = performance.now()
    cutOff(a)
    assert.deepEqual(await isOver(a), ENDED)
    const tookMs = performance.now() - cutAt
    assert.ok(tookMs > 2_900, `${tookMs} ms`)
    await until(
      async () => b.lost,
      (lost) => String(lost) === 'a',
    )
    // `b` has removed `a` only after five seconds, so `a` could keep its sessions until its lease ended.
    assert.ok(performance.now() - cutAt > 4_900)
    assert.deepEqual(b.over, [])
  })

  test('a member whose connection breaks, or whose counter the database does not store, is missed by nobody', async () => {
    const { members, writers, side, holders } = await several('a', 'b')
    const [a, b] = members
    const before = await holders()
    assert.equal(before.length, 2)
    await side.query('SELECT pg_terminate_backend($1)', [before[0]])
    const isBack = (pids: readonly number[]) => pids.length === 2 && !pids.includes(before[0]!)
    await until(holders, isBack)
    await side.query(`CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER refusing BEFORE UPDATE ON svc_service FOR EACH ROW EXECUTE FUNCTION refused()`)
    const first = a.looks()
    await until(
      async () => a.looks(),
      (looks) => looks > first + 6,
    )
    assert.ok(isBack(await holders()))
    assert.deepEqual(await writers(), ['a', 'b'])
    assert.deepEqual([a.lost, a.over, b.lost, b.over], [[], [], [], []])
  })

  test('services that need the schema for themselves are refused beside a member, and the other way round', async () => {
    const { members, side, schema } = await several('a', 'b')
    const [a, b] = members
    await b.stop()
    await sees(a, [])
    assert.deepEqual([a.lost, a.over, a.store.hasTakenOver!()], [[], [], false])

    const url = cluster.url(schema)
    const alone = await openStore(url)
    assert.equal(await alone.visitOwner(), true)
    const standby = {
      threads: 1,
      node: nodeOf('standby'),
      signal: new AbortController().signal,
      onWaiting() {},
      onTaking() {},
      onFailed() {},
      onDead() {},
    }
    const isUsed = 'Services with SVC_CLUSTER=on use the store in .*'
    await Promise.all([
      assert.rejects(alone.own(), new RegExp(`^Error: ${isUsed}\\. Stop all of them first; a service`)),
      assert.rejects(postgresBackend(url).waitForTurn!(standby), new RegExp(`${isUsed}, and none of them needs a standby`)),
    ])
    const format = (value: number) => side.query("UPDATE svc_meta SET value = $1 WHERE key = 'format'", [value])
    await format(5)
    await assert.rejects(openPostgres({ url, olderMs: 600 }), /Another service \(.*\) uses the store in .*, whose format is 5/)
    await format(6)

    await a.stop()
    assert.equal(await alone.visitOwner(), false)
    const giveBack = await alone.own()
    await assert.rejects(start(schema, 'c'), /Another svc, or one of its commands, uses the store in .* without SVC_CLUSTER=on/)
    await alone.close()
    await giveBack()
  })

  test('a service that needs the schema for itself is refused while the members connect again', async () => {
    const schema = newSchema()
    const a = await start(schema, 'a')
    const alone = await openStore(cluster.url(schema))
    cutOff(a)
    const owning = assert.rejects(alone.own(), /^Error: Services with SVC_CLUSTER=on use the store in /)
    const side = await cluster.client(schema)
    await until(
      async () =>
        (
          await side.query(
            "SELECT FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND objid = hashtext($1)::oid",
            [schema],
          )
        ).rowCount,
      (count) => count === 1,
    )
    a.proxy.refuse(false)
    await owning
    await alone.close()
    await a.store.commit(put('still'))
    assert.deepEqual(a.over, [])
  })

  test('a service that owned the schema alone and was killed is replaced at once', async () => {
    const schema = newSchema()
    const proxy = await startProxy(cluster.socket)
    proxies.push(proxy)
    const over: string[] = []
    const alone = await openStore(`postgres://svc@127.0.0.1:${proxy.port}/postgres?schema=${schema}`, {
      onOver: (_, sentence) => over.push(sentence),
    })
    ending.push(await alone.own())
    proxy.refuse(true)
    proxy.cut()
    const a = await start(schema, 'a')
    proxy.refuse(false)
    assert.equal(a.store.hasTakenOver!(), true)
    await until(async () => over.length, Boolean)
    await assert.rejects(alone.commit(put('after')), Fenced)
    await alone.close()
  })

  test('of members that find each other dead, at least one stays, and no removal fails', async () => {
    const schema = newSchema()
    const target = targetOf(cluster.url(schema))
    await (await openStore(cluster.url(schema))).close()
    const links = await Promise.all(Array.from({ length: 4 }, () => connect(target)))
    const side = await cluster.client(schema)
    const outcomes: number[] = []
    for (let round = 0; round < 10; round++) {
      await side.query('DELETE FROM svc_writer')
      const ids = links.map(() => randomUUID())
      for (const id of ids) await side.query('INSERT INTO svc_writer (id, is_service) VALUES ($1, true)', [id])
      const looks = servicesIn((await links[0]!.ask({ text: `SELECT ${SERVICES}` }, 3_000)).rows[0]![0])
      const dead = ids.map((own) => looks.filter(({ id }) => id !== own && seeded.chance(0.6)))
      const refused: unknown[] = []
      await Promise.all(
        links.map(async (link, index) => {
          for (const each of dead[index]!) await removeMember(link, ids[index]!, each).catch((error) => refused.push(error))
        }),
      )
      assert.deepEqual(refused, [])
      const left = (await side.query('SELECT id FROM svc_writer')).rows.map(({ id }) => id as string)
      // No member that is left has regarded another of these members as dead.
      for (const [index, own] of ids.entries())
        if (left.includes(own)) for (const { id } of dead[index]!) assert.ok(!left.includes(id), `seed ${seeded.seed}`)
      outcomes.push(left.length)
    }
    assert.ok(!outcomes.includes(0), String(outcomes))
    await Promise.all(links.map((link) => link.end()))
  })
})
