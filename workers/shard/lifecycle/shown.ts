/**
 * Computes the state that callers see. When a session ends, it takes some milliseconds until the resulting state is on disk, or longer if the disk
 * refuses commits. In this time the instance must not be shown as connected.
 */
import type { Clock } from '../../../src/domain/clock.ts'
import type { RuntimeState } from '../../../src/domain/instance.ts'

/** Returns a function that converts the state. `isOpen`: whether the running session can be used. */
export function shownState(clock: Clock, isOpen: () => boolean): (state: RuntimeState) => RuntimeState {
  let endedAt: number | null = null

  return (state) => {
    if (state.status !== 'connected' || isOpen()) {
      endedAt = null
      return state
    }
    endedAt ??= clock.now()
    return { ...state, status: 'disconnected', reason: 'connection_lost', disconnectedAt: endedAt }
  }
}
