import type { Status } from './instance.ts'

export interface PairingState {
  status: Status
  paired: boolean
  /** True if the owner has paused the instance, so that no session could show a code. */
  isPaused: boolean
  hasFailed: boolean
}
