/** What a start waits for: in the log once per interval, and for whoever asks meanwhile whether the service is ready. */
import { type Clock, SECOND } from './domain/clock.ts'
import type { Log } from './domain/log.ts'

/** An ordinary start takes a second or two. */
const SAY_EVERY = 10 * SECOND

export interface Starting {
  /** What the start waits for from now on. `isSaidElsewhere`: that part has lines of its own in the log. */
  at(what: string, options?: { isSaidElsewhere?: boolean }): void
  sentence(): string
  end(): void
}

export function watchStart({ log, clock, everyMs = SAY_EVERY }: { log: Log; clock: Clock; everyMs?: number }): Starting {
  const since = clock.now()
  let waitsFor = 'the store'
  let isSaid = false
  const saying = setInterval(() => {
    if (!isSaid) log.warn({ waited_ms: clock.now() - since, waits_for: waitsFor }, 'the service is still starting')
  }, everyMs)
  saying.unref()
  return {
    at(what, { isSaidElsewhere = false } = {}) {
      waitsFor = what
      isSaid = isSaidElsewhere
    },
    sentence: () =>
      `The service has been starting for ${Math.round((clock.now() - since) / SECOND)} s; it is waiting for ${waitsFor}.`,
    end: () => clearInterval(saying),
  }
}
