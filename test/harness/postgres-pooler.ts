/** Starts PgBouncer in front of a test's PostgreSQL server, on a Unix socket in a temporary folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Cluster, owner } from './postgres.ts'
import { until } from './until.ts'

const PROGRAM = '/usr/sbin/pgbouncer'

/** Reason to skip tests of PgBouncer; false if it is installed. */
export const noPooler: string | false = existsSync(PROGRAM)
  ? false
  : "PgBouncer is not installed here (Debian's package pgbouncer)"

export interface Pooler {
  url(schema: string): string
  stop(): Promise<void>
}

export async function startPooler(cluster: Cluster, mode: 'session' | 'transaction'): Promise<Pooler> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-pb-'))
  const user = owner()
  if (user.uid !== undefined) chownSync(dir, user.uid, user.gid!)
  const file = join(dir, 'pgbouncer.ini')
  const settings = [
    '[databases]',
    `postgres = host=${dirname(cluster.socket)}`,
    '[pgbouncer]',
    `pool_mode = ${mode}`,
    `unix_socket_dir = ${dir}`,
    'listen_port = 5432',
    'auth_type = trust',
    `auth_file = ${join(dir, 'users')}`,
  ]
  writeFileSync(join(dir, 'users'), '"svc" ""\n')
  writeFileSync(file, settings.map((line) => `${line}\n`).join(''))
  const pooler: ChildProcess = spawn(PROGRAM, ['-q', file], { ...user, cwd: dir, stdio: 'ignore' })
  pooler.unref()
  process.once('exit', () => pooler.kill('SIGKILL'))
  await until(async () => existsSync(join(dir, '.s.PGSQL.5432')) || pooler.exitCode !== null, Boolean, 20_000)
  if (pooler.exitCode !== null) throw new Error(`PgBouncer did not start: it ended with ${pooler.exitCode}.`)
  return {
    url: (schema) => `postgres://localhost/postgres?user=svc&host=${encodeURIComponent(dir)}&schema=${schema}`,
    async stop() {
      const ended = once(pooler, 'exit')
      pooler.ref()
      pooler.kill('SIGKILL')
      await ended
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
