/**
 * Passes outcomes of queued sends to callers that wait (`Prefer: wait`).
 *
 * Callers wait here and not in a call to the shard thread: a thread accepts a limited number of calls, and loses them
 * when it restarts.
 */
import type { SendEnd } from '../domain/send-outcome.ts'
import { boundedCache } from '../lib/bounded-cache.ts'
import type { Engine } from './engine.ts'

/**
 * Maximum number of outcomes that are kept for late callers: an outcome can arrive before its caller waits, and a
 * request can be repeated.
 */
const RECENT = 4_096

/** `gone`: the instance and its queue were deleted. A message in flight may have arrived. */
export type Awaited = SendEnd | 'gone'

export interface QueuedSend {
  instance: string
  svcId: string
}

export interface SendOutcomes {
  /**
   * Resolves with the outcome of a send. Undefined if `ms` elapse first, if `signal` is aborted, or if the service
   * stops.
   */
  of(send: QueuedSend, ms: number, signal: AbortSignal): Promise<Awaited | undefined>
  stop(): void
}

interface Waiting {
  instance: string
  callers: Set<(outcome?: Awaited) => void>
}

export interface SendOutcomesDeps {
  engine: Pick<Engine, 'onEvent'>
  directory: {
    tokenTagOf(instance: string): string | undefined
    onDeleted(listener: (instance: string) => void): void
  }
}

export function createSendOutcomes({ engine, directory }: SendOutcomesDeps): SendOutcomes {
  const recent = boundedCache<string, SendEnd>(RECENT)
  const waiting = new Map<string, Waiting>()
  let isStopped = false

  engine.onEvent((event) => {
    if (event.type !== 'outcome') return
    const { svcId, outcome } = event
    recent.set(svcId, outcome)
    for (const settle of waiting.get(svcId)?.callers ?? []) settle(outcome)
  })

  directory.onDeleted((deleted) => {
    for (const { instance, callers } of waiting.values()) if (instance === deleted) for (const settle of callers) settle('gone')
  })

  return {
    of({ instance, svcId }, ms, signal) {
      const known = recent.get(svcId)
      if (known || isStopped || signal.aborted) return Promise.resolve(known)
      // The instance was deleted between the acknowledgement and this call.
      if (directory.tokenTagOf(instance) === undefined) return Promise.resolve('gone')
      return new Promise((resolve) => {
        const { callers } = waiting.get(svcId) ?? { callers: new Set() }
        waiting.set(svcId, { instance, callers })
        const settle = (outcome?: Awaited) => {
          clearTimeout(timer)
          signal.removeEventListener('abort', leave)
          callers.delete(settle)
          if (callers.size === 0) waiting.delete(svcId)
          resolve(outcome)
        }
        const leave = () => settle()
        const timer = setTimeout(leave, ms)
        signal.addEventListener('abort', leave)
        callers.add(settle)
      })
    },

    stop() {
      isStopped = true
      for (const { callers } of waiting.values()) for (const settle of callers) settle()
    },
  }
}
