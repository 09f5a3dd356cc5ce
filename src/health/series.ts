/**
 * The numbers of the service in the last hour, day and week. Each window is a ring of slots, into which samples are
 * merged.
 */
import { type Clock, HOUR, MINUTE, SECOND } from '../domain/clock.ts'
import type { HealthPoint, HealthWindow } from '../domain/dashboard.ts'
import type { Numbers } from '../metrics/tally.ts'
import { merged, pointOf, type Sample, type Standing, sampleOf } from './sample.ts'

export const EVERY = 10 * SECOND

export const RINGS: Readonly<Record<HealthWindow, { stepMs: number; slots: number }>> = {
  hour: { stepMs: EVERY, slots: 360 },
  day: { stepMs: 5 * MINUTE, slots: 288 },
  week: { stepMs: HOUR, slots: 168 },
}
export const WINDOWS = Object.keys(RINGS) as HealthWindow[]

export type Rings = Readonly<Record<HealthWindow, readonly Sample[]>>

export interface Series {
  /** Adds the growth of the counters since the previous call. `numbers` are all counters of the service. */
  add(numbers: Numbers, standing: Standing): void
  points(window: HealthWindow): HealthPoint[]
  samples(): Rings
}

export const slotOf = (window: HealthWindow, at: number): number => Math.floor(at / RINGS[window].stepMs)

/**
 * Adds a sample to its slot. Samples of later slots were taken before the clock was set back, so their times are wrong
 * and they are dropped.
 */
function put(ring: Sample[], window: HealthWindow, sample: Sample) {
  const slot = slotOf(window, sample.at)
  while (ring.length > 0 && slotOf(window, ring.at(-1)!.at) > slot) ring.pop()
  const newest = ring.at(-1)
  if (newest && slotOf(window, newest.at) === slot) ring[ring.length - 1] = merged(newest, sample)
  else ring.push(sample)
  while (slotOf(window, ring[0]!.at) <= slot - RINGS[window].slots) ring.shift()
}

export function createSeries(clock: Clock, steady: Clock, stored?: Rings): Series {
  const rings = { hour: [...(stored?.hour ?? [])], day: [...(stored?.day ?? [])], week: [...(stored?.week ?? [])] }
  let before: { numbers: Numbers; at: number } | undefined

  return {
    add(numbers, standing) {
      const last = before
      before = { numbers, at: steady.now() }
      if (!last) return
      const span = { at: clock.now(), ms: Math.max(SECOND, before.at - last.at) }
      const sample = sampleOf(span, last.numbers, numbers, standing)
      for (const window of WINDOWS) put(rings[window], window, sample)
    },
    points: (window) => rings[window].map(pointOf),
    samples: () => rings,
  }
}
