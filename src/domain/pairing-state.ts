import type { Status } from './instance.ts'

export interface PairingState {
  status: Status
  paired: boolean
  /** True if the owner has paused the instance, so no session can show a code now. */
  isPaused: boolean
  hasFailed: boolean
}
