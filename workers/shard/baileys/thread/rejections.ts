/**
 * Keeps errors that no code handles from ending the process. There are such errors because the library starts functions without waiting for them, and
 * their promises can reject. Only the error of a trapped WebAssembly module (`trap.ts`) ends the thread.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { SECOND } from '../../../../src/domain/clock.ts'
import { isTrap } from './trap.ts'

const owners = new AsyncLocalStorage<string>()

/** Number of running tasks that have an owner. */
let underWay = 0

/**
 * Runs a task for an owner (an instance id). If an error of this task reaches the thread's handlers, it is reported with the owner. Below Node 24 an
 * AsyncLocalStorage in use makes every promise of the thread slower, so it is disabled while no such task runs.
 */
export function runAs<T>(owner: string, work: () => T): T {
  underWay++
  const result = owners.run(owner, work)
  // A task that returns no promise may have started something that continues for an unknown time, so it is counted as running forever.
  if (result instanceof Promise) result.then(ended, ended)
  return result
}

function ended() {
  if (--underWay === 0) owners.disable()
}

export interface ThreadError {
  kind: 'rejection' | 'exception'
  error: Error
  /** Instance that caused the error, if known. */
  owner: string | undefined
}

/**
 * Delay in ms before the thread ends after a trap. In this time the message that caused the trap is refused, and a retry is requested. Otherwise the
 * network would deliver that message to every following thread run. The library waits 250 ms before it requests a retry.
 */
const TRAP_GRACE = SECOND

/** Keeps unhandled errors of the library from ending the thread. A trap still ends it. Returns a function that removes the handlers. */
export function surviveRejections(report: (stray: ThreadError) => void): () => void {
  let isTrapped = false

  function take(kind: ThreadError['kind'], thrown: unknown) {
    report({ kind, error: asError(thrown), owner: owners.getStore() })
    if (!isTrap(thrown) || isTrapped) return
    isTrapped = true
    setTimeout(() => process.exit(1), TRAP_GRACE)
  }

  const onRejection = (thrown: unknown) => take('rejection', thrown)
  const onException = (thrown: unknown) => take('exception', thrown)
  process.on('unhandledRejection', onRejection)
  process.on('uncaughtException', onException)
  return () => {
    process.off('unhandledRejection', onRejection)
    process.off('uncaughtException', onException)
  }
}

/** Converts a thrown value to an Error: the library and the WebAssembly module also throw other values, such as texts. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown })
