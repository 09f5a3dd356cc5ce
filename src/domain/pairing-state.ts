/** State of a pairing, as a shard answers it for the page of a connect link. */
import type { Status } from './instance.ts'

export interface PairingState {
  status: Status
  /** Whether an account is linked, connected or not. */
  paired: boolean
  /** Whether the owner has paused the instance, so that no session could show a code. */
  isPaused: boolean
  /** Whether the last pairing failed after the phone had accepted the code. */
  hasFailed: boolean
}
