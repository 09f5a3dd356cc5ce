/** Starts a separate Redis on a Unix socket in a temporary folder. It ends with the test's process. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installed, missing } from './samples.ts'
import { until } from './until.ts'

const run = promisify(execFile)

export const redisMissing: string | false = missing('redis-server') || missing('redis-cli')

export interface Redis {
  socket: string
  stop(): Promise<void>
}

export async function startRedis(): Promise<Redis> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-redis-'))
  const socket = join(dir, 'redis.sock')
  const args = ['--port', '0', '--unixsocket', socket, '--dir', dir, '--save', '', '--appendonly', 'no']
  const child = spawn(installed('redis-server')!, args, { stdio: 'ignore' })
  const kill = () => child.kill('SIGKILL')
  process.on('exit', kill)
  const ended = once(child, 'exit')
  const answers = () =>
    run(installed('redis-cli')!, ['-s', socket, 'ping']).then(
      ({ stdout }) => stdout.startsWith('PONG'),
      () => false,
    )
  await until(async () => child.exitCode !== null || (await answers()), Boolean, 20_000)
  if (child.exitCode !== null) throw new Error(`Redis ended with ${child.exitCode}`)
  return {
    socket,
    async stop() {
      child.kill('SIGTERM')
      await ended
      process.off('exit', kill)
      await rm(dir, { recursive: true, force: true })
    },
  }
}
