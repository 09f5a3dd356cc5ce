/** Runs HAProxy with the configuration of `deploy/`, in front of services at other addresses. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../faults/ground.ts'
import { textOf } from './deploy-files.ts'
import { installed, missing } from './samples.ts'
import { untilListening } from './until-listening.ts'

export const HAPROXY_CONFIG = 'deploy/haproxy.cfg'
export const noHaproxy: string | false = missing('haproxy')

export interface Haproxy {
  url: string
  stop(): Promise<void>
}

/** Starts HAProxy. `at`: the address (`host:port`) of each service that the configuration names. */
export async function startHaproxy(at: ReadonlyMap<string, string>): Promise<Haproxy> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-haproxy-'))
  const port = await freePort()
  const listening = textOf(HAPROXY_CONFIG)
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    // These options make Docker resolve the names of the services. There is no Docker here, so they are removed.
    .replace('resolvers docker init-addr libc,none', '')
  const config = join(dir, 'haproxy.cfg')
  await writeFile(
    config,
    [...at].reduce((text, [name, address]) => text.replace(`${name}:8080`, address), listening),
  )
  const child = spawn(installed('haproxy')!, ['-db', '-f', config], { stdio: 'ignore' })
  const kill = () => child.kill('SIGKILL')
  process.on('exit', kill)
  await untilListening(port, child)
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const ended = once(child, 'exit')
      kill()
      await ended
      process.off('exit', kill)
      await rm(dir, { recursive: true, force: true })
    },
  }
}
