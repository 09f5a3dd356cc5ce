/**
 * Computes the state that callers see. After the end of a session, the instance must not be shown as connected while
 * the new state is still being written.
 */
import type { Clock } from '../../../src/domain/clock.ts'
import type { RuntimeState } from '../../../src/domain/instance.ts'

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
