/**
 * Starts a PostgreSQL server for one test: a new cluster in a temporary folder, on a Unix socket. The server ends with
 * the test's process.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { ROOT } from './checkout.ts'
import { until } from './until.ts'

const INSTALLED = '/usr/lib/postgresql'
/**
 * Number of starts that may fail, and the pause in ms after each failure. A new server cannot start while a process of
 * a killed server still uses its shared memory.
 */
const STARTS = 20
const START_AGAIN = 200
/**
 * Users as which the server can run if the tests run as root, because PostgreSQL refuses to run as root: `postgres` of
 * Debian's package, or `nobody`, which most machines have.
 */
const USERS = ['postgres', 'nobody']

export const programs = existsSync(INSTALLED)
  ? readdirSync(INSTALLED)
      .sort((one, other) => Number(other) - Number(one))
      .map((version) => join(INSTALLED, version, 'bin'))
      .find((folder) => existsSync(join(folder, 'initdb')))
  : undefined

/** Reason to skip tests of PostgreSQL; false if it is installed. */
export const noPostgres: string | false =
  programs === undefined ? "PostgreSQL is not installed here (Debian's package postgresql)" : false

export interface Cluster {
  url(schema: string): string
  socket: string
  /** Opens a connection that no store uses. It ends together with the server, or with `endClients`. */
  client(schema?: string): Promise<pg.Client>
  endClients(): Promise<void>
  /** Ends the server and all its processes immediately, as a loss of power does. */
  kill(): Promise<void>
  /** Ends all processes without a checkpoint (`pg_ctl stop -m immediate`), so the next start reads the log. */
  stopImmediately(): Promise<void>
  start(): Promise<void>
  /** Returns the CPU time in ms that the server and its child processes have used, including those that have ended. */
  cpuMs(): number
  stop(): Promise<void>
}

export function owner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const rows = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const [found] = USERS.flatMap((name) => rows.filter(([each]) => each === name))
  return { uid: Number(found![2]), gid: Number(found![3]) }
}

export interface ServerFolder {
  dir: string
  data: string
  user: ReturnType<typeof owner>
}

export function createServerFolder(): ServerFolder {
  // The path of a Unix socket can have only about 100 characters, so the folder has a short name.
  const dir = mkdtempSync(join(tmpdir(), 'svc-pg-'))
  const user = owner()
  if (user.uid !== undefined) chownSync(dir, user.uid, user.gid!)
  return { dir, data: join(dir, 'data'), user }
}

export async function startCluster(settings: Record<string, string> = {}): Promise<Cluster> {
  const folder = createServerFolder()
  createData(folder)
  return runServer(folder, settings)
}

