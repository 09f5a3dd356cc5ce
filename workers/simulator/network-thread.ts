import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { FromNetwork, SandboxNetworkOptions, SandboxNetworkReady } from './main.ts'

export interface NetworkThread extends SandboxNetworkReady {
  /** Resolves when the thread has ended; rejects with the error that ended it. */
  ended: Promise<void>
  stop(): Promise<void>
}

const IS_SOURCE = extname(new URL(import.meta.url).pathname) === '.ts'

/** Time in ms for the network to write its state and close; afterwards the thread is terminated. */
const STOP_DEADLINE = 5000

/**
 * Runs the sandbox network in a thread of its own: the library has one trust root per thread, and the cryptography of simulated people must not slow
 * the gateway. It runs as source if this module does, otherwise as the bundle that `scripts/threads.mjs` makes.
 */
export async function startNetworkThread(
  options: SandboxNetworkOptions = {},
  warn: (sentence: string) => void = () => undefined,
): Promise<NetworkThread> {
  const main = new URL(IS_SOURCE ? './main.ts' : './main.bundle.js', import.meta.url)
  const worker = new Worker(main, { workerData: { sandboxNetwork: options }, name: 'sandbox-network', ...hooks() })
  const ended = new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => resolve())
  })
  const ready = new Promise<SandboxNetworkReady>((resolve, reject) => {
    worker.on('message', (message: FromNetwork) => ('ready' in message ? resolve(message.ready) : warn(message.warning)))
    const early = () => reject(new Error('the sandbox network ended before it was ready'))
    ended.then(early, reject)
  })
  const data = await ready
  // A separate promise: the one above already has a rejection handler, so a later failure of it would not be noticed.
  return { ...data, ended: ended.then(() => undefined), stop: () => stop(worker, ended) }
}

/**
 * Node 20 gives a new thread no module hooks, and `--import tsx` registers them in the main thread only: as source, the thread registers them itself
 * before its main module. A compiled thread inherits the flags of the process; passing them explicitly fails on Node 24, which refuses flags that
 * only a process may have.
 */
function hooks(): { execArgv?: string[] } {
  if (!IS_SOURCE) return {}
  const register = `import { register } from '${import.meta.resolve('tsx/esm/api')}'; register()`
  return { execArgv: ['--import', `data:text/javascript,${encodeURIComponent(register)}`] }
}

async function stop(worker: Worker, ended: Promise<void>): Promise<void> {
  worker.postMessage({ stop: true })
  const deadline = setTimeout(() => void worker.terminate(), STOP_DEADLINE)
  try {
    await ended
  } finally {
    clearTimeout(deadline)
  }
}
