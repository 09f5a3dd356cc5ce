/** Records what a start is waiting for. The readiness check reports this, and a long wait is logged at intervals. */
import { type Clock, SECOND } from './domain/clock.ts'
import type { Log } from './domain/log.ts'
import type { Waiting } from './serve.ts'

/** Interval in ms between the log lines. A normal start takes a second or two. */
const SAY_EVERY = 10 * SECOND

export interface Starting {
  /**
   * Sets what the start waits for now. `isSaidElsewhere` is true if the part that the start waits for logs this itself.
   */
  at(
    what: string,
    options?: { isSaidElsewhere?: boolean; reason?: () => Waiting['reason']; active?: () => Waiting['active'] },
  ): void
  waiting(): Waiting
  end(): void
}

export function watchStart({ log, clock, everyMs = SAY_EVERY }: { log: Log; clock: Clock; everyMs?: number }): Starting {
  const since = clock.now()
  let waitsFor = 'the store'
  let isSaid = false
  let reasonNow: () => Waiting['reason'] = () => undefined
  let activeNow: () => Waiting['active'] = () => undefined
  const saying = setInterval(() => {
    if (!isSaid) log.warn({ waited_ms: clock.now() - since, waits_for: waitsFor }, 'the service is still starting')
  }, everyMs)
  saying.unref()
  return {
    at(what, { isSaidElsewhere = false, reason = () => undefined, active = () => undefined } = {}) {
      waitsFor = what
      isSaid = isSaidElsewhere
      reasonNow = reason
      activeNow = active
    },
    waiting: () => ({
      sentence: `The service has been starting for ${Math.round((clock.now() - since) / SECOND)} s; it is waiting for ${waitsFor}.`,
      reason: reasonNow(),
      active: activeNow(),
    }),
    end: () => clearInterval(saying),
  }
}
