/** Starts and stops instances of this service, and reports their states to the other services. */
import { SECOND } from '../../domain/clock.ts'
import type { Engine, EngineEvent } from '../../engine/engine.ts'
import type { PooledEngine } from '../../engine/pooled-engine.ts'
import type { EventBoard } from './event-board.ts'
import { afterLoss } from './peer-states.ts'
import type { UnderWay } from './under-way.ts'

export interface OwnInstancesDeps {
  local: Pick<PooledEngine, 'start' | 'stop' | 'shardOf'>
  board: Pick<EventBoard, 'started' | 'remove'>
  underWay: Pick<UnderWay, 'stop'>
  now(): number
  /**
   * Called when an instance with a session has left this service. This service shows the state of the event until
   * another service reports a newer one.
   */
  onLeft(event: EngineEvent): void
}

/**
 * Maximum time in ms that the calls under way for an instance get before it is stopped. An erasure does not wait for
 * them.
 */
export const CALLS_END_WITHIN = 3 * SECOND

export function createOwnInstances(deps: OwnInstancesDeps): Pick<Engine, 'start' | 'stop'> {
  const { local, board, underWay, now, onLeft } = deps

  function left(instance: string, isErased: boolean) {
    const last = board.remove(instance)
    const state = last && afterLoss(last, now())
    if (state !== undefined && !isErased) onLeft({ type: 'state', instance, state })
  }

  return {
    async start(config, how) {
      const state = await local.start(config, how)
      board.started(config.id, state)
      return state
    },
    async stop(instance, how) {
      const isErased = how === 'erase'
      const stopNow = () => local.stop(instance, how)
      try {
        await (isErased ? stopNow() : underWay.stop(instance, CALLS_END_WITHIN, stopNow))
      } finally {
        // An instance that could not be stopped still runs in this service.
        if (isErased || local.shardOf(instance) === undefined) left(instance, isErased)
      }
    },
  }
}
