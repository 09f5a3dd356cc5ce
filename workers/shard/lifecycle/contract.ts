/** Types of an instance's status: its events, effects and stored state. The transitions are in `table.ts`. */
import type { RuntimeState } from '../../../src/domain/instance.ts'
import type { ConnectionEvent } from '../connection/contract.ts'

/** State that belongs to the current run of the process only; a new process begins with `FRESH_RUN`. */
export interface Run {
  /** Number of sockets that were opened since the network last accepted a login. The delay before the next attempt depends on it. */
  attempt: number
  /**
   * Numbers of consecutive failures, one for each kind of failure that has a limit. When the network accepts a login, `failedStarts` and `outdated`
   * become 0. `badSessions` becomes 0 only when the session opens.
   */
  failedStarts: number
  badSessions: number
  outdated: number
  /** Number of restarts (515) that the network has requested since a session was last open; they are carried out immediately. */
  restarts: number
  /**
   * Number of times that another session of the device has replaced the session of this service, after this service took over from another one (row
   * 19). It is not reset when a session opens.
   */
  replaced: number
  /** True from the pairing until the session first opens in this run. During this time, a 401 means that the pairing failed. */
  firstLogin: boolean
}

export const FRESH_RUN: Run = {
  attempt: 0,
  failedStarts: 0,
  badSessions: 0,
  outdated: 0,
  restarts: 0,
  replaced: 0,
  firstLogin: false,
}

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
  /** The instance stays stopped until `resumeRequested`. */
  | { type: 'pauseRequested' }
  /** Another program uses the device from now on, until `resumeRequested`. */
  | { type: 'moveRequested' }
  | { type: 'resumeRequested' }
  | { type: 'timer'; name: TimerName }

/**
 * Names of the timers, and what happens when a timer fires. `retry`: the next connection attempt begins. `pairing`: the pairing has failed, because
 * the session did not open in time after the phone had accepted this device (normally the network then ends the connection with 515, and the service
 * logs in again). `qrIdle`: the session ends, because nobody has requested its QR code. `passkey`: the pairing has failed, because a stage of the
 * passkey ceremony took too long. `ban`: a temporary ban is over, and the instance logs in.
 */
export type TimerName = 'retry' | 'pairing' | 'qrIdle' | 'passkey' | 'ban'

export type Effect =
  /** Starts a session. `fresh`: with new credentials, even if others are saved. */
  | { do: 'open'; fresh: boolean }
  /** Ends the socket without logging out. */
  | { do: 'close' }
  /** Asks the network to remove this device, waits until the network closes the connection, and ends the socket. */
  | { do: 'logout' }
  | { do: 'eraseCredentials' }
  | { do: 'refreshVersion' }
  /**
   * Sets the named timer again. Other effects clear timers: a change of status clears all, `close` clears `retry`, `pairing` and `passkey`, and
   * `open` clears `retry`.
   */
  | { do: 'timer'; name: TimerName; delayMs: number }

export interface Move {
  /** Number of the row in the state table, for logs and tests. */
  row: string
  next: Lifecycle
  effects: Effect[]
}

/** Inputs of the rules besides state and event: the time, and a random number in [0, 1). */
export interface Chance {
  now: number
  random: number
  /** Whether the previous service on this store did not shut down in order, so that it may still be running somewhere. */
  hasTakenOver: boolean
}
