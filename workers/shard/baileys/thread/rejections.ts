/**
 * Keeps the thread alive after an error that nobody handles, because many instances run in the thread. Only the error
 * of a trapped WebAssembly module ends it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { SECOND } from '../../../../src/domain/clock.ts'
import { isTrap } from './trap.ts'

const owners = new AsyncLocalStorage<string>()

let underWay = 0

/**
 * Runs a task whose errors are reported with its owner (an instance id). Below Node 24 an AsyncLocalStorage in use
 * makes every promise slower, so it is disabled while no task runs.
 */
export function runAs<T>(owner: string, work: () => T): T {
  underWay++
  const result = owners.run(owner, work)
  // A task that returns no promise may have started something that continues for an unknown time, so it counts as
  // running forever.
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
 * Delay in ms before the thread ends after a trap. In this time the message that caused the trap is refused; otherwise
 * the network would deliver it to the next thread.
 */
const TRAP_GRACE = SECOND

/**
 * Reports the unhandled errors of the thread, and ends the thread after a trap. Returns a function that removes the
 * handlers.
 */
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

/** Converts a thrown value to an Error. The WebAssembly module, for example, throws texts. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown })
