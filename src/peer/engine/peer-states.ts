/**
 * The states of instances of other services, from the lines of their streams. Produces the events that this service's own
 * listeners get. The state of an instance whose service is lost is unknown; it is reported as disconnected.
 */
import type { RuntimeState, Status } from '../../domain/instance.ts'
import type { EngineEvent } from '../../engine/engine.ts'
import type { EventLine } from './event-line.ts'

export interface PeerStates {
  take(peer: string, line: EventLine): EngineEvent[]
  /** The service with this id is lost, and may come back. */
  lose(peer: string): EngineEvent[]
  /** The service with this id has ended. */
  remove(peer: string): EngineEvent[]
}

/** Statuses of an instance without a session, which a lost service does not change. */
const WITHOUT_SESSION: ReadonlySet<Status> = new Set(['created', 'logged_out', 'banned', 'stopped'])

export function createPeerStates({ now, isHere }: { now(): number; isHere(instance: string): boolean }): PeerStates {
  const told = new Map<string, { peer: string; state: RuntimeState; text: string }>()

  function tell(peer: string, instance: string, state: RuntimeState): EngineEvent[] {
    const text = JSON.stringify(state)
    const before = told.get(instance)
    told.set(instance, { peer, state, text })
    return before?.text === text ? [] : [{ type: 'state', instance, state }]
  }

  function unknown(peer: string, instance: string): EngineEvent[] {
    const state = told.get(instance)!.state
    if (WITHOUT_SESSION.has(state.status) || state.status === 'disconnected') return []
    return tell(peer, instance, { ...state, status: 'disconnected', reason: 'engine_restart', disconnectedAt: now() })
  }

  const instancesOf = (peer: string) => [...told].flatMap(([instance, entry]) => (entry.peer === peer ? [instance] : []))

  /** Only the service that reported an instance last may say that it is gone. */
  function forget(peer: string, instance: string): EngineEvent[] {
    if (told.get(instance)?.peer !== peer) return []
    const events = isHere(instance) ? [] : unknown(peer, instance)
    told.delete(instance)
    return events
  }

  return {
    take(peer, { isFirst = false, states = [], gone = [], outcomes = [], events = [], files = [] }) {
      const present = new Set(states.map(([instance]) => instance))
      const missing = isFirst ? instancesOf(peer).filter((instance) => !present.has(instance)) : gone
      // Events may have been missed before the first line, so those who wait for them look again.
      const bells = isFirst ? { events: [...present], files: [...present] } : { events, files }
      const ofOthers = (instance: string) => !isHere(instance)
      return [
        ...missing.flatMap((instance) => forget(peer, instance)),
        ...states.flatMap(([instance, state]) => (isHere(instance) ? [] : tell(peer, instance, state))),
        ...outcomes.map(([svcId, outcome]): EngineEvent => ({ type: 'outcome', svcId, outcome })),
        ...bells.events.filter(ofOthers).map((instance): EngineEvent => ({ type: 'events', instance })),
        ...bells.files.filter(ofOthers).map((instance): EngineEvent => ({ type: 'files', instance })),
      ]
    },
    remove: (peer) => instancesOf(peer).flatMap((instance) => forget(peer, instance)),
    lose(peer) {
      const lost = instancesOf(peer).filter((instance) => !isHere(instance))
      return lost.flatMap((instance) => unknown(peer, instance))
    },
  }
}