/** Starts a server in a folder that already contains its data. */
export async function runServer({ dir, data, user }: ServerFolder, settings: Record<string, string> = {}): Promise<Cluster> {
  const options = {
    listen_addresses: '',
    unix_socket_directories: dir,
    shared_buffers: '16MB',
    max_connections: '60',
    log_min_messages: 'fatal',
    ...settings,
  }
  const given = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let server: ChildProcess
  let failures = 0
  const clients = new Set<pg.Client>()
  const endAll = (signal: NodeJS.Signals) => {
    try {
      process.kill(-server.pid!, signal)
    } catch {
      // The server has already ended, so there is nothing to kill.
    }
  }
  process.once('SIGTERM', () => process.exit(143))
  process.on('exit', () => {
    endAll('SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  })

  async function start() {
    server = spawn(join(programs!, 'postgres'), ['-D', data, ...given], { ...user, cwd: dir, detached: true, stdio: 'ignore' })
    // A server that a failing test has not stopped must not keep the process alive.
    server.unref()
    await until(async () => server.exitCode !== null || isReady(data, server), Boolean, 60_000)
    if (server.exitCode === null) return
    if (++failures > STARTS) throw new Error(`PostgreSQL did not start: it ended with ${server.exitCode}`)
    await pause(START_AGAIN)
    await start()
  }
  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return
    server.ref()
    const ended = once(server, 'exit')
    if (signal === 'SIGKILL') endAll(signal)
    else server.kill(signal)
    await ended
  }
  const url = (schema: string) => `postgres://localhost/postgres?user=svc&host=${encodeURIComponent(dir)}&schema=${schema}`
  async function endClients() {
    const ended = [...clients]
    clients.clear()
    await Promise.all(ended.map((client) => client.end()))
  }

  await start()
  return {
    url,
    socket: join(dir, '.s.PGSQL.5432'),
    async client(schema) {
      const client = new pg.Client({ host: dir, user: 'svc', database: 'postgres' })
      client.on('error', () => {})
      await client.connect()
      if (schema !== undefined) await client.query(`SET search_path = "${schema}"`)
      clients.add(client)
      return client
    },
    kill: () => end('SIGKILL'),
    stopImmediately: () => end('SIGQUIT'),
    start,
    cpuMs: () => cpuOf(server.pid!),
    endClients,
    async stop() {
      await endClients()
      await end('SIGINT')
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Words in the status file of a server that answers queries; the second one is that of a standby. */
const READY = ['ready', 'standby']

/** Arguments of `initdb` besides the folder. Each test removes its cluster, so nothing is synced to the disk. */
const INITDB = ['-A', 'trust', '-U', 'svc', '-E', 'UTF8', '--locale=C', '--wal-segsize=1', '--no-sync', '--no-instructions']

/**
 * Creates the data folder of a new cluster. The first folder of a checkout is stored and then copied, because `initdb`
 * takes more than a second of CPU time.
 */
function createData({ dir, data, user }: ServerFolder): void {
  const version = basename(dirname(programs!))
  const args = createHash('sha256').update(INITDB.join(' ')).digest('hex').slice(0, 8)
  const name = `postgres-${version}-${user.uid ?? process.getuid?.()}-${args}`
  const kept = fileURLToPath(new URL(`node_modules/.cache/${name}/`, ROOT))
  if (!existsSync(kept)) {
    execFileSync(join(programs!, 'initdb'), ['-D', data, ...INITDB], { ...user, cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] })
    keep(data, kept)
  } else execFileSync('cp', ['-a', kept, data])
}

/**
 * Stores a copy of a new cluster for later tests. Several tests may do so at the same time, so the copy gets its name
 * only when it is complete. If it cannot be stored, nothing is thrown.
 */
function keep(data: string, kept: string): void {
  let draft: string | undefined
  try {
    mkdirSync(dirname(kept), { recursive: true })
    draft = mkdtempSync(`${kept.slice(0, -1)}-`)
    execFileSync('cp', ['-a', `${data}/.`, draft], { stdio: 'ignore' })
    renameSync(draft, kept)
  } catch {
    if (draft !== undefined) rmSync(draft, { recursive: true, force: true })
  }
}

/**
 * Whether the last line of the server's status file says that this server is ready. After a kill, the file may still
 * contain the process id of an earlier server.
 */
function isReady(data: string, server: ChildProcess): boolean {
  const file = join(data, 'postmaster.pid')
  if (!existsSync(file)) return false
  const lines = readFileSync(file, 'utf8').split('\n')
  return Number(lines[0]) === server.pid && READY.includes(lines[7]?.trim() ?? '')
}

/** Length of a clock tick in /proc, in ms: Linux counts 100 ticks per second there. */
const TICK_MS = 10

function cpuOf(pid: number): number {
  const statOf = (each: string) => {
    try {
      const stat = readFileSync(`/proc/${each}/stat`, 'utf8')
      return stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number)
    } catch {
      // The process has ended since it was listed.
      return undefined
    }
  }
  const own = statOf(String(pid))!
  let ticks = own[11]! + own[12]! + own[13]! + own[14]!
  for (const each of readdirSync('/proc')) {
    const stat = /^\d+$/.test(each) ? statOf(each) : undefined
    if (stat?.[1] === pid) ticks += stat[11]! + stat[12]!
  }
  return ticks * TICK_MS
}
