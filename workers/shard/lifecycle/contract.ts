/** Types of an instance's status: its events, effects and stored state. The transitions are in `table.ts`. */
import type { RuntimeState } from '../../../src/domain/instance.ts'
import type { ConnectionEvent } from '../connection/contract.ts'

/** State of the current run only; a new process starts with `FRESH_RUN`. */
export interface Run {
  /** Sockets opened since the network last accepted a login; decides the next delay. */
  attempt: number
  /** Failures in a row, per kind that has an end (rows 5, 17, 18): without a login, and for `badSessions` without an open. */
  failedStarts: number
  badSessions: number
  outdated: number
  /** Restarts (515) that the network asked for without an open in between, which are followed at once (row 7). */
  restarts: number
  /** Paired in this run and not open yet: a 401 now means that the pairing failed (row 9). */
  firstLogin: boolean
}

export const FRESH_RUN: Run = { attempt: 0, failedStarts: 0, badSessions: 0, outdated: 0, restarts: 0, firstLogin: false }

export interface Lifecycle {
  state: RuntimeState
  run: Run
}

export type LifecycleEvent =
  | ConnectionEvent
  | { type: 'created' }
  | { type: 'booted' }
  | { type: 'restartRequested' }
  | { type: 'qrRequested' }
  | { type: 'disconnectRequested' }
  /** The device goes on in another program, and the operator has called that off. */
  | { type: 'moveRequested' }
  | { type: 'resumeRequested' }
  | { type: 'timer'; name: TimerName }

/**
 * `retry`: next attempt. `pairing`: no 515 after the scan. `qrIdle`: the QR is not read. `passkey`: a stage of the passkey ceremony has timed out.
 * `ban`: end of a temporary ban.
 */
export type TimerName = 'retry' | 'pairing' | 'qrIdle' | 'passkey' | 'ban'

export type Effect =
  /** Start a session. `fresh`: with new credentials, whatever was saved. */
  | { do: 'open'; fresh: boolean }
  /** End the socket without logging out. */
  | { do: 'close' }
  /** Ask the network to remove this device, wait for the close, end the socket. */
  | { do: 'logout' }
  | { do: 'eraseCredentials' }
  | { do: 'refreshVersion' }
  /** Sets the named timer anew. A change of status clears all of them, `close` clears `retry`, `pairing` and `passkey`, `open` clears `retry`. */
  | { do: 'timer'; name: TimerName; delayMs: number }

export interface Move {
  /** Row of `states.md`, for logs and tests. */
  row: string
  next: Lifecycle
  effects: Effect[]
}

/** Inputs of the rules from outside: the time, and a number in [0, 1). */
export interface Chance {
  now: number
  random: number
}
