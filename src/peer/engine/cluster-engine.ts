/**
 * An engine over all services of a store. A command for an instance goes to the service that has it: to the local threads,
 * or over the link to another service. The listeners get the events of all services.
 */
import type { RequestListener } from 'node:http'
import { Agent } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { type Clock, SECOND, steadyClock, systemClock } from '../../domain/clock.ts'
import { Failure } from '../../domain/failures.ts'
import type { Log } from '../../domain/log.ts'
import type { Engine, EngineEvent } from '../../engine/engine.ts'
import { type ActiveService, outcomeUnknown } from '../forward-rules.ts'
import { callerTls } from '../peer-key.ts'
import { createEngineCaller } from './engine-caller.ts'
import { createEnginePort } from './engine-port.ts'
import { createEventBoard, type EventBoard } from './event-board.ts'
import { type EventReader, readEvents } from './event-reader.ts'
import type { Homes } from './homes.ts'
import { busy, instanceOf, type PeerCommand, unreachable } from './peer-command.ts'
import { createPeerStates } from './peer-states.ts'

export interface ClusterEngineDeps {
  local: Engine
  homes: Homes
  /** Key of the link (`peer-key.ts`). */
  key: Buffer
  log: Log
  clock?: Clock
  /** Milliseconds without a sign of life after which another service is lost; 10,000 by default. */
  lostAfterMs?: number
}

export interface ClusterEngine extends Engine {
  /** The other active services of the store. The events of those that are missing here are no longer read. */
  setPeers(peers: readonly ActiveService[]): void
  /** Answers the commands of the others (`PeerLink.setEngine`). */
  port: RequestListener
}

/** Milliseconds for which a command waits for a service that has its instance, for example while the instance moves. */
const PATIENCE = 3 * SECOND
const AGAIN = 100
const LOST_AFTER = 10 * SECOND
/** Connections that are kept without a command. */
const KEPT_FREE = 32
/** Less than at the other side, which would otherwise close a connection just as a command is sent. */
const KEPT_OPEN = 30 * SECOND

export function createClusterEngine(deps: ClusterEngineDeps): ClusterEngine {
  const { local, homes, key, log, clock = systemClock, lostAfterMs = LOST_AFTER } = deps
  const agentOf = () =>
    new Agent({ ...callerTls(key), keepAlive: true, maxFreeSockets: KEPT_FREE, scheduling: 'lifo', timeout: KEPT_OPEN })
  const agents = { commands: agentOf(), events: agentOf() }
  const caller = createEngineCaller(agents.commands)
  const board = createEventBoard()
  const isHere = (instance: string) => homes.whereIs(instance) === 'here'
  const states = createPeerStates({ now: clock.now, isHere })
  const listeners: ((event: EngineEvent) => void)[] = []
  const readers = new Map<string, { peer: ActiveService; reader: EventReader }>()
  /** Ids of services that are lost at the moment. */
  const lost = new Set<string>()
  let isClosed = false

  const emit = (events: readonly EngineEvent[]) => {
    for (const event of events) for (const listener of listeners) listener(event)
  }
  local.onEvent((event) => {
    board.take(event)
    emit([event])
  })

  /** Sends the command again only if nothing of it can have been carried out. */
  async function run<T>(command: PeerCommand, here: () => Promise<T>): Promise<T> {
    let endsAt: number | undefined
    for (;;) {
      if (isClosed) throw new Failure('engine_unavailable')
      const home = homes.whereIs(instanceOf(command))
      if (home === 'here') return here()
      if (home !== undefined && !lost.has(home.id)) {
        const ending = await caller.send(home, command)
        if (ending.is === 'unknown') throw outcomeUnknown('the service that has this instance')
        if (ending.is === 'answered') {
          if (ending.result.is === 'done') return ending.result.value as T
          throw Failure.from(ending.result.failure)
        }
        if (ending.is === 'busy') throw busy()
      }
      endsAt ??= steadyClock.now() + PATIENCE
      if (steadyClock.now() >= endsAt) throw unreachable()
      await pause(AGAIN)
    }
  }

  function follow(peer: ActiveService) {
    const { id } = peer
    const reader = readEvents({
      peer,
      agent: agents.events,
      lostAfterMs,
      log,
      onLine(line) {
        lost.delete(id)
        emit(states.take(id, line))
      },
      onLost() {
        lost.add(id)
        caller.endAllAt(id)
        emit(states.lose(id))
      },
    })
    readers.set(id, { peer, reader })
  }

  function unfollow(id: string) {
    readers.get(id)?.reader.stop()
    readers.delete(id)
    lost.delete(id)
  }

  const own = ownInstances(local, board)

  return {
    start: (config, how) => run({ type: 'start', config, how }, () => own.start(config, how)),
    stop: (instance, how) => run({ type: 'stop', instance, how }, () => own.stop(instance, how)),
    call: (instance, call, origin = {}) =>
      run({ type: 'call', instance, call, origin }, () => local.call(instance, call, origin)),

    // The other services read the changed configuration from the store.
    async configure(config) {
      if (isHere(config.id)) await local.configure(config)
    },

    onEvent: (listener) => void listeners.push(listener),
    // A state of another service may be on its way.
    hasTold: (instance) => isHere(instance) && local.hasTold(instance),
    isReady: local.isReady,
    problem: local.problem,

    setPeers(peers) {
      if (isClosed) return
      const isSame = (one: ActiveService, other: ActiveService) => one.host === other.host && one.port === other.port
      for (const [id, { peer }] of readers) {
        const known = peers.find((each) => each.id === id)
        if (known !== undefined && isSame(known, peer)) continue
        unfollow(id)
        if (known !== undefined) continue
        caller.endAllAt(id)
        emit(states.remove(id))
      }
      for (const peer of peers) if (!readers.has(peer.id)) follow(peer)
    },

    port: createEnginePort({ local: { ...own, call: local.call }, board, isHere, log }),

    async close(deadlineMs) {
      isClosed = true
      for (const id of [...readers.keys()]) unfollow(id)
      caller.close()
      board.close()
      for (const agent of Object.values(agents)) agent.destroy()
      await local.close(deadlineMs)
    },
  }
}

/** Starts and stops instances of this service, and tells the other services their states. */
const ownInstances = (local: Engine, board: EventBoard): Pick<Engine, 'start' | 'stop'> => ({
  async start(config, how) {
    const state = await local.start(config, how)
    board.started(config.id, state)
    return state
  },
  async stop(instance, how) {
    await local.stop(instance, how)
    board.remove(instance)
  },
})
