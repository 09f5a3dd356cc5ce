/**
 * An engine over all services of a store. A command for an instance goes to the service that has it. The listeners get
 * the events of all services.
 */
import type { RequestListener } from 'node:http'
import { Agent } from 'node:https'
import { type Clock, SECOND, steadyClock, systemClock } from '../../domain/clock.ts'
import type { LimitShare } from '../../domain/limit-share.ts'
import type { Log } from '../../domain/log.ts'
import type { InstanceReading } from '../../domain/readings.ts'
import type { CallerPatience, Engine, EngineEvent } from '../../engine/engine.ts'
import type { PooledEngine } from '../../engine/pooled-engine.ts'
import type { ActiveService } from '../forward-rules.ts'
import { callerTls } from '../peer-key.ts'
import { createEngineCaller } from './engine-caller.ts'
import { createEnginePort } from './engine-port.ts'
import { createEventBoard } from './event-board.ts'
import type { Homes } from './homes.ts'
import { CALLS_END_WITHIN, createOwnInstances } from './own-instances.ts'
import { instanceOf, type PeerCommand } from './peer-command.ts'
import { createPeerStates } from './peer-states.ts'
import { createPeers } from './peers.ts'
import { createRouting } from './routing.ts'
import { createUnderWay } from './under-way.ts'
import { TELL_USES_EVERY } from './uses-pace.ts'

export type LocalEngine = Engine & Pick<PooledEngine, 'shardOf' | 'survey'>

export interface ClusterEngineDeps {
  local: LocalEngine
  homes: Homes
  /** Key of the link (`peer-key.ts`). */
  key: Buffer
  log: Log
  clock?: Clock
  /** Milliseconds without a sign of life after which another service is lost; 10,000 by default. */
  lostAfterMs?: number
}

export interface ClusterEngine extends Engine {
  /**
   * Sets the other active services of the store. The events of services that are missing in the list are no longer
   * read.
   */
  setPeers(peers: readonly ActiveService[]): void
  /**
   * Stops an instance that leaves this service, without a logout. Before the call, `homes` must no longer say that the
   * instance is here, so that no new commands are taken.
   */
  leave(instance: string): Promise<void>
  /** Whether this service is carrying out calls for the instance. */
  isBusy(instance: string): boolean
  /** Resolves when each of the other services has sent the states of its instances or is lost, or after `ms`. */
  hasHeard(ms: number): Promise<void>
  /** Measurements of the instances of the other services, except of those that do not answer within two seconds. */
  readings(): Promise<InstanceReading[]>
  /** Starts and stops instances of this service, also while it gives them away. */
  here: Pick<Engine, 'start' | 'stop'>
  /** Counts a limit together with the other services. Each tells the others four times a second what it has allowed. */
  shareLimit(share: LimitShare): void
  /** Answers the commands of the other services (`PeerLink.setEngine`). */
  port: RequestListener
}

const LOST_AFTER = 10 * SECOND
/**
 * Milliseconds within which another service must send its readings. If one of its threads hangs, it answers after a
 * second, without the readings of that thread.
 */
const READINGS_WITHIN = 2 * SECOND
/** Maximum number of idle connections to one service for commands, and separately for events and readings. */
const KEPT_FREE = 32
/**
 * Milliseconds for which an idle connection is kept. The other service keeps it longer, because it could otherwise
 * close the connection just as a command is sent.
 */
const KEPT_OPEN = 30 * SECOND

