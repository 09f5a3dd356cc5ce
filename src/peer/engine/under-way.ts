/** The calls that the threads of this service carry out at the moment. */
import { Failure } from '../../domain/failures.ts'
import { isUnavailable, NotHosted } from '../../engine/unavailable.ts'
import { orLate } from '../../lib/deadline.ts'
import { cutOff } from './peer-command.ts'

export interface UnderWay {
  /** Runs the call. If the stop of its instance makes it fail, the reason of the failure is `outcome_unknown`. */
  run<T>(instance: string, call: () => Promise<T>): Promise<T>
  has(instance: string): boolean
  /**
   * Must be called before the instance is stopped, or before all are. Resolves when the calls that are under way now have
   * ended, or after `ms`.
   */
  beforeStop(ms: number, instance?: string): Promise<void>
}

interface Running {
  ended: Promise<unknown>
  isCut: boolean
}

export function createUnderWay(): UnderWay {
  const running = new Map<string, Set<Running>>()

  const callsOf = (instance: string | undefined): Running[] =>
    instance === undefined ? [...running.values()].flatMap((calls) => [...calls]) : [...(running.get(instance) ?? [])]

  return {
    async run(instance, call) {
      const calls = running.get(instance) ?? new Set()
      running.set(instance, calls)
      const result = call()
      const entry: Running = { ended: result.catch(() => {}), isCut: false }
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
    async beforeStop(ms, instance) {
      const ends = callsOf(instance).map(({ ended }) => ended)
      if (ends.length > 0) await orLate(Promise.all(ends), ms, () => {})
      for (const entry of callsOf(instance)) entry.isCut = true
    },
  }
}

/** A call whose session or thread ends fails in one of these ways, whether it was carried out or not. */
const mayBeCarriedOut = (error: unknown): boolean =>
  error instanceof Failure &&
  !(error instanceof NotHosted) &&
  (error.code === 'instance_not_connected' || (isUnavailable(error) && error.details?.reason === undefined))
