/**
 * Starts a synchronous standby of a test's PostgreSQL server: a commit is answered when the standby has stored it, too.
 */
import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Cluster, createServerFolder, programs, runServer } from './postgres.ts'
import { until } from './until.ts'

export interface StandbyServer extends Cluster {
  /** Makes the standby an independent server, which accepts commits. The former primary server must have ended. */
  promote(): Promise<void>
}

/**
 * Starts a standby of this server. `settings`: those of the primary server, because a standby must allow as many
 * connections.
 */
export async function startStandbyServer(primary: Cluster, settings: Record<string, string> = {}): Promise<StandbyServer> {
  const folder = createServerFolder()
  const { dir, data, user } = folder
  const copy = ['-h', dirname(primary.socket), '-U', 'svc', '-D', data, '--write-recovery-conf', '--checkpoint=fast', '--no-sync']
  await promisify(execFile)(join(programs!, 'pg_basebackup'), copy, { ...user, cwd: dir })
  const standby = await runServer(folder, settings)
  // The standby has copied the settings from before this change. So it waits for no standby of its own after its
  // promotion.
  const asked = await primary.client()
  await asked.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
  await asked.query('SELECT pg_reload_conf()')
  await until(
    async () => (await asked.query("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'")).rowCount,
    (count) => count === 1,
  )
  await asked.end()
  return {
    ...standby,
    async promote() {
      const client = await standby.client()
      await client.query('SELECT pg_promote()')
      await until(
        async () => (await client.query<{ still: boolean }>('SELECT pg_is_in_recovery() AS still')).rows[0]!.still,
        (still) => !still,
      )
      await client.end()
    },
  }
}
