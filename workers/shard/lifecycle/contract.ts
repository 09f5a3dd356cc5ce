import type { RuntimeState } from '../../../src/domain/instance.ts'
import type { ConnectionEvent } from '../connection/contract.ts'

export interface Run {
  /**
   * Number of connections in a row that failed or ended. The delay before the next attempt grows with it. An accepted
   * login resets it, and so does each QR code after the first one.
   */
  attempt: number
  /**
   * Consecutive failures of each kind that has a limit. An accepted login resets `failedStarts` and `outdated`, but not
   * `badSessions`.
   */
  failedStarts: number
  badSessions: number
  outdated: number
  /** Number of restarts (515) that were carried out at the network's request since a session was last open. */
  restarts: number
  /**
   * How often another session of the device has replaced ours after a takeover. It is not reset when a session opens.
   */
  replaced: number
  /** Whether the first session after the pairing is not open yet. Until then, a 401 means that the pairing failed. */
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
  /** The connect link with which the pairing began has ended. */
  | { type: 'pairingEndRequested' }
  | { type: 'pauseRequested' }
  /** Another program uses the device from now on, until `resumeRequested`. */
  | { type: 'moveRequested' }
  | { type: 'resumeRequested' }
  | { type: 'timer'; name: TimerName }

/**
 * Names of the timers:
 * - `retry`: the next connection attempt begins
 * - `pairing`: the session did not open in time after the phone had accepted this device
 * - `qrIdle`: nobody has requested the QR code, so the session ends
 * - `passkey`: a stage of the passkey ceremony took too long
 * - `ban`: a temporary ban is over, and the instance logs in
 */
export type TimerName = 'retry' | 'pairing' | 'qrIdle' | 'passkey' | 'ban'

export type Effect =
  /** `fresh`: starts with new credentials, even if others are saved. */
  | { do: 'open'; fresh: boolean }
  | { do: 'close' }
  /** Unlinks this device, and ends the socket. */
  | { do: 'logout' }
  | { do: 'eraseCredentials' }
  | { do: 'refreshVersion' }
  /** The network was reached after a failed attempt. Other instances that wait for their next attempt begin it. */
  | { do: 'networkReached' }
  /**
   * Sets the timer; an earlier timer with this name is cleared. A change of status clears all timers; `close` clears
   * `retry`, `pairing` and `passkey`; `open` clears `retry`.
   */
  | { do: 'timer'; name: TimerName; delayMs: number }

export interface Move {
  row: string
  next: Lifecycle
  effects: Effect[]
}

export interface Chance {
  now: number
  random: number
  /** Whether the service that had the instance before counts as failed. It may still be running somewhere. */
  isTakenOver: boolean
}
