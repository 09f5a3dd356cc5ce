/** The calls that the threads of this service carry out at the moment. */
import { Failure } from '../../domain/failures.ts'
import { isUnavailable, NotHosted } from '../../engine/unavailable.ts'
import { orLate } from '../../lib/deadline.ts'
import { createKeyCounts } from '../../lib/key-counts.ts'
import { cutOff } from './peer-command.ts'

export interface UnderWay {
  /** Runs the call. If the stop of its instance makes it fail, the reason of the failure is `outcome_unknown`. */
  run<T>(instance: string, call: () => Promise<T>): Promise<T>
  has(instance: string): boolean
  /** Stops the instance when the calls that are under way now have ended, or after `ms`. */
  stop(instance: string, ms: number, stopNow: () => Promise<void>): Promise<void>
  /**
   * Must be called before all instances are stopped. Resolves when the calls that are under way have ended, or after
   * `ms`.
   */
  beforeStopOfAll(ms: number): Promise<void>
}

interface Running {
  ended: Promise<unknown>
  isCut: boolean
}

export function createUnderWay(): UnderWay {
  const running = new Map<string, Set<Running>>()
  /** The instances that are being stopped, with the number of these stops. */
  const stopping = createKeyCounts()

  const allOf = (instance: string): readonly Running[] => [...(running.get(instance) ?? [])]

  async function ended(calls: readonly Running[], ms: number): Promise<void> {
    const ends = calls.map((call) => call.ended)
    if (ends.length > 0) await orLate(Promise.all(ends), ms, () => {})
  }

  function cut(calls: readonly Running[]) {
    for (const entry of calls) entry.isCut = true
  }

  return {
    async run(instance, call) {
      const calls = running.get(instance) ?? new Set()
      running.set(instance, calls)
      const result = call()
      const entry: Running = { ended: result.catch(() => {}), isCut: stopping.of(instance) > 0 }
      calls.add(entry)
      try {
        return await result
      } catch (error) {
        throw entry.isCut && mayBeCarriedOut(error) ? cutOff() : error
      } finally {
        calls.delete(entry)
        if (calls.size === 0 && running.get(instance) === calls) running.delete(instance)
      }
    },
    has: (instance) => running.has(instance),
    async stop(instance, ms, stopNow) {
      await ended(allOf(instance), ms)
      // No call may begin between these two lines, so nothing is awaited there.
      cut(allOf(instance))
      stopping.add(instance)
      try {
        await stopNow()
      } finally {
        stopping.remove(instance)
      }
    },
    async beforeStopOfAll(ms) {
      await ended([...running.keys()].flatMap(allOf), ms)
      cut([...running.keys()].flatMap(allOf))
    },
  }
}

/** True if a failed call may have been carried out: calls fail in these ways if their session or thread ends. */
const mayBeCarriedOut = (error: unknown): boolean =>
  error instanceof Failure &&
  !(error instanceof NotHosted) &&
  (error.code === 'instance_not_connected' || (isUnavailable(error) && error.details?.reason === undefined))
