/**
 * Changes the status of an instance in its shard. Events are processed one after another: the new state is committed
 * with its `instance_status` event, then announced, then the effects run.
 */

import { SECOND } from '../../../src/domain/clock.ts'
import type { StatusChange } from '../../../src/domain/dashboard.ts'
import { CREATED, type RuntimeState, type Status } from '../../../src/domain/instance.ts'
import { sentence } from '../../../src/domain/sentences.ts'
import type { EventOf } from '../../../src/features/webhook-payloads.ts'
import type { LoopShare } from '../../../src/lib/loop-share.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { RecordError } from '../../../src/storage/repository.ts'
import type { Context } from '../context/instance-context.ts'
import type { Slot } from '../context/slot.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import { type Effect, FRESH_RUN, type Lifecycle, type LifecycleEvent } from './contract.ts'
import { endEarlierMove } from './moved.ts'
import type { NetworkReturn } from './network-return.ts'
import { runtimeRecords } from './runtime-record.ts'
import { createStatusHistory } from './status-history.ts'
import { next } from './table.ts'
import { createTimers } from './timers.ts'

export interface StatusDeps {
  state: Slot<RuntimeState>
  random: () => number
  outbox: Outbox
  announce(state: RuntimeState): void
  /** Runs an effect. Not called for effects that this module handles itself. */
  carryOut(effect: Exclude<Effect, { do: 'timer' | 'networkReached' }>): Promise<void>
  network: NetworkReturn
  /** Share of the event loop for events that many instances have at the same time, such as the end of a session. */
  share: LoopShare
  onChange(state: RuntimeState, previous: Status): void
}

export interface StatusKeeper {
  /**
   * Reads the stored state. `isTakenOver` means that the service that had the instance before counts as failed, but may
   * still be running somewhere.
   */
  load(isTakenOver: boolean): Promise<RuntimeState | undefined>
  create(): Promise<void>
  /**
   * Resolves with the state after the effects. `isCurrent` is checked directly before the event is processed, because
   * its session or timer may be gone by then.
   */
  handle(event: LifecycleEvent, isCurrent?: () => boolean): Promise<RuntimeState>
  correct(changes: Partial<RuntimeState>): void
  history(): Promise<StatusChange[]>
  stop(): Promise<void>
}

const TAKE_AGAIN = SECOND

/**
 * State that is used if the stored state is unreadable. With credentials the instance connects again, otherwise it
 * becomes `stopped`.
 */
const LOST: RuntimeState = { ...CREATED, status: 'disconnected', reason: 'connection_lost' }

const isRequest = ({ type }: LifecycleEvent) => type.endsWith('Requested')

