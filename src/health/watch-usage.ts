/**
 * Measures the usage of the instances every ten seconds, so that a question about the usage can be answered
 * immediately.
 */
import { type Clock, SECOND } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import type { Readings } from '../domain/readings.ts'
import type { Usage } from '../domain/usage.ts'
import { createUsageHistory } from './usage-history.ts'

const EVERY = 10 * SECOND

export interface UsageDeps {
  readings: Pick<Readings, 'all' | 'look' | 'shards'>
  isKnown(instance: string): boolean
  steady: Clock
  log: Log
}

export function watchUsage({ readings, isKnown, steady, log }: UsageDeps): Usage & { stop(): void } {
  const history = createUsageHistory()
  let added: unknown

  async function look(maxAgeMs: number) {
    await readings.look(maxAgeMs)
    if (readings.shards() === added) return
    added = readings.shards()
    const now = steady.now()
    for (const { instance, work } of readings.all()) history.add(instance, work, now)
    history.keep(isKnown)
  }

  const timer = setInterval(() => {
    look(EVERY / 2).catch((error) => log.warn({ err: error }, 'the usage of the instances could not be read'))
  }, EVERY)
  timer.unref()

  return {
    look,
    within: history.within,
    now: history.last,
    stop: () => clearInterval(timer),
  }
}
