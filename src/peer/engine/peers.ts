/** Reads the states and events of the other services of a store, for the engine of this service. */
import type { Agent } from 'node:https'
import { steadyClock } from '../../domain/clock.ts'
import type { LimitUse } from '../../domain/limit-share.ts'
import type { Log } from '../../domain/log.ts'
import type { InstanceReading } from '../../domain/readings.ts'
import type { EngineEvent } from '../../engine/engine.ts'
import { orLate } from '../../lib/deadline.ts'
import { deferred } from '../../lib/deferred.ts'
import type { ActiveService } from '../forward-rules.ts'
import { type EventReader, readEvents } from './event-reader.ts'
import { readingsOf } from './peer-readings.ts'
import type { PeerStates } from './peer-states.ts'
import { createUsesPace } from './uses-pace.ts'

export interface PeersDeps {
  agent: Agent
  states: Pick<PeerStates, 'take' | 'lose' | 'remove'>
  emit(events: readonly EngineEvent[]): void
  /** Called with what another service has allowed of the limits that all services count together. */
  onUses(uses: readonly LimitUse[]): void
  /** Called when the service can no longer answer. */
  onLost(id: string): void
  lostAfterMs: number
  log: Log
}

export interface Peers {
  /** Sets the services. The events of services that are missing in the list are no longer read. */
  set(peers: readonly ActiveService[]): void
  /** False for a service that is lost at the moment, or that stops. */
  isReachable(id: string): boolean
  noteLeaving(id: string): void
  /** Resolves when each service has sent the states of its instances or is lost, or after `ms`. */
  hasHeard(ms: number): Promise<void>
  /** Measurements of the instances of the services that answer within `ms`. */
  readings(ms: number): Promise<InstanceReading[]>
  close(): void
}

const isSame = (one: ActiveService, other: ActiveService) => one.host === other.host && one.port === other.port

export function createPeers({ agent, states, emit, onUses, onLost, lostAfterMs, log }: PeersDeps): Peers {
  const readers = new Map<string, { peer: ActiveService; reader: EventReader; heard: Promise<void> }>()
  const lost = new Set<string>()
  const leaving = new Set<string>()

  function follow(peer: ActiveService, after: number | undefined) {
    const { id } = peer
    const heard = deferred()
    const isInTime = createUsesPace(steadyClock)
    const reader = readEvents({
      peer,
      agent,
      after,
      lostAfterMs,
      log,
      onLine(line) {
        lost.delete(id)
        if (line.uses !== undefined && isInTime()) onUses(line.uses)
        emit(states.take(id, line))
        heard.resolve()
      },
      onLost() {
        lost.add(id)
        onLost(id)
        emit(states.lose(id))
        heard.resolve()
      },
    })
    readers.set(id, { peer, reader, heard: heard.promise })
  }

  /** Ends the reading of a service's events. Returns the number of the last outcome that was read. */
  function unfollow(id: string): number | undefined {
    const after = readers.get(id)?.reader.stop()
    readers.delete(id)
    lost.delete(id)
    onLost(id)
    return after
  }

  return {
    set(peers) {
      for (const id of leaving) if (!peers.some((each) => each.id === id)) leaving.delete(id)
      for (const [id, { peer }] of readers) {
        const known = peers.find((each) => each.id === id)
        if (known !== undefined && isSame(known, peer)) continue
        const after = unfollow(id)
        if (known === undefined) emit(states.remove(id))
        else follow(known, after)
      }
      for (const peer of peers) if (!readers.has(peer.id)) follow(peer, undefined)
    },
    isReachable: (id) => !lost.has(id) && !leaving.has(id),
    noteLeaving: (id) => void leaving.add(id),
    async hasHeard(ms) {
      const all = Promise.all([...readers.values()].map(({ heard }) => heard))
      await orLate<unknown, void>(all, ms, () => {})
    },
    async readings(ms) {
      const reached = [...readers.values()].filter(({ peer }) => !lost.has(peer.id))
      return (await Promise.all(reached.map(({ peer }) => readingsOf(peer, agent, ms)))).flat()
    },
    close() {
      for (const id of [...readers.keys()]) unfollow(id)
    },
  }
}
