/**
 * The last known state of every instance, as its shard thread reports it. States are only in memory, because the record
 * of the thread is authoritative.
 */
import { CREATED, type RuntimeState } from '../domain/instance.ts'

const isOpening = ({ status }: RuntimeState) => status === 'created' || status === 'starting'

export function createStates() {
  const states = new Map<string, RuntimeState>()
  const known = new Set<string>()
  const waiting = new Map<string, Set<() => void>>()

  function set(instance: string, state: RuntimeState) {
    states.set(instance, state)
    if (!isOpening(state)) for (const wake of waiting.get(instance) ?? []) wake()
  }

  return {
    get: (instance: string): RuntimeState => states.get(instance) ?? CREATED,

    /** Records the state of an event. It replaces the known state. */
    event(instance: string, state: RuntimeState) {
      known.add(instance)
      set(instance, state)
    },

    /**
     * Records the state of an answer. Events come over another port, so an event may arrive before an older answer. The
     * answer is then not used.
     */
    answer(instance: string, state: RuntimeState) {
      if (!known.has(instance)) set(instance, state)
    },

    forget(instance: string) {
      states.delete(instance)
      known.delete(instance)
      for (const wake of waiting.get(instance) ?? []) wake()
    },

    /** Resolves when the first QR code is available or the start has ended, or after `ms`. */
    async opened(instance: string, ms: number): Promise<void> {
      if (!isOpening(states.get(instance) ?? CREATED)) return
      const wakes = waiting.get(instance) ?? new Set()
      waiting.set(instance, wakes)
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer)
          wakes.delete(wake)
          if (wakes.size === 0) waiting.delete(instance)
          resolve()
        }
        const timer = setTimeout(wake, ms)
        wakes.add(wake)
      })
    },
  }
}
