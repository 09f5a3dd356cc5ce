/**
 * Parses the reach-out lock, with which the network forbids an account to write to new people. The time is epoch
 * seconds as text.
 */
import { object } from './json.ts'

export interface ReachOutLock {
  isActive: boolean
  /** End of the lock in epoch seconds; null if it is absent or unreadable. */
  endsAtSeconds: number | null
}

export function reachOutLock(said: unknown): ReachOutLock {
  const { is_active, time_enforcement_ends } = object(said)
  return { isActive: Boolean(is_active), endsAtSeconds: Number(time_enforcement_ends) || null }
}
