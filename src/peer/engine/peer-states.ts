/**
 * Keeps the states of instances of other services, which come in the lines of their streams, and returns the events for
 * this service's own listeners. The state of an instance whose service is lost is unknown, so it is reported as
 * disconnected.
 */
import type { RuntimeState, Status } from '../../domain/instance.ts'
import type { EngineEvent } from '../../engine/engine.ts'
import type { EventLine } from './event-line.ts'

export interface PeerStates {
  take(peer: string, line: EventLine): EngineEvent[]
  /** Must be called when the service with this id is lost; it may return. */
  lose(peer: string): EngineEvent[]
  /** Must be called when the service with this id has ended. */
  remove(peer: string): EngineEvent[]
  /**
   * The state that was reported last. Undefined for an instance of this service, and for one that nobody has reported.
   */
  stateOf(instance: string): RuntimeState | undefined
}

export interface PeerStatesDeps {
  now(): number
  /** Returns `here`, or the id of the service that has the instance. Undefined if this is not known. */
  homeOf(instance: string): string | undefined
}

const HERE = 'here'
/** Statuses of an instance without a session, which a lost service does not change. */
const WITHOUT_SESSION: ReadonlySet<Status> = new Set(['created', 'logged_out', 'banned', 'stopped'])

/**
 * Returns the state of an instance after its service was lost. Undefined if the instance has no session that could have
 * ended.
 */
export const afterLoss = (state: RuntimeState, now: number): RuntimeState | undefined =>
  WITHOUT_SESSION.has(state.status) || state.status === 'disconnected'
    ? undefined
    : { ...state, status: 'disconnected', reason: 'engine_restart', disconnectedAt: now }

interface Told {
  peer: string
  state: RuntimeState
  text: string
}

export function createPeerStates({ now, homeOf }: PeerStatesDeps): PeerStates {
  /**
   * The last states that each service has sent, by the id of the service. While an instance moves, two services may
   * have sent a state of it.
   */
  const sent = new Map<string, Map<string, RuntimeState>>()
  const told = new Map<string, Told>()
  /**
   * Instances whose state comes from several services, or from a service that is not the known home, because the
   * instances are moving. They are checked with each line.
   */
  const unsettled = new Set<string>()

  const isHere = (instance: string) => homeOf(instance) === HERE

  function tell(peer: string, instance: string, state: RuntimeState, isNews: boolean): EngineEvent[] {
    const text = JSON.stringify(state)
    const before = told.get(instance)
    told.set(instance, { peer, state, text })
    return before?.text === text && !isNews ? [] : [{ type: 'state', instance, state }]
  }

  function disconnected(peer: string, instance: string): EngineEvent[] {
    const state = afterLoss(told.get(instance)!.state, now())
    return state === undefined ? [] : tell(peer, instance, state, false)
  }

  /**
   * Returns the service whose state counts: the home if it has sent one, otherwise `from`, otherwise the service whose
   * state was reported last, otherwise any that has sent one.
   */
  function sourceOf(instance: string, from: string | undefined): string | undefined {
    const hasSent = (peer: string | undefined) => peer !== undefined && sent.get(peer)?.has(instance) === true
    return [homeOf(instance), from, told.get(instance)?.peer, ...sent.keys()].find(hasSent)
  }

  /**
   * Returns the events that report the current state of the instance. `from` is the service that has just sent the
   * state as a change.
   */
  function settle(instance: string, from?: string): EngineEvent[] {
    unsettled.delete(instance)
    if (isHere(instance)) {
      told.delete(instance)
      return []
    }
    const source = sourceOf(instance, from)
    if (source === undefined) {
      const before = told.get(instance)
      const events = before === undefined ? [] : disconnected(before.peer, instance)
      told.delete(instance)
      return events
    }
    const senders = [...sent.values()].filter((states) => states.has(instance))
    if (source !== homeOf(instance) || senders.length > 1) unsettled.add(instance)
    return tell(source, instance, sent.get(source)!.get(instance)!, from === source)
  }

  const toldBy = (peer: string) => [...told].flatMap(([instance, entry]) => (entry.peer === peer ? [instance] : []))

  /** Returns the instances that the line is about. */
  function note(peer: string, { isFirst = false, states = [], gone = [] }: EventLine): Set<string> {
    const known = isFirst ? new Map<string, RuntimeState>() : (sent.get(peer) ?? new Map<string, RuntimeState>())
    sent.set(peer, known)
    for (const instance of gone) known.delete(instance)
    for (const [instance, state] of states) known.set(instance, state)
    return new Set([...(isFirst ? toldBy(peer) : gone), ...states.map(([instance]) => instance)])
  }

  return {
    take(peer, line) {
      const { isFirst = false, states = [], outcomes = [], events = [], files = [] } = line
      const changed = note(peer, line)
      const others = [...unsettled].filter((instance) => !changed.has(instance))
      // Events may have been missed before the first line, so listeners are notified of all instances in this line.
      const present = states.map(([instance]) => instance)
      const bells = isFirst ? { events: present, files: present } : { events, files }
      const ofOthers = (instance: string) => !isHere(instance)
      return [
        ...others.flatMap((instance) => settle(instance)),
        ...[...changed].flatMap((instance) => settle(instance, isFirst ? undefined : peer)),
        ...outcomes.map(([svcId, outcome]): EngineEvent => ({ type: 'outcome', svcId, outcome })),
        ...bells.events.filter(ofOthers).map((instance): EngineEvent => ({ type: 'events', instance })),
        ...bells.files.filter(ofOthers).map((instance): EngineEvent => ({ type: 'files', instance })),
      ]
    },
    remove(peer) {
      const instances = new Set([...toldBy(peer), ...(sent.get(peer)?.keys() ?? [])])
      sent.delete(peer)
      return [...instances].flatMap((instance) => settle(instance))
    },
    lose(peer) {
      // The next line of the service has all states again.
      sent.delete(peer)
      return toldBy(peer).flatMap((instance) => (isHere(instance) ? [] : disconnected(peer, instance)))
    },
    stateOf: (instance) => told.get(instance)?.state,
  }
}
