/**
 * Three services on one schema of a PostgreSQL server claim and release instances and write records at random. The home
 * of an instance is the service that may write its records. Now and then, one service replaces another service, which
 * continues, is paused with commits under way, or is cut off.
 *
 * Triggers note each write, and each change of a home, in the transaction in which it happens.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Mutex } from 'async-mutex'
import type pg from 'pg'
import { createCommits } from '../../src/storage/drivers/postgres/commits.ts'
import { postgresHomes } from '../../src/storage/drivers/postgres/homes.ts'
import { connect } from '../../src/storage/drivers/postgres/link.ts'
import { targetOf } from '../../src/storage/drivers/postgres/target.ts'
import { Fenced, openWriter, REMOVE } from '../../src/storage/drivers/postgres/writer.ts'
import { openPostgres } from '../../src/storage/drivers/postgres.ts'
import type { PostgresProxy } from '../harness/postgres-proxy.ts'
import type { Seeded } from './seeded.ts'

const NOTING = `
CREATE TABLE written (n bigint GENERATED ALWAYS AS IDENTITY, instance uuid, value text, home uuid);
CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO written (instance, value, home)
    SELECT NEW.scope, convert_from(NEW.value, 'UTF8'), (SELECT writer FROM svc_home WHERE instance = NEW.scope);
  RETURN NEW;
END $$;
CREATE TRIGGER noting AFTER INSERT OR UPDATE ON svc_state FOR EACH ROW EXECUTE FUNCTION note_write();
CREATE TABLE moved (n bigint GENERATED ALWAYS AS IDENTITY, instance uuid, former uuid, writer uuid, grown bigint, passed_over uuid);
CREATE FUNCTION note_home() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO moved (instance, former, writer, grown, passed_over) VALUES (NEW.instance, OLD.writer, NEW.writer, NEW.epoch - coalesce(OLD.epoch, 0),
    (SELECT id FROM svc_writer WHERE id = OLD.wanted AND OLD.wanted <> NEW.writer));
  RETURN NEW;
END $$;
CREATE TRIGGER noting AFTER INSERT OR UPDATE ON svc_home FOR EACH ROW EXECUTE FUNCTION note_home()`

export interface Model {
  side: pg.Client
  /** The URL of the schema through each of three proxies. */
  sides: readonly { url: string; proxy: PostgresProxy }[]
  random: Seeded
  takeovers: number
}

type Side = Model['sides'][number]
type Commits = ReturnType<typeof createCommits>

/** Time limits of the services in ms. They are longer than any pause of a service. */
const PATIENCE = 60_000

