/**
 * The library's listeners are async functions on an EventEmitter, so their errors become unhandled rejections, which end the process. In the worst
 * case a frame cannot be decrypted (Socket/socket.js, onMessageReceived): the connection stalls, because the counters of both sides then differ, and
 * no close event follows.
 *
 * `guardListeners` catches the errors at their socket; `surviveRejections` catches the remaining errors of the thread. Only the error of a trapped
 * WebAssembly module (`trap.ts`) is caught by neither and ends the thread.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { WASocket } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import { escalateTrap, isTrap } from './trap.ts'

export interface StrayErrors {
  /** Called when a frame could not be decrypted or processed. The socket must be ended, because it receives nothing further. */
  onStalled(error: Error): void
  /**
   * Called when another listener failed; the connection itself still works. Most of these errors are "Connection Closed", thrown while the connection
   * closes.
   */
  onStray(error: Error, event: string): void
}

/** Catches errors of the library's listeners. Must be called right after the socket is created, before any listener of ours. */
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

/** Runs work for an owner (an instance id). If an error of this work reaches the thread's handlers, it is reported with the owner. */
export const runAs = <T>(owner: string, work: () => T): T => owners.run(owner, work)

export interface ThreadError {
  kind: 'rejection' | 'exception'
  error: Error
  /** Instance that caused the error, if known. */
  owner: string | undefined
}

/**
 * Delay in ms before the thread ends after a trap, so that the refusal of the message that caused it is sent first. Otherwise the network would
 * deliver that message to every following thread run. The library waits 250 ms before it requests a retry.
 */
const TRAP_GRACE = SECOND

/** Keeps unhandled errors of the library from ending the thread, except for a trap. Returns a function that removes the handlers. */
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

/**
 * Converts a thrown value to an Error: the library also rejects with other values. A query that is pending at a
 * disconnection gets the close code.
 */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(`Connection Closed (${String(thrown)})`, { cause: thrown })
