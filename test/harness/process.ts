/** Runs the service and the network as separate processes, for tests that kill them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { START } from './checkout.ts'
import { WITHOUT_FFMPEG } from './place.ts'
import { loggingEnv, noteSecrets } from './secrets.ts'

export interface Printed {
  base_url: string | null
  sandbox_url: string | null
  admin_key: string | null
  network: { url: string | null; root: string | null; root_serial: number | null; ca: string | null; media_host: string | null }
}

export interface Running {
  printed: Printed
  child: ChildProcess
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** Sends SIGKILL. The process runs no code after this. */
  kill(): Promise<void>
  /** Sends SIGTERM, as a service manager does. */
  stop(): Promise<void>
}

/**
 * All running child processes. They are killed at the end of the test's process, in case a failing test did not stop
 * them.
 */
const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** Time limit of a start in ms. On a busy machine, a successful start may take more than half a minute. */
const START_DEADLINE = 120_000

/** Runs a program. `args`: node's arguments, including the program. */
export async function run(
  flags: string[],
  env: Record<string, string>,
  args: readonly string[] = START,
  deadlineMs = START_DEADLINE,
): Promise<Running> {
  const child = spawn(process.execPath, [...args, '--json', ...flags], {
    // If the test sets a log level, it reads the log itself, so the log is not redirected to the folder of logs.
    env: {
      ...process.env,
      ...(args === START ? WITHOUT_FFMPEG : {}),
      ...(env.SVC_LOG_LEVEL === undefined ? loggingEnv() : {}),
      ...env,
    },
    stdio: ['ignore', 'pipe', process.env.SVC_LOG_LEVEL ? 'inherit' : 'pipe'],
  })
  children.add(child)
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('exit', (code, signal) => {
      children.delete(child)
      resolve({ code, signal })
    })
  })
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-4_000)
  })
  const printed = await new Promise<Printed>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not started within ${deadlineMs} ms: ${errors}`)), deadlineMs)
    let out = ''
    child.stdout!.on('data', (chunk: Buffer) => {
      out += chunk.toString()
      const end = out.indexOf('\n')
      if (end < 0) return
      clearTimeout(timer)
      noteSecrets(out)
      resolve(JSON.parse(out.slice(0, end)) as Printed)
    })
    ended.then(({ code, signal }) => {
      clearTimeout(timer)
      reject(new Error(`ended with ${code ?? signal} before it was up: ${errors}`))
    })
  })
  return {
    printed,
    child,
    ended,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Returns the environment variables with which a service uses a network that was started with `--network-only`. */
export const networkEnv = ({ network }: Printed): Record<string, string> => ({
  SVC_NETWORK_URL: network.url!,
  SVC_NETWORK_ROOT: network.root!,
  SVC_NETWORK_CA: network.ca!,
  SVC_NETWORK_MEDIA_HOST: network.media_host!,
  SVC_EGRESS_ALLOW: '127.0.0.0/8',
})