export async function runHomes({ side, sides, random, takeovers }: Model): Promise<{ written: number; claims: number }> {
  await (await openPostgres({ url: sides[0]!.url })).dispose()
  const turn = new Mutex()
  const query = (text: string | pg.QueryArrayConfig, values?: unknown[]) =>
    turn.runExclusive(() => side.query(text as string, values))
  await query(NOTING)
  const instances = Array.from({ length: 6 }, () => randomUUID() as string)
  /**
   * Sequence number of the last confirmed write, by writer and instance. The store may lack lower numbers: of commits
   * that wait together, only the last value of a record is stored.
   */
  const confirmed = new Map<string, number>()

  /** The main thread of a service claims homes, and its other thread writes the records of its instances. */
  async function begin({ url, proxy }: Side, own: Seeded) {
    let isEnding = false
    const onOver = () => {
      isEnding = true
    }
    const options = { connect: () => connect(targetOf(url)), silenceMs: PATIENCE, doubtMs: PATIENCE, onOver }
    // The writers are opened without the driver of a store. The driver would open four more connections, which would
    // make each takeover slower.
    const main = await openWriter({ ...options, service: undefined, thread: 0 })
    const thread = await openWriter({ ...options, service: main.id, thread: 1 })
    const [ofMain, ofThread] = [main, thread].map(({ write }) =>
      createCommits(write, { patienceMs: PATIENCE, onCommit: undefined }),
    ) as [Commits, Commits]
    const homes = postgresHomes({
      service: main.id,
      commit: (changes) => ofMain.add({ ops: [], homes: changes }),
      ask: async ({ text, values }) => (await query({ text, values, rowMode: 'array' } as pg.QueryArrayConfig)).rows,
    })
    const leaving = new Set<string>()
    const pending = new Map<string, Promise<unknown>[]>()
    const changes: Promise<unknown>[] = []
    let number = 0

    async function release(instance: string) {
      if (!homes.isOwn(instance) || leaving.has(instance)) return
      leaving.add(instance)
      await Promise.allSettled(pending.get(instance) ?? [])
      const released = homes.release([instance], own.chance(0.5) ? own.pick(services).id : undefined)
      leaving.delete(instance)
      await released
    }
    function write(instance: string) {
      const own = ++number
      const value = `${main.id} ${own}`
      const commit = ofThread.add({ ops: [[`instance:${instance}:record`, Buffer.from(value)]] })
      const done = commit.then(() => void confirmed.set(`${main.id} ${instance}`, own), expectFenced)
      pending.set(instance, [...(pending.get(instance) ?? []).slice(-9), done])
    }
    async function live(): Promise<void> {
      while (!isEnding) {
        const instance = own.pick(instances)
        const choice = own.below(8)
        if (choice < 2) {
          const change = (choice === 0 ? homes.claim(own.shuffled(instances).slice(0, 3)) : release(instance)).catch(expectFenced)
          changes.push(change)
          if (own.chance(0.7)) await change
        } else if (homes.isOwn(instance) && !leaving.has(instance)) write(instance)
        await pause(own.below(3))
      }
    }
    const living = live().catch(expectFenced)
    return {
      id: main.id,
      proxy,
      claim: homes.claim,
      async end() {
        isEnding = true
        await living
        await Promise.all([...changes, ...[...pending.values()].flat()])
        await Promise.all([ofThread.close(), ofMain.close()])
        await Promise.all([thread.close(), main.close()])
      },
    }
  }

  const countOf = async (writer: string) => (await query("SELECT FROM written WHERE value LIKE $1 || ' %'", [writer])).rowCount

  const services: Awaited<ReturnType<typeof begin>>[] = []
  for (const each of sides) services.push(await begin(each, random.apart()))
  for (let round = 0; round < takeovers; round++) {
    const at = random.below(sides.length)
    const victim = services[at]!
    const taker = services[(at + 1) % sides.length]!
    await pause(random.below(25))
    const fault = random.below(4)
    if (fault === 0) victim.proxy.cut()
    if (fault > 1) victim.proxy.hold(true)
    // In this time the paused service can send a commit, and can queue others behind it.
    if (fault > 1) await pause(random.below(8))
    if (random.chance(0.3)) taker.proxy.cut()
    await query(REMOVE, [[victim.id]])
    const before = await countOf(victim.id)
    await taker.claim(instances)
    assert.equal((await query('SELECT FROM svc_home WHERE writer = $1', [victim.id])).rowCount, 0, 'all homes are taken over')
    await pause(random.below(10))
    victim.proxy.hold(false)
    await victim.end()
    assert.equal(await countOf(victim.id), before, 'nothing is written after the takeover')
    services[at] = await begin(sides[at]!, random.apart())
  }
  for (const each of services) await each.end()

  const foreign = await query("SELECT value, home FROM written WHERE split_part(value, ' ', 1)::uuid IS DISTINCT FROM home")
  assert.deepEqual(foreign.rows, [], 'only the home writes')
  const grown = await query('SELECT * FROM moved WHERE grown <> (writer IS NOT NULL)::int OR former = writer')
  assert.deepEqual(grown.rows, [], 'the epoch grows by one with each claim')
  const unfair = await query('SELECT * FROM moved WHERE writer IS NOT NULL AND passed_over IS NOT NULL')
  assert.deepEqual(unfair.rows, [], 'nobody takes a home that was released to a service that can write')
  const { rows } = await query('SELECT instance, value FROM written ORDER BY n')
  const written = rows.map(({ instance, value }) => [instance, ...value.split(' ')] as [string, string, string])
  assert.equal(new Set(written.map(String)).size, written.length, 'no commit is applied twice')
  const last = new Map(written.map(([instance, writer, number]) => [`${writer} ${instance}`, Number(number)]))
  for (const [of, number] of confirmed) assert.ok((last.get(of) ?? 0) >= number, `${of} ${number} was confirmed`)
  const claims = (await query('SELECT FROM moved WHERE writer IS NOT NULL')).rowCount!
  return { written: written.length, claims }
}

function expectFenced(error: unknown): void {
  if (!(error instanceof Fenced)) throw error
}
