/** Faults of the members of a cluster and of their database, each with random times. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { Direction } from '../harness/cable.ts'
import type { Cluster } from '../harness/postgres.ts'
import { type StandbyServer, startStandbyServer } from '../harness/postgres-standby.ts'
import type { ClusterWorld, Member } from './cluster-world.ts'
import type { Seeded } from './seeded.ts'

/** Milliseconds after which a member that lost its lease or was removed has ended. */
const ENDS_WITHIN = 8_000
/** A number of connections that is higher than the maximum of the database (`max_connections`). */
const MORE_CONNECTIONS = 200
const SILENCES: Direction[][] = [['there'], ['back'], ['there', 'back']]
const END_CONNECTIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name LIKE 'svc%' AND pid <> pg_backend_pid() AND random() < $1`

export interface ClusterFaults {
  /**
   * The faults by name. Each resolves when the fault is over. A member that has ended because of the fault perhaps does
   * not run before `mend` has started it.
   */
  kinds: Record<string, (member: Member) => Promise<void>>
  /** Starts the members that have ended. */
  mend(): Promise<void>
  /** Stops the servers of the database that faults have started. */
  stop(): Promise<void>
}

/** Creates the faults for a world, which must have cables and a fourth member that is not started. */
export async function createClusterFaults(
  world: ClusterWorld,
  seeded: Seeded,
  ofPostgres: Record<string, string>,
): Promise<ClusterFaults> {
  const database = await createDatabaseFaults(world, seeded, ofPostgres)

  async function mayEnd(member: Member): Promise<void> {
    await Promise.race([member.running().ended, pause(ENDS_WITHIN)])
  }

  const kinds: ClusterFaults['kinds'] = {
    async kill(member) {
      await member.running().kill()
    },
    async stop(member) {
      await member.running().stop()
    },
    /**
     * Suspends the process for 3 to 12 s. If the others remove the member in this time, the process ends as soon as it
     * continues.
     */
    async suspend(member) {
      const { child } = member.running()
      child.kill('SIGSTOP')
      await pause(3_000 + seeded.below(9_000))
      child.kill('SIGCONT')
      await mayEnd(member)
    },
    async 'silent database'(member) {
      member.cables!.database.silence(...seeded.pick(SILENCES))
      await pause(1_000 + seeded.below(9_000))
      member.cables!.database.silence()
      await mayEnd(member)
    },
    /** Silences the link to the member for 1 to 10 s. All members still reach the database, so none of them may end. */
    async 'silent link'(member) {
      member.cables!.link.silence(...seeded.pick(SILENCES))
      await pause(1_000 + seeded.below(9_000))
      assert.deepEqual(
        world.members.filter((each) => !each.isUp()).map(({ name }) => name),
        [],
        'members that ended, although only a link was silent',
      )
      member.cables!.link.silence()
    },
    async drain(member) {
      await world.leave(member, seeded.pick(world.members))
    },
    /**
     * Starts another member, which gets instances when `member` is stopped. It is stopped, too, after `member` was
     * started again.
     */
    async 'another member joins and leaves'(member) {
      const joined = world.later[0]!
      await joined.start()
      await member.running().stop()
      await member.startAgain()
      await pause(seeded.below(5_000))
      await joined.running().stop()
    },
    ...database.kinds,
  }

  return {
    kinds,
    async mend() {
      for (const each of world.members) {
        if (each.isUp()) continue
        await pause(seeded.below(3_000))
        await each.startAgain()
      }
    },
    stop: database.stop,
  }
}

async function createDatabaseFaults(world: ClusterWorld, seeded: Seeded, ofPostgres: Record<string, string>) {
  const servers: Cluster[] = [world.postgres]
  const primary = () => servers.at(-1)!
  let standby: StandbyServer = await startStandbyServer(primary(), ofPostgres)

  async function restart(end: (server: Cluster) => Promise<void>) {
    await end(primary())
    await pause(seeded.below(2_000))
    await primary().start()
  }

  /** Takes all connections of the database, and keeps them for `ms`. */
  async function takeConnections(ms: number): Promise<void> {
    const taken: pg.Client[] = []
    async function takeLeft() {
      while (taken.length < MORE_CONNECTIONS) {
        const client = await primary()
          .client()
          .catch(() => undefined)
        if (!client) return
        taken.push(client)
      }
      assert.fail('the database had connections left')
    }
    await takeLeft()
    await taken[0]!.query(END_CONNECTIONS, [0.5])
    for (const end = Date.now() + ms; Date.now() < end; await pause(5)) await takeLeft()
    await Promise.all(taken.map((client) => client.end()))
  }

  return {
    kinds: {
      'the database is killed': () => restart((server) => server.kill()),
      'the database stops immediately': () => restart((server) => server.stopImmediately()),
      async 'all connections are lost'() {
        await world.sql(END_CONNECTIONS, [1])
      },
      'no connections are left': () => takeConnections(1_000 + seeded.below(6_000)),
      async 'the standby of the database is promoted'() {
        await primary().kill()
        await pause(seeded.below(1_000))
        await standby.promote()
        servers.push(standby)
        world.useServer(standby)
        standby = await startStandbyServer(primary(), ofPostgres)
      },
    },
    async stop() {
      for (const server of [standby, ...servers.slice(1)]) await server.stop()
    },
  }
}
