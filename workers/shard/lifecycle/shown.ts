/**
 * Computes the state that callers see. After the end of a session it takes some time until the new state is on disk;
 * the instance must not be shown as connected then.
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
