/**
 * Sends a command to the service that has its instance, or carries it out here. Waits a moment if no service has the
 * instance.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { SECOND, steadyClock } from '../../domain/clock.ts'
import { Failure } from '../../domain/failures.ts'
import type { CallerPatience } from '../../engine/engine.ts'
import { NotHosted } from '../../engine/unavailable.ts'
import { orLate } from '../../lib/deadline.ts'
import { createKeyCounts } from '../../lib/key-counts.ts'
import { type ActiveService, outcomeUnknown } from '../forward-rules.ts'
import type { CallEnding, EngineCaller } from './engine-caller.ts'
import type { Homes } from './homes.ts'
import { type Packed, pack } from './packed.ts'
import { busy, instanceOf, type PeerCommand, unreachable } from './peer-command.ts'

/** Milliseconds for which a command waits for a service that has its instance and can be reached. */
const PATIENCE = 3 * SECOND
/**
 * Milliseconds within which a command must be sent. It may wait for a place while many other commands are under way.
 */
const LEAVES_WITHIN = 10 * SECOND
/** Pauses between two attempts. They become longer, because each attempt sends the whole command. */
const FIRST_PAUSE = 100
const LONGEST_PAUSE = SECOND
/** Minimum time in ms for another attempt after a command has waited for the start of its instance. */
const AFTER_START = SECOND
/** Minimum time in ms between two reads of the homes that waiting commands cause. */
const READ_EVERY = 200
/** Maximum numbers of waiting commands, in total and for one instance. Further commands are refused at once. */
const MOST_WAITING = 1_000
const MOST_WAITING_OF_INSTANCE = 100

export interface RoutingDeps {
  homes: Homes
  caller: Pick<EngineCaller, 'send'>
  /** False if nothing can be sent to the service at the moment. */
  isReachable(id: string): boolean
  /** Called when a service has said that it stops. */
  onLeaving(id: string): void
  /** Whether a thread of this service runs the instance, or waits to start it. */
  isHosted(instance: string): boolean
  isClosed(): boolean
}

/** `here` carries the command out in this service. Rejects with `Failure`. */
export type Route = <T>(command: PeerCommand, patience: CallerPatience, here: () => Promise<T>) => Promise<T>

/** One command on its way. */
interface Way {
  command: PeerCommand
  packed: Packed | undefined
  patience: CallerPatience
  begun: number
  endsAt: number
  isExtended: boolean
}

export function createRouting(deps: RoutingDeps): Route {
  const { homes, caller, isReachable, onLeaving, isHosted, isClosed } = deps
  const waiting = createWaiting()
  let readAt = Number.NEGATIVE_INFINITY

  function target({ command }: Way): 'here' | ActiveService | undefined {
    const home = homes.whereIs(instanceOf(command))
    // An instance of this service is on no thread before its start and while it moves. Its calls wait during that time.
    if (home === 'here') return command.type === 'call' && !isHosted(command.instance) ? undefined : 'here'
    return home !== undefined && isReachable(home.id) ? home : undefined
  }

  /**
   * Reads the homes again if the home of the instance is unknown, because a service that claims an instance does not
   * notify the others.
   */
  function readHomes({ command }: Way) {
    const now = steadyClock.now()
    if (now - readAt < READ_EVERY || homes.whereIs(instanceOf(command)) !== undefined) return
    readAt = now
    homes.refresh?.().catch(() => {})
  }

  async function sendTo(home: ActiveService, way: Way): Promise<CallEnding> {
    const { command, patience, begun } = way
    way.packed ??= packed(command)
    return caller.send(home, {
      type: command.type,
      instance: instanceOf(command),
      packed: way.packed,
      withinMs: Math.max(1, begun + LEAVES_WITHIN - steadyClock.now()),
      check: () => patience.checkAgain?.(),
      signal: patience.signal,
    })
  }

  /**
   * Called when another service has refused a command. The service may have just given the instance away, so the homes
   * are read again.
   */
  async function refused({ id }: ActiveService, isLeaving: boolean, { endsAt }: Way): Promise<void> {
    if (isLeaving) onLeaving(id)
    const leftMs = endsAt - steadyClock.now()
    if (leftMs > 0)
      await orLate(
        Promise.resolve(homes.refresh?.()).catch(() => {}),
        leftMs,
        () => {},
      )
  }

  /** Gives the command more time if it needs it, but only once, so that no command waits forever. */
  function extend(way: Way) {
    if (!way.isExtended) way.endsAt = Math.max(way.endsAt, steadyClock.now() + AFTER_START)
    way.isExtended = true
  }

  async function waitFor(way: Way, pauseMs: number): Promise<void> {
    const { command, patience, endsAt } = way
    const leftMs = endsAt - steadyClock.now()
    if (leftMs <= 0 || patience.waits === false || patience.signal?.aborted) throw unreachable()
    const leave = waiting.enter(instanceOf(command))
    // An aborted wait is noticed before the next attempt.
    await pause(Math.min(pauseMs, leftMs), undefined, { signal: patience.signal })
      .catch(() => {})
      .finally(leave)
  }

  return async <T>(command: PeerCommand, patience: CallerPatience, here: () => Promise<T>): Promise<T> => {
    const begun = steadyClock.now()
    const way: Way = { command, packed: undefined, patience, begun, endsAt: begun + PATIENCE, isExtended: false }
    let pauseMs = FIRST_PAUSE
    for (let attempts = 0; ; attempts++) {
      if (isClosed()) throw new Failure('engine_unavailable')
      const home = target(way)
      if (home === 'here') {
        if (attempts > 0) patience.checkAgain?.()
        try {
          return await here()
        } catch (error) {
          // The instance was given to another service while the call waited for its start here.
          if (command.type !== 'call' || !(error instanceof NotHosted)) throw error
          extend(way)
        }
      } else if (home !== undefined) {
        const ending = await sendTo(home, way)
        if (ending.is === 'unknown') throw outcomeUnknown('the service that has this instance')
        if (ending.is === 'busy') throw busy()
        if (ending.is === 'elsewhere') {
          await refused(home, ending.isLeaving, way)
          const next = target(way)
          if (next === 'here' || (next !== undefined && next.id !== home.id)) continue
        }
        if (ending.is === 'answered') {
          const { result } = ending
          if (result.is === 'done') return result.value as T
          if (result.is === 'failed') throw Failure.from(result.failure)
          if (result.is === 'again' && !way.isExtended) {
            extend(way)
            continue
          }
          if (result.is === 'busy' && steadyClock.now() >= way.endsAt) throw busy()
        }
        pauseMs = Math.min(LONGEST_PAUSE, 2 * pauseMs)
      } else readHomes(way)
      await waitFor(way, pauseMs)
    }
  }
}

function createWaiting() {
  const ofInstance = createKeyCounts()
  let total = 0
  return {
    enter(instance: string): () => void {
      if (total >= MOST_WAITING || ofInstance.of(instance) >= MOST_WAITING_OF_INSTANCE) throw busy()
      ofInstance.add(instance)
      total++
      return () => {
        total--
        ofInstance.remove(instance)
      }
    },
  }
}

function packed(command: PeerCommand): Packed {
  try {
    return pack(command)
  } catch (cause) {
    throw new Failure('internal', { cause })
  }
}
