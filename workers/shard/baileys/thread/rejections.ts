/**
 * The library's listeners are async functions on an EventEmitter, so what they throw becomes an unhandled rejection, which ends the process. The
 * worst case: a frame that cannot be opened (Socket/socket.js, onMessageReceived) stalls the connection, because the counters of both sides differ
 * from then on, and no close event comes.
 *
 * `guardListeners` catches them at the socket they belong to; `surviveRejections` is the net below for the thread. Only a trapped WebAssembly module
 * (`trap.ts`) goes through both: the thread ends.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { WASocket } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import { escalateTrap, isTrap } from './trap.ts'

export interface StrayErrors {
  /** A frame could not be opened or handled. The socket must be ended: it receives nothing any more. */
  onStalled(error: Error): void
  /** Another listener failed; the connection itself is well. Mostly "Connection Closed" while it goes down. */
  onStray(error: Error, event: string): void
}

/** Call right after the socket was made, before any listener of ours. */
export function guardListeners(sock: Pick<WASocket, 'ws'>, { onStalled, onStray }: StrayErrors): void {
  const { ws } = sock
  for (const event of ws.eventNames()) {
    const listeners = ws.rawListeners(event)
    ws.removeAllListeners(event)
    for (const listener of listeners) {
      ws.on(event, (...args: unknown[]) => {
        const running: unknown = Reflect.apply(listener, ws, args)
        if (!(running instanceof Promise)) return
        running.catch((thrown) => {
          const error = asError(thrown)
          escalateTrap(error)
          if (event === 'message') onStalled(error)
          else onStray(error, String(event))
        })
      })
    }
  }
}

const owners = new AsyncLocalStorage<string>()

/** Work started inside belongs to this owner (an instance id), for errors that reach the thread's handlers. */
export const runAs = <T>(owner: string, work: () => T): T => owners.run(owner, work)

export interface ThreadError {
  kind: 'rejection' | 'exception'
  error: Error
  /** The instance it came from, where known. */
  owner: string | undefined
}

/**
 * After a trap: the refusal of the message that caused it is sent first, or the network would deliver that message to the next thread run, and to the
 * one after that. The library pauses 250 ms before it asks for a retry.
 */
const TRAP_GRACE = SECOND

/** Nothing that the library leaves unhandled ends the thread, except a trap. Returns what takes the net away. */
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

/** The library rejects with bare values too: a query pending at a cut gets the close code. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(`Connection Closed (${String(thrown)})`, { cause: thrown })
