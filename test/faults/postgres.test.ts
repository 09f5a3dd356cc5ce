/**
 * Breaks the connection during commits to PostgreSQL. No result may be reported wrongly, and no commit may be applied
 * twice. A trigger counts how often each row is written, so a second write of the same bytes is found.
 */
import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import { readConfig } from '../../src/config.ts'
import { steadyClock } from '../../src/domain/clock.ts'
import type { InstanceId, WorkspaceId } from '../../src/domain/ids.ts'
import { StorageFailure } from '../../src/domain/storage-failure.ts'
import { parseRanges } from '../../src/egress/addresses.ts'
import { findPrograms } from '../../src/engine/programs.ts'
import { createLog } from '../../src/log.ts'
import { startService } from '../../src/main.ts'
import { createTally } from '../../src/metrics/tally.ts'
import { createOauth } from '../../src/oauth/create.ts'
import type { Oauth } from '../../src/oauth/oauth.ts'
import { listen } from '../../src/serve.ts'
import { ownNode } from '../../src/service/nodes.ts'
import { markFolders } from '../../src/service/shared-folders.ts'
import { StandbyStopped, standBy, type WhileStandby } from '../../src/service/stand-by.ts'
import { watchStart } from '../../src/starting.ts'
import { postgresBackend } from '../../src/storage/backends/postgres-backend.ts'
import { backendOf } from '../../src/storage/backends.ts'
import { putSealedBlob, removeOwner } from '../../src/storage/blobs/items.ts'
import { SEALED_PIECE } from '../../src/storage/blobs/pieces.ts'
import { showStandby } from '../../src/storage/drivers/postgres/owner/node-rows.ts'
import { OWNING } from '../../src/storage/drivers/postgres/owner/schema-lock.ts'
import { markOf } from '../../src/storage/drivers/postgres/owner/standbys.ts'
import { Fenced } from '../../src/storage/drivers/postgres/writer.ts'
import { openPostgres, type PostgresDriver, type PostgresOptions } from '../../src/storage/drivers/postgres.ts'
import { eraseLeftovers } from '../../src/storage/erase.ts'
import { openKeyRing, rotateSecretKey } from '../../src/storage/key-ring.ts'
import { createMainRecords } from '../../src/storage/main-records/create-main-records.ts'
import { type OpenStore, openBlobItems, openStore } from '../../src/storage/open-store.ts'
import { keys } from '../../src/storage/record-keys.ts'
import type { OwnNode } from '../../src/storage/store-backend.ts'
import { amount } from '../harness/amount.ts'
import { type Cluster, noPostgres, startCluster } from '../harness/postgres.ts'
import { noPooler, startPooler } from '../harness/postgres-pooler.ts'
import { type Fault, type PostgresProxy, startProxy } from '../harness/postgres-proxy.ts'
import { until } from '../harness/until.ts'
import { closeSides, openSide, type Side } from '../unit/peer/side.ts'
import { INSTANCE, sealer } from '../unit/storage/fixtures.ts'
import { runHomes } from './homes-model.ts'
import { createSeeded } from './seeded.ts'

const log = createLog({ level: 'fatal' }, 'standby')
const NO_SERVER = { explain() {}, forwardWith() {}, metricsWith() {} }
/** Describes a service that waits as a standby. By default, nothing answers at its port. */
const nodeAt = (name: string, at: { host?: string; port: number } = { port: 1 }) => ({
  id: randomUUID(),
  name,
  release: '1.0.0',
  ...at,
})
const seeded = createSeeded()
const OTHER = `${INSTANCE.slice(0, -1)}0`

const bytes = (text: string) => Buffer.from(text)
const put = (key: string, text: string) => ({ ops: [[key, bytes(text)] as const] })

const COUNTING = `
CREATE TABLE writes (key text PRIMARY KEY, n int NOT NULL);
CREATE FUNCTION counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO writes AS w VALUES (NEW.key, 1) ON CONFLICT (key) DO UPDATE SET n = w.n + 1;
  RETURN NEW;
END $$;
CREATE TRIGGER counting AFTER INSERT OR UPDATE ON svc_state FOR EACH ROW EXECUTE FUNCTION counted()`

