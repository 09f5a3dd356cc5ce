/** Servers of the databases that other gateways use: a private PostgreSQL and a private Redis, each on a socket in a temporary folder. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installed, missing } from './samples.ts'
import { until } from './until.ts'

const run = promisify(execFile)

/** Debian installs each version of PostgreSQL in a folder of its own, which is not in the `PATH`. */
const VERSIONS = '/usr/lib/postgresql'
const folders = existsSync(VERSIONS) ? readdirSync(VERSIONS).map((version) => join(VERSIONS, version, 'bin')) : []
const serverFolder = folders.find((folder) => existsSync(join(folder, 'initdb')))

export const postgresMissing: string | false =
  serverFolder === undefined ? `the server of PostgreSQL is not installed: there is no ${VERSIONS}/*/bin/initdb` : missing('psql')
export const redisMissing: string | false = missing('redis-server') || missing('redis-cli')

export interface DatabaseServer {
  /** For PostgreSQL: URL for `psql`. For Redis: path of the socket. */
  address: string
  stop(): Promise<void>
}

/** PostgreSQL refuses to run as root, so it runs as `nobody` then. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const [, , uid, gid] = /^nobody:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))![0].split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

async function started(
  dir: string,
  address: string,
  child: ChildProcess,
  isReady: () => Promise<boolean>,
): Promise<DatabaseServer> {
  const kill = () => child.kill('SIGKILL')
  process.on('exit', kill)
  const ended = once(child, 'exit')
  await until(async () => child.exitCode !== null || (await isReady()), Boolean, 20_000)
  if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`)
  return {
    address,
    async stop() {
      child.kill('SIGINT')
      await ended
      process.off('exit', kill)
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export async function startPostgres(): Promise<DatabaseServer> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-pg-'))
  const data = join(dir, 'data')
  const user = unprivileged()
  if (user.uid !== undefined) await chown(dir, user.uid, user.gid!)
  const initdb = ['-D', data, '-A', 'trust', '-U', 'svc', '-E', 'UTF8', '--locale=C', '--wal-segsize=1', '--no-sync']
  await run(join(serverFolder!, 'initdb'), initdb, { ...user, cwd: dir })
  const settings = { listen_addresses: '', unix_socket_directories: dir, fsync: 'off', shared_buffers: '8MB' }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(join(serverFolder!, 'postgres'), ['-D', data, ...args], { ...user, cwd: dir, stdio: 'ignore' })
  // The last line of this file is the state of the server.
  const isReady = async () => /^ready\s*$/m.test(await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => ''))
  return started(dir, `postgres:///postgres?user=svc&host=${encodeURIComponent(dir)}`, child, isReady)
}

export async function startRedis(): Promise<DatabaseServer> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-redis-'))
  const socket = join(dir, 'redis.sock')
  const args = ['--port', '0', '--unixsocket', socket, '--dir', dir, '--save', '', '--appendonly', 'no']
  const child = spawn(installed('redis-server')!, args, { stdio: 'ignore' })
  const isReady = () =>
    run(installed('redis-cli')!, ['-s', socket, 'ping']).then(
      ({ stdout }) => stdout.startsWith('PONG'),
      () => false,
    )
  return started(dir, socket, child, isReady)
}