export function createClusterEngine(deps: ClusterEngineDeps): ClusterEngine {
  const { local, homes, key, log, clock = systemClock, lostAfterMs = LOST_AFTER } = deps
  const newAgent = () =>
    new Agent({ ...callerTls(key), keepAlive: true, maxFreeSockets: KEPT_FREE, scheduling: 'lifo', timeout: KEPT_OPEN })
  const events = newAgent()
  const caller = createEngineCaller(newAgent)
  const board = createEventBoard()
  const isHere = (instance: string) => homes.whereIs(instance) === 'here'
  const isHosted = (instance: string) => local.shardOf(instance) !== undefined
  const states = createPeerStates({
    now: clock.now,
    homeOf(instance) {
      const home = homes.whereIs(instance)
      return typeof home === 'object' ? home.id : home
    },
  })
  const listeners: ((event: EngineEvent) => void)[] = []
  let limit: LimitShare | undefined
  let isClosed = false

  const emit = (told: readonly EngineEvent[]) => {
    for (const event of told) for (const listener of listeners) listener(event)
  }
  local.onEvent((event) => {
    board.take(event)
    emit([event])
  })

  const peers = createPeers({
    agent: events,
    states,
    emit,
    onUses: (uses) => limit?.spend(uses),
    onLost: caller.endAllAt,
    lostAfterMs,
    log,
  })
  const telling = setInterval(() => board.use(limit?.uses() ?? []), TELL_USES_EVERY).unref()
  const route = createRouting({
    homes,
    caller,
    isReachable: peers.isReachable,
    onLeaving: peers.noteLeaving,
    isHosted,
    isClosed: () => isClosed,
  })

  const underWay = createUnderWay()
  const own = createOwnInstances({ local, board, underWay, now: clock.now, onLeft: (event) => emit([event]) })
  const callHere: Engine['call'] = (instance, ...rest) => underWay.run(instance, () => local.call(instance, ...rest))
  const takes = (command: PeerCommand) => {
    const instance = instanceOf(command)
    // An instance that moves may have left its thread already.
    return isHere(instance) && (command.type !== 'call' || isHosted(instance))
  }

  return {
    start: (config, how) => route({ type: 'start', config, how }, {}, () => own.start(config, how)),
    stop: (instance, how) => route({ type: 'stop', instance, how }, {}, () => own.stop(instance, how)),
    isBusy: underWay.has,
    leave: (instance) => (isHosted(instance) ? own.stop(instance, 'keep') : Promise.resolve()),
    call(instance, call, origin = {}, patience = {}) {
      const command: PeerCommand = { type: 'call', instance, call, origin, ...sentPatience(patience) }
      return route(command, patience, () => callHere(instance, call, origin, patience))
    },

    // The other services read the changed configuration from the store.
    async configure(config) {
      if (isHere(config.id)) await local.configure(config)
    },

    onEvent: (listener) => void listeners.push(listener),
    // False for an instance of another service, because a newer state may be on its way.
    hasTold: (instance) => isHere(instance) && local.hasTold(instance),
    stateOf: states.stateOf,
    isReady: local.isReady,
    problem: local.problem,

    setPeers(found) {
      if (!isClosed) peers.set(found)
    },
    hasHeard: peers.hasHeard,
    readings: () => peers.readings(READINGS_WITHIN),

    shareLimit(share) {
      limit = share
    },

    here: own,
    port: createEnginePort({
      local: { ...own, call: callHere },
      readings: async () => (await local.survey()).flatMap((shard) => shard?.instances ?? []),
      board,
      takes,
      isClosed: () => isClosed,
      log,
    }),

    async close(deadlineMs) {
      isClosed = true
      clearInterval(telling)
      const endsAt = steadyClock.now() + deadlineMs
      await underWay.beforeStopOfAll(Math.min(CALLS_END_WITHIN, deadlineMs / 2))
      // The links to the other services are closed last: those services still read the outcomes and states of this
      // stop, and may still answer commands of this service.
      await local.close(Math.max(0, endsAt - steadyClock.now()))
      board.close()
      peers.close()
      caller.close()
      events.destroy()
    },
  }
}

/** The part of the caller's patience that the other service must know. */
const sentPatience = ({ waits, workspace, checkAgain }: CallerPatience) => ({
  ...(waits === undefined ? {} : { waits }),
  ...(workspace === undefined ? {} : { workspace }),
  ...(checkAgain === undefined ? {} : { isChecked: true }),
})