describe('commits to PostgreSQL that are in doubt', { skip: noPostgres }, () => {
  let cluster: Cluster
  let proxy: PostgresProxy
  let schemas = 0
  const open = new Set<PostgresDriver>()
  before(async () => {
    cluster = await startCluster()
    proxy = await startProxy(cluster.socket)
  })
  // The clients are closed after each test, because the server allows only 60 connections.
  afterEach(async () => {
    proxy.heal()
    await (await cluster.client()).query('ALTER ROLE svc RESET ALL')
    await cluster.endClients()
  })
  after(async () => {
    await Promise.all([...open].map((store) => store.dispose()))
    await proxy?.stop()
    await cluster?.stop()
  })

  async function world(options: Partial<PostgresOptions> = {}) {
    const schema = `doubt_${schemas++}`
    const url = `postgres://svc@127.0.0.1:${proxy.port}/postgres?schema=${schema}`
    const over: unknown[] = []
    const store = await openPostgres({ url, silenceMs: 1_000, onOver: (cause) => over.push(cause), ...options })
    open.add(store)
    const side = await cluster.client(schema)
    await side.query(COUNTING)
    const textOf = async (key: string) => {
      const { rows } = await side.query("SELECT convert_from(value, 'UTF8') AS text FROM svc_state WHERE key = $1", [key])
      return rows[0]?.text as string | undefined
    }
    const writesOf = async (key: string) => (await side.query('SELECT n FROM writes WHERE key = $1', [key])).rows[0]?.n ?? 0
    return { store, side, url, over, textOf, writesOf }
  }

  const declareOver = (side: pg.Client, writer: string | undefined) =>
    side.query('UPDATE svc_writer SET is_over = true WHERE id = $1', [writer])

  for (const [fault, expected] of [
    ['before', { stored: 0, repeated: 1 }],
    ['after', { stored: 1, repeated: 0 }],
    ['silent', { stored: 1, repeated: 0 }],
  ] as [Fault, object][])
    test(`a commit whose connection breaks (${fault}) is confirmed, and was applied once`, async () => {
      const { store, textOf, writesOf } = await world()
      await store.commit(put('a', 'first'))
      proxy.next('commit', fault)
      assert.equal(await store.commit(put('k', fault)), true)
      assert.deepEqual([await textOf('k'), await writesOf('k')], [fault, 1])
      assert.deepEqual(store.doubts(), expected)
      await store.commit(put('k', 'later'))
      assert.equal(await textOf('k'), 'later')
    })

  test('commits that are cut while the server carries them out are each applied once, in order', async () => {
    const { store, writesOf, textOf } = await world()
    for (let n = 0; n < 12; n++) {
      proxy.next('commit', 'during')
      await store.commit({ ops: [[`k:${n}`, bytes('x')] as const, ['last', bytes(String(n))] as const] })
      assert.deepEqual([await writesOf(`k:${n}`), await textOf('last')], [1, String(n)])
    }
    const { stored, repeated } = store.doubts()
    assert.equal(stored + repeated, 12)
  })

  for (const [fault, expected] of [
    ['before', { stored: 0, repeated: 1 }],
    ['after', { stored: 1, repeated: 0 }],
  ] as [Fault, object][])
    test(`a guarded transaction whose COMMIT breaks (${fault}) is confirmed, and was applied once`, async () => {
      const { store, textOf, writesOf } = await world()
      proxy.next('COMMIT', fault)
      assert.equal(await store.commit({ guard: { key: 'lease', equals: null }, ...put('k', 'guarded') }), true)
      assert.deepEqual([await textOf('k'), await textOf('lease'), await writesOf('k')], ['guarded', undefined, 1])
      assert.deepEqual(store.doubts(), expected)
    })

  test('a look whose own answer is lost is repeated, and the commit was applied once', async () => {
    const { store, writesOf } = await world()
    proxy.next('commit', 'after')
    const committed = store.commit(put('k', '1'))
    await until(async () => proxy.faults(), Boolean)
    proxy.next('SET generation', 'after')
    await committed
    assert.equal(await writesOf('k'), 1)
    await store.commit(put('k', '2'))
    assert.equal(await writesOf('k'), 2)
  })

  test('a server process that an operator ends loses no commit', async () => {
    const { store, side, textOf } = await world()
    let n = 0
    let isEnding = false
    const writing = (async () => {
      while (!isEnding) await store.commit(put('n', String(++n)))
    })()
    for (let round = 0; round < 5; round++) {
      await side.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'svc %'")
      const before = n
      await until(
        async () => n,
        (now) => now > before + 1,
      )
    }
    isEnding = true
    await writing
    assert.equal(await textOf('n'), String(n))
    assert.equal(Buffer.from((await store.get('n'))!).toString(), String(n))
  })

  test('a commit that waits for the fence is refused when the writer is declared over, and stores nothing', async () => {
    const { store, side, over, textOf } = await world({ silenceMs: 20_000 })
    await store.commit(put('a', '1'))
    await side.query('BEGIN')
    await declareOver(side, store.writer)
    const refused = assert.rejects(store.commit({ ops: [['a', bytes('2')] as const, ['b', bytes('2')] as const] }), Fenced)
    const other = await cluster.client()
    await until(
      async () =>
        (await other.query("SELECT 1 FROM pg_stat_activity WHERE application_name = 'svc writer' AND wait_event_type = 'Lock'"))
          .rowCount,
      Boolean,
    )
    await side.query('COMMIT')
    await refused
    assert.deepEqual([await textOf('a'), await textOf('b'), over.length], ['1', undefined, 1])
    await assert.rejects(store.commit(put('a', '3')), Fenced)
    await assert.rejects(store.commit({ guard: { key: 'g', equals: null }, ...put('a', '3') }), Fenced)
    assert.equal(await textOf('a'), '1')
  })

  test('a writer that is declared over while it commits stores nothing after the fence, and loses nothing that it confirmed', async () => {
    for (let round = 0; round < 10; round++) {
      const { store, side } = await world()
      const confirmed = [0, 0, 0, 0]
      const writers = confirmed.map(async (_, w) => {
        for (let n = 1; ; n++) {
          await store.commit(put(`w:${w}`, String(n)))
          confirmed[w] = n
        }
      })
      const all = Promise.allSettled(writers)
      const textsOf = async () => {
        const { rows } = await side.query("SELECT key, convert_from(value, 'UTF8') AS text FROM svc_state")
        return new Map(rows.map(({ key, text }) => [key as string, text as string]))
      }
      await pause(20 + Math.random() * 40)
      // In every second round the connections are cut at the same time. So the new owner also finds commits whose
      // results are unknown.
      if (round % 2 === 0) proxy.cut()
      await declareOver(side, store.writer)
      const found = await textsOf()
      for (const result of await all)
        assert.ok(result.status === 'rejected' && result.reason instanceof Fenced, String(result.status))
      assert.deepEqual(await textsOf(), found)
      for (const [w, n] of confirmed.entries()) assert.ok(Number(found.get(`w:${w}`) ?? 0) >= n, `${n} was confirmed`)
    }
  })

  test('an original that arrives after the look changes nothing', async () => {
    const { store, side } = await world({ silenceMs: 500 })
    await store.commit(put('k', '1'))
    await side.query('BEGIN')
    await side.query('SELECT 1 FROM svc_writer WHERE id = $1 FOR UPDATE', [store.writer])
    // The commit gets no answer. The queries that check its result get none either, because they wait for the same
    // locked row.
    const committed = store.commit(put('k', '2'))
    await pause(1_800)
    await side.query('COMMIT')
    await committed
    const [{ seq, generation }] = (await side.query('SELECT seq, generation FROM svc_writer WHERE id = $1', [store.writer])).rows
    assert.equal(Number(seq), 2)
    assert.ok(generation >= 2, `${generation}`)
    const late = 'UPDATE svc_writer SET seq = 3 WHERE id = $1 AND seq = 2 AND generation = $2 AND NOT is_over'
    assert.equal((await side.query(late, [store.writer, generation - 1])).rowCount, 0)
  })

  test('a database that went back in time is noticed, and nothing more is stored', async () => {
    const { store, side, over, textOf } = await world()
    for (const n of [1, 2, 3]) await store.commit(put('k', String(n)))
    await side.query('UPDATE svc_writer SET seq = 1 WHERE id = $1', [store.writer])
    await assert.rejects(store.commit(put('k', '4')), /went back in time/)
    assert.deepEqual([await textOf('k'), over.length], ['3', 1])
    await assert.rejects(store.commit(put('k', '5')), /went back in time/)
  })

  test('an error of the database stores nothing, and the next commit succeeds', async () => {
    const { store, side, over, textOf } = await world()
    await side.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.key = 'full' THEN RAISE 'no space' USING ERRCODE = '53100'; END IF;
      IF NEW.key = 'odd' THEN RAISE 'odd' USING ERRCODE = '22000'; END IF;
      RETURN NEW; END $$;
      CREATE TRIGGER refusing BEFORE INSERT ON svc_state FOR EACH ROW EXECUTE FUNCTION refuse()`)
    const isFull = (error: unknown) => error instanceof StorageFailure && error.isFull
    await assert.rejects(store.commit({ ops: [['a', bytes('1')] as const, ['full', bytes('1')] as const] }), isFull)
    await assert.rejects(store.commit({ ops: [['a', bytes('1')] as const, ['odd', bytes('1')] as const] }), /22000/)
    assert.equal(await textOf('a'), undefined)
    await store.commit(put('a', '2'))
    assert.deepEqual([await textOf('a'), over.length], ['2', 0])
  })

  test('a notice during a commit leaves it in doubt', async () => {
    const { store, side, textOf, writesOf } = await world()
    await side.query(`CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE WARNING 'the standby did not confirm'; RETURN NEW; END $$;
      CREATE TRIGGER warning BEFORE INSERT ON svc_state FOR EACH ROW WHEN (NEW.key = 'warned') EXECUTE FUNCTION warn()`)
    await store.commit(put('warned', '1'))
    assert.deepEqual([await textOf('warned'), await writesOf('warned'), store.doubts().stored], ['1', 1, 1])
  })

  test('while the database is away commits and reads are refused after a while, and work again afterwards', async () => {
    const { store, textOf } = await world({ patienceMs: 300 })
    await store.commit(put('k', '1'))
    proxy.refuse(true)
    proxy.cut()
    // If there were no pause, the commit could be written before the client notices the closed connection, and its
    // result would be unknown.
    await pause(100)
    await assert.rejects(
      store.commit(put('k', '2')),
      (error) => error instanceof StorageFailure && /nothing was stored/.test(error.message),
    )
    await assert.rejects(store.get('k'), /could not carry out a request/)
    proxy.refuse(false)
    await store.commit(put('k', '3'))
    assert.deepEqual([await textOf('k'), Buffer.from((await store.get('k'))!).toString()], ['3', '3'])
  })

  test('no statement reads the whole table, although its plan was made while the table was empty', async () => {
    const { store, side } = await world()
    const scansOf = async () => {
      const { rows } = await side.query(
        "SELECT seq_scan, idx_scan FROM pg_stat_user_tables WHERE relname = 'svc_state' AND schemaname = current_schema()",
      )
      return { whole: Number(rows[0]?.seq_scan), byKey: Number(rows[0]?.idx_scan) }
    }
    const each = async () => {
      await store.commit({ ops: [['a', bytes('1')] as const, ['b', null] as const] })
      await store.commit({ guard: { key: 'a', equals: bytes('1') }, ops: [['c', null]] })
      await store.get('a')
      for await (const _ of store.range('a', { limit: 2 }));
      for await (const _ of store.range('', { limit: 2, reverse: true }));
      await store.count('a')
    }
    await each()
    await store.commit({ ops: Array.from({ length: 5_000 }, (_, n) => [`k:${n}`, bytes('x')] as const) })
    for (let n = 0; n < 10; n++) await each()
    // A server process of PostgreSQL may report late how often it has scanned a table, but at the latest when it ends.
    // So the store is closed first.
    await store.dispose()
    open.delete(store)
    await until(scansOf, ({ byKey }) => byKey >= 60)
    // One scan of the whole table is allowed, because the index was created by reading the empty table.
    assert.ok((await scansOf()).whole <= 1)
  })

  test('a commit that stays in doubt ends the store, because nobody knows what it holds', async () => {
    const { store, over } = await world({ doubtMs: 500, patienceMs: 300 })
    await store.commit(put('k', '1'))
    proxy.next('commit', 'after')
    const refused = assert.rejects(store.commit(put('k', '2')), /unknown whether the records were stored/)
    const behind = assert.rejects(store.commit({ guard: { key: 'x', equals: null }, ops: [] }), StorageFailure)
    await until(async () => proxy.faults(), Boolean)
    proxy.refuse(true)
    await Promise.all([refused, behind])
    proxy.refuse(false)
    assert.equal(over.length, 1)
    await assert.rejects(store.commit(put('k', '3')), /unknown whether the records were stored/)
  })

  /**
   * Starts a service that has two threads, owns its schema, and connects through the proxy. Also returns the failures
   * that are reported to the service.
   */
  async function service(options: { threads?: number } = {}) {
    const schema = `service_${schemas++}`
    const url = (port: number) => `postgres://svc@127.0.0.1:${port}/postgres?schema=${schema}`
    const over: string[] = []
    const unreached: string[] = []
    const unlisted: string[] = []
    const claims = { all: new BigInt64Array(options.threads ?? 2), own: 0 }
    const main = await openStore(url(proxy.port), {
      claims,
      onOver: (_, sentence) => over.push(sentence),
      onUnreached: (address) => unreached.push(address),
      onUnlisted: (cause) => unlisted.push((cause as Error).message),
    })
    const giveBack = await main.own()
    const thread = await openStore(main.threadUrl)
    const side = await cluster.client(schema)
    const writers = async () => Number((await side.query('SELECT count(*) FROM svc_writer')).rows[0].count)
    return { main, thread, giveBack, over, unreached, unlisted, side, writers, schema }
  }
  const LOCK_SCHEMA = `SELECT pg_advisory_lock(${OWNING}, hashtext(current_schema()))`
  const ENDING = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc owner'"

  test('a service that lost its schema to another stores nothing more and begins no thread, and leaves no writer', async () => {
    const { main, thread, giveBack, over, side, writers, schema } = await service()
    await thread.commit(put('k', 'before'))
    assert.equal(await writers(), 2)
    // The first owner must not connect again before the second owner has the schema.
    proxy.refuse(true)
    await side.query(ENDING)
    const other = await openStore(cluster.url(schema))
    const giveBackOther = await other.own()
    proxy.refuse(false)
    assert.equal(await writers(), 1)
    await assert.rejects(thread.commit(put('k', 'after')), Fenced)
    await assert.rejects(openStore(main.threadUrl), Fenced)
    await until(
      async () => over,
      ({ length }) => length > 0,
    )
    assert.equal(over[0], 'Another service has taken over the store in PostgreSQL.')
    await assert.rejects(main.commit(put('k', 'after')), Fenced)
    assert.equal(Buffer.from((await other.get('k'))!).toString(), 'before')
    for (const store of [thread, main, other]) await store.close()
    await giveBack()
    await giveBackOther()
    assert.equal(await writers(), 0)
  })

  test('a takeover that the server ends because of a deadlock is carried out again', async () => {
    const { main, thread, giveBack, over, schema } = await service()
    proxy.refuse(true)
    proxy.cut()
    const side = await cluster.client(schema)
    const isHeld = async () => (await side.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 1")).rowCount
    // The server looks for a deadlock 1.5 s after the takeover began to wait. The takeover gives up after 3 s without
    // an answer, so this is early enough.
    await side.query("ALTER ROLE svc SET deadlock_timeout = '1500ms'")
    // A thread of the former owner locks its own row. While the takeover waits for this row, the thread waits for the
    // row of its service: a deadlock.
    const starting = (await cluster.client(schema)).query(`SET deadlock_timeout = '20s'; DO $$ BEGIN
      PERFORM FROM svc_writer WHERE service IS NOT NULL FOR UPDATE;
      PERFORM pg_advisory_xact_lock(1);
      WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted) LOOP PERFORM pg_sleep(0.02); END LOOP;
      PERFORM FROM svc_writer WHERE is_service FOR KEY SHARE;
    END $$`)
    await until(isHeld, Boolean)
    const other = await openStore(cluster.url(schema))
    const giveBackOther = await other.own()
    await starting
    await until(
      async () => Number((await side.query('SELECT sum(deadlocks) FROM pg_stat_database')).rows[0].sum),
      (count) => count > 0,
    )
    assert.equal(other.hasTakenOver?.(), true)
    proxy.refuse(false)
    await until(async () => over.length, Boolean)
    for (const store of [thread, main, other]) await store.close()
    await Promise.all([giveBack(), giveBackOther()])
  })

  test('a thread that begins again waits for the commit of its former run, which stores nothing more', async () => {
    const { main, giveBack, side, writers } = await service()
    const begin = () => openStore(main.threadUrl, { claims: { all: new BigInt64Array(2), own: 1 } })
    const former = await begin()
    await former.commit(put('k', '1'))
    // The lock of this row delays the second commit of the former run, until the next run is waiting, too.
    await side.query("BEGIN; SELECT FROM svc_state WHERE key = 'k' FOR UPDATE")
    // Inside a transaction, the view of server processes does not change. So the watcher uses another connection.
    const watcher = await cluster.client()
    const waiting = (count: number) =>
      until(
        async () => (await watcher.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).rowCount,
        (found) => found === count,
      )
    const last = former.commit(put('k', '2'))
    await waiting(1)
    const beginning = begin()
    await waiting(2)
    await side.query('COMMIT')
    await last
    const next = await beginning
    assert.equal(Buffer.from((await next.get('k'))!).toString(), '2')
    await assert.rejects(former.commit(put('k', '3')), Fenced)
    assert.equal(Buffer.from((await next.get('k'))!).toString(), '2')
    // The three writers are the main thread, the thread that `service` started, and this thread.
    assert.equal(await writers(), 3)
    for (const store of [former, next, main]) await store.close()
    await giveBack()
  })

  test('an owner whose connection breaks owns its schema again', async () => {
    const { main, thread, giveBack, over, side, schema } = await service()
    const owner = "SELECT pid FROM pg_locks WHERE locktype = 'advisory'"
    const before = (await side.query(owner)).rows[0].pid
    await side.query(ENDING)
    await until(
      async () => (await side.query(owner)).rows[0]?.pid,
      (pid) => pid !== undefined && pid !== before,
    )
    const other = await openStore(cluster.url(schema))
    await assert.rejects(other.own(), /Another svc runs on the store/)
    await thread.commit(put('k', 'still'))
    assert.deepEqual(over, [])
    for (const store of [other, thread, main]) await store.close()
    await giveBack()
  })

  test('a standby waits while the owner runs, and follows one that cannot reach the database, and one that ends', async () => {
    const { main, thread, over, unreached, side, schema } = await service()
    const url = cluster.url(schema)
    const [b, c] = [nodeAt('node-b'), nodeAt('node-c')]
    const waited: unknown[] = []
    const dead: unknown[] = []
    const failed: unknown[] = []
    let isReady = false
    const standBy = async (node: OwnNode) => {
      const { waitForTurn } = await backendOf(url)
      return waitForTurn!({
        threads: 1,
        node,
        signal: new AbortController().signal,
        isReady: () => isReady,
        onWaiting: ({ name }) => waited.push(name),
        onTaking() {},
        onFailed: (cause) => failed.push(cause),
        onDead: (name) => dead.push(name),
      })
    }
    let isNext = false
    const turn = standBy(b).finally(() => {
      isNext = true
    })
    // The standby makes more checks here than it would need to find that an owner without the lock is dead.
    await until(
      async () => waited.length,
      (count) => count > 12,
    )
    assert.equal(isNext, false)
    await until(
      async () => unreached,
      ({ length }) => length > 0,
    )
    assert.deepEqual(unreached, ['127.0.0.1 port 1'])
    assert.deepEqual([new Set(waited), dead], [new Set([hostname()]), []])
    const nodesOf = async (store: OpenStore) =>
      (await store.nodes!()).map(({ name, state, takeover }) => [state, name, takeover?.from, takeover?.cause]).sort()
    const first = ['active', hostname(), undefined, undefined]
    assert.deepEqual(await nodesOf(main), [first])
    isReady = true
    await until(
      () => nodesOf(main),
      (found) => isDeepStrictEqual(found, [first, ['standby', 'node-b', undefined, undefined]]),
    )
    proxy.refuse(true)
    proxy.cut()
    const other = await openStore(url, { turn: await turn, node: b })
    const giveBackOther = await other.own()
    proxy.refuse(false)
    assert.deepEqual([dead, other.hasTakenOver?.()], [[hostname()], true])
    const lost = ['lost', hostname(), undefined, undefined]
    assert.deepEqual(await nodesOf(other), [['active', 'node-b', hostname(), 'failure'], lost])
    await assert.rejects(main.commit(put('k', 'after')), Fenced)
    await until(
      async () => over,
      ({ length }) => length > 0,
    )
    await thread.close()
    await main.close()

    const before = waited.length
    const next = standBy(c)
    await until(
      async () => waited.length,
      (count) => count > before,
    )
    await other.close()
    await giveBackOther()
    const last = await openStore(url, { turn: await next, node: c })
    const giveBack = await last.own()
    assert.deepEqual([dead.length, last.hasTakenOver?.(), failed], [1, false, []])
    assert.deepEqual(await nodesOf(last), [['active', 'node-c', 'node-b', 'planned'], lost])
    // A service that was killed is first listed as `lost`. Its row is removed after an hour.
    const ADD =
      "INSERT INTO svc_service (id, name, release, state, host, seen_at) VALUES (gen_random_uuid(), $1, '', 'standby', '', now() - $2::interval)"
    await side.query(ADD, ['killed', '6 s'])
    assert.deepEqual(
      (await nodesOf(last)).filter(([, name]) => name === 'killed'),
      [['lost', 'killed', undefined, undefined]],
    )
    await side.query("UPDATE svc_service SET seen_at = now() - interval '61 minutes' WHERE writer IS NULL")
    await until(
      () => nodesOf(last),
      ({ length }) => length === 1,
    )
    await last.close()
    await giveBack()
  })

  /** Returns SQL by which the database refuses this operation on a table, as if its disk were full. */
  const refusing = (operation: string, table: string, condition = '') => `
    CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER refusing BEFORE ${operation} ON ${table} FOR EACH ROW ${condition} EXECUTE FUNCTION refused()`
  const REFUSING = refusing('INSERT', 'svc_service', "WHEN (NEW.state = 'standby')")

  test('a service that cannot take over changes nothing, and an owner without a row shows itself again', async () => {
    const { main, thread, giveBack, over, side, schema } = await service()
    const rows = async () => (await side.query('SELECT state, writer IS NOT NULL AS writes FROM svc_service')).rows
    const active = [{ state: 'active', writes: true }]
    proxy.refuse(true)
    proxy.cut()
    await side.query(refusing('DELETE', 'svc_writer'))
    const other = await openStore(cluster.url(schema))
    await assert.rejects(other.own(), /no room/)
    assert.deepEqual(await rows(), active)
    await side.query('DROP TRIGGER refusing ON svc_writer')
    await other.close()
    proxy.refuse(false)
    for (const change of ["UPDATE svc_service SET state = 'lost', writer = NULL", 'DELETE FROM svc_service']) {
      await side.query(change)
      await until(rows, (found) => isDeepStrictEqual(found, active))
    }
    assert.deepEqual(over, [])
    for (const store of [thread, main]) await store.close()
    await giveBack()
  })

  test('a service takes over also while the server stores no row that shows it, and shows itself later', async () => {
    const { main, thread, giveBack, side, schema } = await service()
    const rows = async () => (await side.query('SELECT state, writer IS NOT NULL AS writes FROM svc_service')).rows
    for (const store of [thread, main]) await store.close()
    await giveBack()
    await side.query(refusing('INSERT', 'svc_service'))
    const unlisted: unknown[] = []
    const next = await openStore(cluster.url(schema), { onUnlisted: (cause) => unlisted.push((cause as Error).message) })
    const giveBackNext = await next.own()
    await next.commit(put('k', 'stored'))
    assert.deepEqual(await rows(), [])
    await until(async () => unlisted.length, Boolean)
    await side.query('DROP TRIGGER refusing ON svc_service')
    await until(rows, (found) => isDeepStrictEqual(found, [{ state: 'active', writes: true }]))
    assert.deepEqual(unlisted, ['no room'])
    await next.close()
    await giveBackNext()
  })

  test('an owner whose counter the server does not store goes on, and another service can take over from it', async () => {
    const { main, thread, giveBack, over, unlisted, side, schema } = await service()
    await side.query(refusing('UPDATE', 'svc_service'))
    const counter = async () => (await side.query('SELECT beat FROM svc_service')).rows
    const holder = async () => (await side.query("SELECT pid FROM pg_locks WHERE locktype = 'advisory'")).rows
    const before = [await counter(), await holder()]
    await until(async () => unlisted.length, Boolean)
    await pause(2_500)
    assert.deepEqual([await counter(), await holder()], before)
    assert.deepEqual(unlisted, ['no room'])
    proxy.refuse(true)
    proxy.cut()
    const next = await openStore(cluster.url(schema))
    const giveBackNext = await next.own()
    await next.commit(put('k', 'stored'))
    assert.equal(next.hasTakenOver?.(), true)
    await side.query('DROP TRIGGER refusing ON svc_service')
    proxy.refuse(false)
    await until(async () => over.length, Boolean)
    for (const store of [thread, main, next]) await store.close()
    await giveBack()
    await giveBackNext()
  })

  test('an owner that cannot reach the database ends its sessions if a standby can, also one without a row, and says so', async () => {
    const { main, thread, giveBack, over, unreached, side, schema } = await service()
    await side.query(REFUSING)
    const server = await listen({ host: '127.0.0.1', port: 0 })
    let looks = 0
    const unlisted: unknown[] = []
    server.explain(() => ({ sentence: 'It waits.', reason: 'standby', active: markOf(main.ownerId!) }))
    const { waitForTurn } = await backendOf(cluster.url(schema))
    const turn = waitForTurn!({
      threads: 1,
      // The service states this host. The database itself sees another address of the connection (127.0.0.1), which
      // would work here, too.
      node: nodeAt('node-b', { host: 'localhost', port: server.port }),
      signal: new AbortController().signal,
      onWaiting: () => looks++,
      onUnlisted: (cause) => unlisted.push((cause as Error).message),
      onTaking() {},
      onFailed() {},
      onDead() {},
    })
    await until(
      async () => looks,
      // The owner learns within a second that it has a standby, so these checks are enough.
      (count) => count > 12,
    )
    proxy.refuse(true)
    proxy.cut()
    await until(async () => over.length, Boolean)
    assert.equal(over[0], 'The service cannot reach PostgreSQL, and its standby may take over.')
    assert.deepEqual([unreached, unlisted], [[], ['no room']])
    // In production, the owner's process would have ended. Here it could connect again, and the standby would wait for
    // it.
    const last = await openStore(cluster.url(schema), { turn: await turn })
    const giveBackLast = await last.own()
    proxy.refuse(false)
    for (const store of [thread, main, last]) await store.close()
    await Promise.all([giveBack(), giveBackLast(), server.close()])
  })

  /**
   * Simulates a standby that only waits, and resolves when the owner has asked it for its state. A real standby would
   * take over, because the connection that holds the lock ends in these tests.
   */
  async function standbyThatWaits(main: OpenStore, schema: string) {
    const server = await listen({ host: '127.0.0.1', port: 0 })
    let asked = 0
    server.explain(() => {
      asked++
      return { sentence: 'It waits.', reason: 'standby', active: markOf(main.ownerId!) }
    })
    const standby = await cluster.client(schema)
    const show = showStandby(nodeAt('node-b', { host: 'localhost', port: server.port })) as { text: string; values: unknown[] }
    await standby.query(show)
    const beating = setInterval(() => void standby.query(show), 1_000)
    await until(async () => asked, Boolean)
    return {
      async close() {
        clearInterval(beating)
        await server.close()
      },
    }
  }

  test('an owner whose new connection hangs tries another one before its lease ends', async () => {
    const { main, thread, giveBack, over, side, schema } = await service()
    const server = await standbyThatWaits(main, schema)
    const owner = "SELECT pid FROM pg_locks WHERE locktype = 'advisory'"
    const before = (await side.query(owner)).rows[0].pid
    proxy.hang(1)
    await side.query(ENDING)
    await until(
      async () => (await side.query(owner)).rows[0]?.pid,
      (pid) => pid !== undefined && pid !== before,
    )
    assert.deepEqual(over, [])
    for (const store of [thread, main]) await store.close()
    await Promise.all([giveBack(), server.close()])
  })

  const isShort = amount(1, 0) === 0 && 'the slow server runs with SVC_TEST_FULL=1'
  test('an owner that loses the database ends also for a standby that was seen half a minute ago', {
    skip: isShort,
  }, async () => {
    const { main, thread, giveBack, over, side } = await service()
    await side.query(
      "INSERT INTO svc_service (id, name, release, state, host, port, seen_at) VALUES (gen_random_uuid(), 'away', '', 'standby', '127.0.0.1', 1, now() - interval '30 s')",
    )
    const beat = async () => Number((await side.query('SELECT beat FROM svc_service WHERE writer IS NOT NULL')).rows[0].beat)
    const before = await beat()
    await until(beat, (now) => now > before + 1)
    proxy.refuse(true)
    proxy.cut()
    await until(async () => over.length, Boolean)
    assert.equal(over[0], 'The service cannot reach PostgreSQL, and its standby may take over.')
    proxy.refuse(false)
    for (const store of [thread, main]) await store.close()
    await giveBack()
  })

  test('an owner with a standby gets its lock back from a server that needs seconds for each connection', {
    skip: isShort,
  }, async () => {
    const { main, thread, giveBack, over, side, schema } = await service()
    const server = await standbyThatWaits(main, schema)
    const owner = "SELECT pid FROM pg_locks WHERE locktype = 'advisory'"
    // A running service also has a connection for its reads, so one is opened here.
    await main.get('k')
    let before = (await side.query(owner)).rows[0].pid
    for (const [delayMs, end] of [
      [4_000, () => side.query(ENDING)],
      [1_000, async () => proxy.cut()],
    ] as const) {
      proxy.delay(delayMs)
      await end()
      before = await until(
        async () => (await side.query(owner)).rows[0]?.pid,
        (pid) => pid !== undefined && pid !== before,
      )
      proxy.delay(0)
      assert.deepEqual([over, delayMs], [[], delayMs])
      await thread.commit(put('k', String(delayMs)))
    }
    for (const store of [thread, main]) await store.close()
    await Promise.all([giveBack(), server.close()])
  })

  test('a standby that cannot serve says so at its start, and one that can does not show the address of the database', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-standby-'))
    const { main, thread, giveBack, schema } = await service()
    const owned = join(folder, 'shared')
    await mkdir(owned)
    await markFolders({ blobsDir: owned, keysDir: null }, main.ownerId!)
    async function standby(env: Record<string, string> = {}, whileStandby?: WhileStandby, side?: Side) {
      const { config } = readConfig({
        env: {
          SVC_STORE_URL: `postgres://svc@127.0.0.1:${proxy.port}/postgres?schema=${schema}`,
          SVC_SECRET_KEY: '5e'.repeat(32),
          SVC_STANDBY: 'on',
          SVC_DATA_DIR: folder,
          SVC_BLOBS_DIR: owned,
          SVC_FFMPEG: 'off',
          ...env,
        },
      })
      const starting = watchStart({ log, clock: steadyClock })
      const searching = findPrograms({ ffmpeg: config.ffmpeg, path: config.searchPath })
      let explained = starting.waiting
      const turn = standBy(config, {
        log,
        backend: await backendOf(config.storeUrl),
        node: ownNode(config, 1),
        starting,
        server: {
          ...(side?.server ?? NO_SERVER),
          explain(waiting) {
            explained = waiting
          },
        },
        link: side?.link,
        tally: createTally(),
        searching,
        whileStandby,
      })
      return { starting, turn: turn.finally(() => starting.end()), explained: () => explained() }
    }
    const refused = async (env: Record<string, string>, says: RegExp, side?: Side) =>
      assert.rejects((await standby(env, undefined, side)).turn, says)
    const side = await openSide()
    const reasonAtSide = async () => {
      const { error } = (await (await fetch(`${side.server.url}/version`)).json()) as { error: { details: { reason?: string } } }
      return error.details.reason
    }
    const { starting, turn } = await standby()
    let hasEnded = false
    let leave = () => {}
    const leaves: WhileStandby = (end) => {
      leave = end
      return () => {
        hasEnded = true
      }
    }
    const leaver = await standby({}, leaves)
    await until(async () => leaver.starting.waiting().active, Boolean)
    leave()
    await Promise.all([
      assert.rejects(leaver.turn, StandbyStopped),
      refused({ SVC_FFMPEG: join(folder, 'nothing') }, /SVC_FFMPEG is .*; it must be an ffmpeg that runs/),
      refused({ SVC_SHARDS: '32' }, /57 connections, and this service and the one whose standby it is need 144; raise/),
      refused(
        { SVC_BLOBS_DIR: folder },
        /SVC_BLOBS_DIR is ".*svc-standby-\w+", which is not the folder of the service on .*shared/,
        side,
      ),
    ])
    // The service whose start was refused gives no reason. With a reason, a request would wait for an active service.
    assert.equal(await reasonAtSide(), undefined)
    await closeSides()
    assert.deepEqual([hasEnded, starting.waiting().reason], [true, 'standby'])
    const { reason, active } = leaver.explained()
    assert.deepEqual([reason, active], ['stopping', markOf(main.ownerId!)])
    // Standbys that were stopped properly are no longer listed.
    assert.deepEqual(
      (await main.nodes!()).map(({ state }) => state),
      ['active', 'standby'],
    )
    proxy.refuse(true)
    proxy.cut()
    const { sentence } = await until(
      async () => starting.waiting(),
      ({ reason }) => reason === 'database',
    )
    assert.match(sentence, /it is waiting for the database, which its standby cannot ask\.$/)
    proxy.refuse(false)
    await until(
      async () => starting.waiting(),
      ({ reason }) => reason === 'standby',
    )
    for (const store of [thread, main]) await store.close()
    await giveBack()
    const last = await openStore(cluster.url(schema), { turn: await turn })
    await (await last.own())()
    await last.close()
    const leavesAtOnce: WhileStandby = (leave) => {
      leave()
      return () => {}
    }
    await assert.rejects((await standby({}, leavesAtOnce)).turn, StandbyStopped)
    const next = await openStore(cluster.url(schema))
    await (await next.own())()
    await next.close()
    await rm(folder, { recursive: true })
  })

  test('a standby that is stopped ends at once, although it waits for a connection to the database', async () => {
    const schema = `stopped_${schemas++}`
    const owner = await openStore(cluster.url(schema))
    const giveBack = await owner.own()
    const { waitForTurn } = await backendOf(`postgres://svc@127.0.0.1:${proxy.port}/postgres?schema=${schema}`)
    function standby() {
      const ending = new AbortController()
      const seen = { looks: 0, failures: 0 }
      const turn = waitForTurn!({
        threads: 1,
        node: nodeAt('node-b'),
        signal: ending.signal,
        onWaiting: () => seen.looks++,
        onTaking() {},
        onFailed: () => seen.failures++,
        onDead() {},
      })
      turn.catch(() => {})
      async function stop() {
        const begun = performance.now()
        ending.abort(new StandbyStopped())
        await assert.rejects(turn, StandbyStopped)
        return performance.now() - begun
      }
      return { seen, stop }
    }
    const hangs = () => until(async () => proxy.hung(), Boolean)
    proxy.hang(100)
    const first = standby()
    await hangs()
    const took = [await first.stop()]
    proxy.hang(0)
    proxy.cut()
    const second = standby()
    await until(async () => second.seen.looks, Boolean)
    proxy.hang(100)
    proxy.cut()
    await hangs()
    took.push(await second.stop())
    proxy.hang(0)
    proxy.cut()
    await owner.close()
    await giveBack()
    // An attempt to connect may take five seconds. A standby that is stopped must not wait for it.
    assert.ok(
      took.every((ms) => ms < 2_000),
      took.join(),
    )
  })

  test('a standby has started its shard threads before it takes over, and then starts no others', async () => {
    const schema = `warm_${schemas++}`
    const owner = await openStore(cluster.url(schema))
    const giveBack = await owner.own()
    const folder = await mkdtemp(join(tmpdir(), 'svc-warm-'))
    const { config } = readConfig({
      env: {
        SVC_STORE_URL: cluster.url(schema),
        SVC_SECRET_KEY: '5e'.repeat(32),
        SVC_STANDBY: 'on',
        SVC_SHARDS: '2',
        SVC_PORT: '0',
        SVC_DATA_DIR: folder,
        SVC_FFMPEG: 'off',
        SVC_NETWORK_URL: 'ws://127.0.0.1:1',
      },
    })
    let threads = 0
    const count = () => {
      threads++
    }
    process.on('worker', count)
    const starting = startService(config, { log })
    await until(
      async () => threads,
      (started) => started === 2,
    )
    await owner.close()
    await giveBack()
    const service = await starting
    process.off('worker', count)
    assert.equal(threads, 2)
    await service.stop(5_000)
    await rm(folder, { recursive: true })
  })

  test('a writer that was declared over changes neither media nor keys', async () => {
    const schema = `over_${schemas++}`
    const store = await openStore(cluster.url(schema))
    const items = await openBlobItems({ in: 'store' }, store)
    const blob = keys.blob(INSTANCE, 'one')
    await putSealedBlob(items, blob, Buffer.alloc(2 * SEALED_PIECE, 1))
    const ring = await openKeyRing(store, new Uint8Array(32).fill(1))
    await ring.make(INSTANCE)
    const side = await cluster.client(schema)
    await side.query('UPDATE svc_writer SET is_over = true')
    await assert.rejects(putSealedBlob(items, blob, Buffer.alloc(2 * SEALED_PIECE, 2)), StorageFailure)
    await assert.rejects(putSealedBlob(items, keys.blob(INSTANCE, 'two'), Buffer.alloc(100)), StorageFailure)
    await removeOwner(items, INSTANCE)
    await ring.destroy(INSTANCE)
    await assert.rejects(ring.make(OTHER), StorageFailure)
    const { rows } = await side.query('SELECT name, get_byte(bytes, 0) AS first FROM svc_blob ORDER BY piece')
    assert.deepEqual(
      rows,
      [1, 1].map((first) => ({ name: 'one', first })),
    )
    assert.deepEqual((await side.query("SELECT name FROM svc_key WHERE name NOT IN ('main', 'links')")).rows, [
      { name: INSTANCE },
    ])
    await store.close()
  })

  test('of two processes that redeem a code at the same moment one makes an app, and the other revokes it', async () => {
    const schema = `codes_${schemas++}`
    const stores = await Promise.all([1, 2].map(() => openStore(cluster.url(schema))))
    const clock = { now: Date.now }
    const [allow, keyTagOf] = [parseRanges([]), () => undefined]
    const services = stores.map((store) => {
      const main = createMainRecords({ store, log })
      const { catchUp } = main
      return createOauth({ store, main, sealer, clock, log, allow, keyTagOf, settled: catchUp, catchUp })
    })
    for (const each of services) await each.load()
    const [one, other] = services as [Oauth, Oauth]
    await stores[0]!.commit(put(keys.config(INSTANCE), '{}'))
    const verifier = 'v'.repeat(43)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const redirectUri = 'https://app.example/callback'
    const request = { client: { id: 'app', name: 'App' }, redirectUri, challenge, state: 's' }
    for (let round = 0; round < 5; round++) {
      const { ticket } = await one.ask(request)
      const grant = { workspace: 'w' as WorkspaceId, instance: INSTANCE as InstanceId }
      const [code, second] = await Promise.all([one.approve(ticket, grant), other.approve(ticket, grant)])
      assert.equal([code, second].filter(Boolean).length, 1)
      const redeemed = { clientId: 'app', redirectUri, verifier }
      const tokens = await Promise.all(services.map((each) => each.redeem((code ?? second)!, redeemed)))
      assert.equal(tokens.filter(Boolean).length, 1)
      assert.equal(await stores[0]!.count(keys.oauthApps), 0)
    }
    for (const each of services) await each.stop()
    for (const store of stores) await store.close()
  })

  test('a service that starts leaves the instances alone that another one is creating or deleting, and erases those of a dead one', async () => {
    const schema = `unfinished_${schemas++}`
    const secret = new Uint8Array(32).fill(1)
    async function start() {
      const store = await openStore(cluster.url(schema))
      const keyRing = await openKeyRing(store, secret)
      const lines: string[] = []
      const warn = (_: unknown, line: string) => void lines.push(line)
      await eraseLeftovers({ store, keyRing, blobs: await openBlobItems({ in: 'store' }, store), log: { ...log, warn } })
      return { store, keyRing, lines }
    }
    const record = keys.runtime(INSTANCE)
    const isWhole = async () => {
      const { store, lines, keyRing } = await start()
      const found = [(await store.get(record)) !== undefined, keyRing.instances().length, lines.length]
      await store.close()
      return found
    }
    const { store, keyRing } = await start()
    await keyRing.make(INSTANCE)
    await store.commit(put(record, 'first'))
    assert.deepEqual(await isWhole(), [true, 1, 0])
    const config = keys.config(INSTANCE)
    await store.commit({ ops: [[config, bytes('{}')]] })
    assert.deepEqual(await isWhole(), [true, 1, 0])
    await store.commit({ ops: [[config, null]] })
    assert.deepEqual(await isWhole(), [true, 1, 0])
    const side = await cluster.client(schema)
    await side.query('UPDATE svc_writer SET is_over = true WHERE id = $1', [store.ownerId])
    assert.deepEqual(await isWhole(), [false, 0, 1])
    assert.deepEqual((await side.query('SELECT FROM svc_home')).rows, [])
    await assert.rejects(store.commit(put(record, 'late')), Fenced)
    await store.close()
  })

  test(`a record has one writer, whatever moment a home is claimed, released or taken over (SVC_TEST_SEED=${seeded.seed})`, async () => {
    const schema = `homes_${schemas++}`
    const others = [await startProxy(cluster.socket), await startProxy(cluster.socket)]
    const sides = [proxy, ...others].map((each) => ({
      url: `postgres://svc@127.0.0.1:${each.port}/postgres?schema=${schema}`,
      proxy: each,
    }))
    // The first service must have created the schema before this client uses it.
    const side = await cluster.client(schema)
    const { written, claims } = await runHomes({ side, sides, random: seeded, takeovers: 5 })
    assert.ok(written > 0 && claims > 0)
    for (const each of others) await each.stop()
  })

  test('changes of one home that are requested together are carried out in their order', async () => {
    const { store, side } = await world()
    const home = async () => (await side.query('SELECT writer, epoch FROM svc_home WHERE instance = $1', [INSTANCE])).rows[0]
    const { claim, release, remove, isOwn } = store.homes
    await claim([INSTANCE, OTHER])
    const [, held] = await Promise.all([release([INSTANCE]), claim([INSTANCE]), release([OTHER])])
    assert.deepEqual([[...held], await home()], [[INSTANCE], { writer: store.writer, epoch: '2' }])
    assert.deepEqual([INSTANCE, OTHER].map(isOwn), [true, false])
    await Promise.all([claim([INSTANCE]), release([INSTANCE])])
    assert.deepEqual(await home(), { writer: null, epoch: '2' })
    assert.equal(isOwn(INSTANCE), false)
    await Promise.all([claim([INSTANCE]), remove(INSTANCE), claim([INSTANCE])])
    assert.deepEqual([await home(), isOwn(INSTANCE)], [{ writer: store.writer, epoch: '1' }, true])
    assert.deepEqual(await store.homes.all(), [
      { instance: OTHER, writer: null, wanted: null, isFree: true, isTakenOver: false },
      { instance: INSTANCE, writer: store.writer, wanted: null, isFree: false, isTakenOver: false },
    ])
  })

  test('a home that was released to a service is left to it until it has ended, or anybody may take it', async () => {
    const { store: giver, url } = await world()
    const [wanted, third] = [await openPostgres({ url }), await openPostgres({ url })]
    const claim = async (by: PostgresDriver, options?: { isAnybodys: boolean }) =>
      [...(await by.homes.claim([INSTANCE], options))].length === 1
    for (let round = 0; round < 10; round++) {
      assert.ok(await claim(giver))
      await giver.homes.release([INSTANCE], wanted.writer)
      assert.deepEqual(await Promise.all([claim(third), claim(wanted), claim(giver)]), [false, true, false])
      assert.deepEqual([wanted.homes.isOwn(INSTANCE), third.homes.isOwn(INSTANCE)], [true, false])
      await wanted.homes.release([INSTANCE])
    }
    assert.ok(await claim(giver))
    await giver.homes.release([INSTANCE], wanted.writer)
    assert.deepEqual([await claim(third), await claim(third, { isAnybodys: true })], [false, true])
    await third.homes.release([INSTANCE], wanted.writer)
    const home = async () => (await third.homes.all()).map(({ writer, wanted, isFree }) => ({ writer, wanted, isFree }))
    assert.deepEqual(await home(), [{ writer: null, wanted: wanted.writer, isFree: true }])
    await wanted.dispose()
    assert.ok(await claim(giver))
    assert.deepEqual(await home(), [{ writer: giver.writer, wanted: null, isFree: false }])
    const { writer } = giver
    open.delete(giver)
    await giver.dispose()
    assert.deepEqual(await home(), [{ writer, wanted: null, isFree: true }])
    await third.dispose()
  })

  test('that an instance was taken over is known after later moves, too, for a day', async () => {
    const { store: first, side, url } = await world()
    const [second, third] = [await openPostgres({ url }), await openPostgres({ url })]
    const isTakenOver = async () => (await third.homes.all()).map((home) => home.isTakenOver)
    await first.homes.claim([INSTANCE])
    await first.homes.release([INSTANCE])
    await second.homes.claim([INSTANCE])
    assert.deepEqual(await isTakenOver(), [false], 'a move is no takeover')
    await declareOver(side, second.writer)
    await third.homes.claim([INSTANCE])
    assert.deepEqual(await isTakenOver(), [true])
    await third.homes.release([INSTANCE], first.writer)
    await first.homes.claim([INSTANCE])
    assert.deepEqual(await isTakenOver(), [true])
    await side.query("UPDATE svc_home SET taken_over_at = taken_over_at - interval '25 hours'")
    assert.deepEqual(await isTakenOver(), [false])
    for (const each of [second, third]) await each.dispose()
  })

  test('nothing that a thread which has ended had sent is stored after the main thread has ended its writer', async () => {
    const schema = `threads_${schemas++}`
    const main = await openStore(cluster.url(schema))
    const claims = { all: new BigInt64Array(3), own: 1 }
    const over: unknown[] = []
    const [thread, other] = [
      await openPostgres({ url: main.threadUrl, claims, onOver: (cause) => over.push(cause) }),
      await openPostgres({ url: main.threadUrl, claims: { ...claims, own: 2 } }),
    ]
    await thread.commit(put('k', 'before'))
    await main.endThreads!(1)
    await assert.rejects(thread.commit(put('k', 'after')), Fenced)
    await other.commit(put('other', 'still'))
    const next = await openPostgres({ url: main.threadUrl, claims })
    await next.commit(put('next', 'run'))
    await main.endThreads!()
    for (const ended of [other, next]) await assert.rejects(ended.commit(put('other', 'after')), Fenced)
    const stored = async (key: string) => Buffer.from((await main.get(key))!).toString()
    assert.deepEqual([await stored('k'), await stored('other'), over.length], ['before', 'still', 1])
    await main.commit(put('main', 'still'))
    for (const each of [thread, other, next]) await each.dispose()
    await main.close()
  })

  test('a claim that waited does not take the home of a service that is younger than its statement', async () => {
    const { store: late, side, url } = await world()
    const former = await openPostgres({ url })
    await former.homes.claim([INSTANCE])
    await former.dispose()
    await side.query('BEGIN')
    await side.query('SELECT FROM svc_writer WHERE id = $1 FOR UPDATE', [late.writer])
    const waiting = late.homes.claim([INSTANCE])
    const watcher = await cluster.client()
    await until(
      async () => (await watcher.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).rowCount,
      Boolean,
    )
    const owner = await openPostgres({ url })
    assert.deepEqual([...(await owner.homes.claim([INSTANCE]))], [INSTANCE])
    await side.query('COMMIT')
    assert.deepEqual([...(await waiting)], [])
    assert.deepEqual([...(await owner.homes.claim([INSTANCE]))], [INSTANCE])
    assert.deepEqual((await side.query('SELECT writer, epoch FROM svc_home')).rows, [{ writer: owner.writer, epoch: '2' }])
    await owner.dispose()
  })

  test('a new owner leaves a transaction that only reads, such as a dump', async () => {
    const schema = `dumped_${schemas++}`
    const store = await openStore(cluster.url(schema))
    const dump = await cluster.client(schema)
    await dump.query('BEGIN; SELECT FROM svc_writer')
    const release = await store.own()
    await dump.query('SELECT FROM svc_writer; COMMIT')
    await store.close()
    await release()
  })

  test('the tables of an older release stay as they are while a service uses them', async () => {
    const schema = `older_${schemas++}`
    const url = cluster.url(schema)
    const store = await openStore(url, { node: { id: randomUUID(), name: 'first', release: '1.0.0' } })
    const release = await store.own()
    const side = await cluster.client(schema)
    const format = async () => (await side.query("SELECT value FROM svc_meta WHERE key = 'format'")).rows[0].value
    await side.query("UPDATE svc_meta SET value = '4' WHERE key = 'format'")
    await Promise.all(
      [true, false].map((isReader) =>
        assert.rejects(
          openStore(url, { isReader }),
          /Another service \(first\) uses the store in .*, whose format is 4; this release has 6\. Stop the other one first/,
        ),
      ),
    )
    await assert.rejects(postgresBackend(url).check(), /has format 4, and this release has 6; start the service of this release/)
    assert.equal(await format(), '4')
    await store.close()
    await release()
    // Simulates a service of format 4 that has lost its lock for a moment, and then raises its counter again.
    await side.query(
      "CREATE TABLE svc_node (writer uuid, name text, beat bigint); INSERT INTO svc_node VALUES (NULL, 'second', 1), (NULL, 'killed', 9)",
    )
    await side.query('INSERT INTO svc_writer (id, is_service) VALUES ($1, true)', [INSTANCE])
    const again = () => openPostgres({ url, isReader: true, olderMs: 600 })
    let raised = side.query('SELECT')
    const raising = setInterval(() => {
      raised = side.query("UPDATE svc_node SET beat = beat + 1 WHERE name = 'second'")
    }, 100)
    await assert.rejects(again(), /Another service \(second\)/).finally(() => clearInterval(raising))
    await raised
    await side.query(LOCK_SCHEMA)
    await assert.rejects(again(), /Another service \(which has no entry\)/)
    assert.equal(await format(), '4')
    await side.query('SELECT pg_advisory_unlock_all()')
    // The second service watches the counters while the first one changes the tables.
    const both = await Promise.all([again(), pause(300).then(again)])
    for (const each of both) await each.dispose()
    assert.equal(await format(), '6')
    const writers = (await side.query('SELECT id, is_service, is_over FROM svc_writer')).rows
    assert.deepEqual(writers, [{ id: writers[0]?.id, is_service: true, is_over: true }])
    assert.notEqual(writers[0]?.id, INSTANCE)
    const next = await openStore(url)
    const giveBack = await next.own()
    assert.equal(next.hasTakenOver?.(), true)
    await next.close()
    await giveBack()
  })

  test('a store of the first format gets the table that it lacks, and one of a newer format is refused', async () => {
    const schema = `format_${schemas++}`
    const url = cluster.url(schema)
    await (await openStore(url)).close()
    const side = await cluster.client(schema)
    await side.query("DROP TABLE svc_blob, svc_change, svc_cluster; UPDATE svc_meta SET value = '1' WHERE key = 'format'")
    const store = await openStore(url)
    await putSealedBlob(await openBlobItems({ in: 'store' }, store), keys.blob(INSTANCE, 'one'), Buffer.alloc(100))
    await store.close()
    // An earlier build created the present format, but without this table.
    await side.query('DROP TABLE svc_home')
    const later = await openStore(url)
    assert.deepEqual([...(await later.homes!.claim([INSTANCE]))], [INSTANCE])
    await later.close()
    await side.query('ALTER TABLE svc_home DROP COLUMN taken_over_at; ALTER TABLE svc_service DROP COLUMN leaving')
    const dump = await cluster.client(schema)
    await dump.query('BEGIN; SELECT FROM svc_home')
    await (await openStore(url, { isReader: true })).close()
    const refused = assert.rejects(
      openStore(url),
      /uses a table of the store in .* for a long time, for example pg_dump, so this release/,
    )
    const WAITS = `SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' AND relation = '"${schema}".svc_home'::regclass`
    while ((await side.query(WAITS)).rowCount === 0) await pause(10)
    // The services that run read the homes all the time, so the change of the table must not hold them up.
    await side.query("SET lock_timeout = '1s'; SELECT FROM svc_home; SET lock_timeout = 0")
    await refused
    await dump.query('COMMIT')
    const last = await openStore(url)
    assert.deepEqual([...(await last.homes!.claim([INSTANCE]))], [INSTANCE])
    await last.close()
    await side.query("UPDATE svc_meta SET value = '99' WHERE key = 'format'")
    await assert.rejects(openStore(url), /has format 99, and this release knows 6; use the newer release\.$/)
  })

  test('a server that could lose commits, or takes none, is refused in one sentence', async () => {
    const side = await cluster.client()
    for (const [role, setting, says] of [
      [
        'lazy',
        'synchronous_commit = off',
        /cannot be used: synchronous_commit is off, so it would confirm a commit before it is on disk/,
      ],
      ['reading', 'default_transaction_read_only = on', /cannot be used: the database is read-only\.$/],
    ] as const) {
      await side.query(`CREATE ROLE ${role} LOGIN SUPERUSER; ALTER ROLE ${role} SET ${setting}`)
      await assert.rejects(openStore(cluster.url('never').replace('user=svc', `user=${role}`)), says)
    }
    const careless = await startCluster({ fsync: 'off' })
    await assert.rejects(openStore(careless.url('never')), /cannot be used: fsync is off, so it would lose confirmed messages/)
    await careless.stop()
  })

  test('a pooler that gives connections to others between transactions is refused, and one that keeps them serves', {
    skip: noPooler,
  }, async () => {
    for (const [mode, says] of [
      ['transaction', /set pool_mode to session in PgBouncer\.$/],
      ['session', undefined],
    ] as const) {
      const pooler = await startPooler(cluster, mode)
      const opening = openStore(pooler.url(`pooled_${mode}`))
      if (says) await assert.rejects(opening, says)
      else {
        const store = await opening
        await store.commit(put('k', 'by the pooler'))
        await store.close()
      }
      await pooler.stop()
    }
  })

  test('too few connections are one sentence at the start', async () => {
    await assert.rejects(service({ threads: 41 }), /schema service_\d+\) allows 57 connections, and this service needs 86; raise/)
  })

  test('keys are rows that open with their secret key alone, survive a rotation, and are gone when they are destroyed', async () => {
    const [old, next] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
    const store = await openStore(cluster.url(`keys_${schemas++}`))
    const ring = await openKeyRing(store, old)
    await ring.make(INSTANCE)
    const key = Buffer.from(ring.of(INSTANCE))
    assert.deepEqual(Buffer.from((await openKeyRing(store, old)).of(INSTANCE)), key)
    await assert.rejects(openKeyRing(store, next), /The secret key is not the one this store was written with/)
    await rotateSecretKey(store, old, next, { replace: async () => true, steps: () => {} })
    await assert.rejects(openKeyRing(store, old), /The secret key is not the one this store was written with/)
    const rotated = await openKeyRing(store, next)
    assert.deepEqual(Buffer.from(rotated.of(INSTANCE)), key)
    await rotated.destroy(INSTANCE)
    assert.deepEqual((await openKeyRing(store, next)).instances(), [])
    await store.close()
  })

  test('a server that is killed with all its processes and started again has each confirmed commit', async () => {
    // On a busy machine the server may need more time for its recovery than commits usually wait, so this store waits
    // longer.
    const { store } = await world({ patienceMs: 60_000 })
    const confirmed = new Set<string>()
    let isEnding = false
    const writers = [0, 1, 2, 3].map(async (w) => {
      for (let n = 0; !isEnding; n++) {
        await store.commit(put(`${w}:${n}`, 'x'))
        confirmed.add(`${w}:${n}`)
      }
    })
    await until(
      async () => confirmed.size,
      (size) => size > 20,
    )
    await cluster.kill()
    const before = confirmed.size
    await cluster.start()
    await until(
      async () => confirmed.size,
      (size) => size > before + 20,
    )
    isEnding = true
    await Promise.all(writers)
    const side = await cluster.client()
    const schema = `doubt_${schemas - 1}`
    const { rows } = await side.query(`SELECT key, n FROM ${schema}.writes`)
    const found = new Map(rows.map(({ key, n }) => [key as string, n as number]))
    for (const key of confirmed) assert.equal(found.get(key), 1, key)
  })
})
