/**
 * The state that callers see. A session ends before the state that follows from it is on disk: by milliseconds, or for as long as the disk
 * takes no commits. Nobody is told that such an instance is connected.
 */
import type { Clock } from '../../../src/domain/clock.ts'
import type { RuntimeState } from '../../../src/domain/instance.ts'

/** `isOpen`: whether the running session can be used. */
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
