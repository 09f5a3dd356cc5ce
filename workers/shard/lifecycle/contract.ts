/** The words of an instance's status: what happens to it, what is then to be done, what is remembered. The moves are in `table.ts`. */
import type { Restriction, RuntimeState } from '../../../src/domain/instance.ts'

/** What is remembered of the current run only; a new process starts with `FRESH_RUN`. */
export interface Run {
  /** Sockets opened since the last successful login; decides the next delay. */
  attempt: number
  /** Failures in a row without an open, per kind that has an end (rows 5, 17, 18). */
  failedStarts: number
  badSessions: number
  outdated: number
  /** Paired in this run and not open yet: a 401 now means that the pairing failed (row 9). */
  firstLogin: boolean
}

export const FRESH_RUN: Run = { attempt: 0, failedStarts: 0, badSessions: 0, outdated: 0, firstLogin: false }

export interface Lifecycle {
  state: RuntimeState
  run: Run
}

export type LifecycleEvent =
  | { type: 'created' }
  | { type: 'booted' }
  | { type: 'socketOpened' }
  | { type: 'qrShown' }
  /** The phone accepted the code; credentials are saved. */
  | { type: 'paired'; phone: string | null; platform: string | null }
  | { type: 'opened'; phone: string | null; profileName: string | null; platform: string | null }
  /** The person changed the name, or the phone told it for the first time. */
  | { type: 'nameChanged'; profileName: string }
  | { type: 'restrictionChanged'; restriction: Restriction | null }
  /** `code`: `lastDisconnect.error.output.statusCode`, null when there is none. `expireSeconds`: of a 402. */
  | { type: 'closed'; code: number | null; message: string; expireSeconds: number | null }
  /** The proxy refused, no handshake within 20 s, HTTP error in place of the upgrade, or the store could not be read. */
  | { type: 'startFailed'; cause: 'proxy' | 'handshake' | 'store' }
  | { type: 'restartRequested' }
  | { type: 'qrRequested' }
  | { type: 'disconnectRequested' }
  /** The network asks for a passkey, which no linked device of ours can give. */
  | { type: 'passkeyRequested' }
  | { type: 'timer'; name: TimerName }

/** `retry`: next attempt. `pairing`: no 515 after the scan. `qrIdle`: nobody reads the QR. `ban`: end of a temporary ban. */
export type TimerName = 'retry' | 'pairing' | 'qrIdle' | 'ban'

export type Effect =
  /** Start a session. `fresh`: with new credentials, whatever was saved. */
  | { do: 'open'; fresh: boolean }
  /** End the socket without logging out. */
  | { do: 'close' }
  /** Tell the network to remove this device, wait for the close, end the socket. */
  | { do: 'logout' }
  | { do: 'eraseCredentials' }
  | { do: 'refreshVersion' }
  /** Sets the named timer anew. A change of status clears all of them, `close` clears `retry` and `pairing`, `open` clears `retry`. */
  | { do: 'timer'; name: TimerName; delayMs: number }

export interface Move {
  /** Row of `states.md`, for logs and tests. */
  row: string
  next: Lifecycle
  effects: Effect[]
}

/** What the rules need from outside: the time, and a number in [0, 1). */
export interface Chance {
  now: number
  random: number
}