export function createStatus(context: Context<'id' | 'store' | 'sealer' | 'clock' | 'log'>, deps: StatusDeps): StatusKeeper {
  const { id: instance, store, clock, log } = context
  const { outbox } = deps
  const records = runtimeRecords(context.sealer)
  const history = createStatusHistory(context)
  const timers = createTimers((name) => void handle({ type: 'timer', name }))
  let at: Lifecycle = { state: deps.state.get(), run: FRESH_RUN }
  const moveTo = (lifecycle: Lifecycle) => {
    at = lifecycle
    deps.state.set(at.state)
  }
  let line: Promise<unknown> = Promise.resolve()
  const again = new Set<NodeJS.Timeout>()
  const isWaiting = () => at.state.status === 'disconnected' && timers.isSet('retry')
  const leaveNetwork = deps.network.join({
    isWaiting,
    attempt: () => void handle({ type: 'timer', name: 'retry' }, isWaiting).catch(() => {}),
  })
  let isStopped = false
  let isTakenOver = false

  async function carryOut(effect: Effect): Promise<void> {
    switch (effect.do) {
      case 'timer':
        return timers.set(effect.name, effect.delayMs)
      case 'networkReached':
        return deps.network.reached()
      case 'close':
        timers.clear('retry', 'pairing', 'passkey')
        return deps.carryOut(effect)
      case 'open':
        timers.clear('retry')
        return deps.carryOut(effect)
      default:
        return deps.carryOut(effect)
    }
  }

  async function write(state: RuntimeState, previous: Status | null) {
    const isNews = state.status !== previous || state.reason !== at.state.reason
    const ops: Op[] = [
      records.encode(keys.runtime(instance), state),
      ...endEarlierMove(instance, at.state, state),
      ...(isNews ? await history.ops(previous, state, clock.now()) : []),
    ]
    const isEvent = state.status !== previous && outbox.wanted('instance_status')
    const appended = isEvent ? outbox.append(statusEvent(state, previous, clock.now())) : null
    await store.commit({ ops: [...ops, ...(appended?.ops ?? [])] })
    if (appended) outbox.committed(appended.eventId)
  }

  async function step(event: LifecycleEvent): Promise<RuntimeState> {
    if (isStopped) return at.state
    const move = next(at, event, { now: clock.now(), random: deps.random(), isTakenOver })
    if (!move) return at.state
    const previous = at.state.status
    const { state } = move.next
    if (!isSame(at.state, state)) await write(state, previous)
    moveTo(move.next)
    log.info(
      { row: move.row, event: event.type, from: previous, to: state.status, reason: state.reason },
      'instance state changed',
    )
    if (state.status !== previous) timers.clear()
    // `onChange` comes before the effects, which can take seconds. Otherwise code that depends on the status would use
    // the old one.
    deps.onChange(state, previous)
    deps.announce(state)
    for (const effect of move.effects) {
      // A failed effect must not block the next ones: without its retry timer an instance would not reconnect by
      // itself.
      await carryOut(effect).catch((error) =>
        log.error({ err: error, row: move.row, effect: effect.do }, 'an action that follows a state change failed'),
      )
    }
    return state
  }

  /**
   * Processes an event again after a pause, because the new state could not be written. An event of a session or timer
   * is not repeated, and without it the next session might not be opened.
   */
  function takeAgain(event: LifecycleEvent, isCurrent: () => boolean) {
    if (isStopped || isRequest(event)) return
    const timer = setTimeout(() => {
      again.delete(timer)
      handle(event, isCurrent).catch(() => {})
    }, TAKE_AGAIN)
    again.add(timer)
  }

  function handle(event: LifecycleEvent, isCurrent = () => true): Promise<RuntimeState> {
    const done = line.then(async () => {
      if (!isRequest(event)) await deps.share()
      return isCurrent() ? step(event) : at.state
    })
    line = done.catch((error) => {
      log.error({ err: error, event: event.type }, 'a session event could not be handled; it is tried again')
      takeAgain(event, isCurrent)
    })
    return done
  }

  return {
    handle,
    correct(changes) {
      moveTo({ ...at, state: { ...at.state, ...changes } })
    },
    async load(takenOver) {
      isTakenOver = takenOver
      const state = await records.get(store, keys.runtime(instance)).catch((error: unknown) => {
        if (!(error instanceof RecordError)) throw error
        log.error({ err: error }, 'the stored state could not be decoded')
        return LOST
      })
      if (state) moveTo({ state, run: FRESH_RUN })
      return state
    },
    history: history.list,
    async create() {
      await write(at.state, null)
      deps.announce(at.state)
    },
    async stop() {
      isStopped = true
      leaveNetwork()
      timers.stop()
      for (const timer of again) clearTimeout(timer)
      await line
    },
  }
}

const isSame = (a: RuntimeState, b: RuntimeState) =>
  (Object.keys(a) as (keyof RuntimeState)[]).every((field) => JSON.stringify(a[field]) === JSON.stringify(b[field]))

/** Statuses in which `disconnect_reason` is set. In all others it is null. */
const WITH_REASON: readonly Status[] = ['disconnected', 'logged_out', 'banned', 'stopped']

export const statusEvent = (state: RuntimeState, previous: Status | null, now: number): EventOf<'instance_status'> => ({
  type: 'instance_status',
  at: now,
  body: {
    status: state.status,
    previous_status: previous,
    connected: state.status === 'connected',
    phone: state.phone,
    disconnect_reason: WITH_REASON.includes(state.status) ? state.reason : null,
    reason: sentence(state)?.slice(0, 256) ?? null,
    status_reason: state.reason,
  },
})
