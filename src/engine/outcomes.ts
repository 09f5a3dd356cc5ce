/**
 * Outcomes of queued sends for callers who wait (`Prefer: wait`). A shard announces each after the commit that ended the item; here the
 * announcement reaches its caller. Nothing depends on it: the item is in storage, and its `delivery` event is sent in any case.
 *
 * Callers wait here and not inside a call to the shard: a thread takes a bounded number of calls, and a shard that starts again meanwhile
 * sends the item and announces its end all the same.
 */
import type { SendEnd } from '../domain/send-outcome.ts'
import { boundedCache } from '../lib/bounded-cache.ts'
import type { Engine } from './engine.ts'

/** Outcomes kept for late callers: an announcement can be faster than the acknowledgement, and a request can be repeated. */
const RECENT = 4_096

/** `gone`: the instance was deleted, and its queue with it. Nobody knows of a message on its way then whether it arrived. */
export type Awaited = SendEnd | 'gone'

export interface QueuedSend {
  instance: string
  svcId: string
}

export interface Outcomes {
  /** Resolves with undefined when `ms` are over first, when `signal` is aborted, or when the service stops. */
  of(send: QueuedSend, ms: number, signal: AbortSignal): Promise<Awaited | undefined>
  /** Nobody waits from now on. */
  stop(): void
}

interface Waiting {
  instance: string
  /** A repeated request waits for the same one. */
  callers: Set<(outcome?: Awaited) => void>
}

export interface OutcomesDeps {
  engine: Pick<Engine, 'onEvent'>
  /** Which instances there are. */
  directory: {
    tokenTagOf(instance: string): string | undefined
    onDeleted(listener: (instance: string) => void): void
  }
}

export function createOutcomes({ engine, directory }: OutcomesDeps): Outcomes {
  const recent = boundedCache<string, SendEnd>(RECENT)
  /** By service id. */
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
      // It was deleted between the acknowledgement and this.
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
