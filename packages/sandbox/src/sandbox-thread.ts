import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { FromNetwork } from './main.ts'
import type { SandboxNetworkOptions, SandboxNetworkReady } from './sandbox-start.ts'

export type { SandboxNetworkOptions, SandboxNetworkReady }

export interface SandboxThread extends SandboxNetworkReady {
  /** Resolves when the thread has ended; rejects with the error that ended it. */
  ended: Promise<void>
  stop(): Promise<void>
}

const IS_SOURCE = extname(new URL(import.meta.url).pathname) === '.ts'

/** Time in ms in which the network must write its state and close. After this time, the thread is terminated. */
const STOP_DEADLINE = 5000

/**
 * Runs the network in its own thread, so that the encryption of simulated people does not slow down the thread of the
 * caller. Programs control it through the control API. This module loads no code of the network. If it runs as source,
 * the thread runs as source, too; if not, the thread runs a bundle.
 *
 * @param warn called with sentences for a person; by default they are dropped
 */
export async function startSandboxThread(
  options: SandboxNetworkOptions = {},
  warn: (sentence: string) => void = () => undefined,
): Promise<SandboxThread> {
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
  // Callers get a new promise without a handler, so that they notice a later error of the thread. `ended` already has a
  // handler, so Node would not report its rejection.
  return { ...data, ended: ended.then(() => undefined), stop: () => stop(worker, ended) }
}

/**
 * Returns the options with which a thread can load TypeScript source. On Node 20 a new thread has no module hooks,
 * because `--import tsx` registers them only in the main thread. So the thread registers them before its main module. A
 * compiled thread needs no options: it inherits the flags of the process. Node 24 even refuses process-only flags for a
 * thread.
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
