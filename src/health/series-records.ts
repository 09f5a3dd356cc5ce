/**
 * Stores the numbers for the charts of the service. A record has one page of samples. A new page replaces an old one,
 * so a service has at most 519 records of up to 2 kB.
 */
import * as v from 'valibot'
import { type Clock, DAY, MINUTE } from '../domain/clock.ts'
import type { HealthWindow } from '../domain/dashboard.ts'
import type { Log } from '../domain/log.ts'
import { sha256 } from '../lib/sha256.ts'
import type { Op, StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import { repository } from '../storage/repository.ts'
import type { Sample } from './sample.ts'
import { RINGS, type Rings, slotOf, WINDOWS } from './series.ts'

/** Minimum interval in ms between two writes. A kill loses the samples since the last write. */
export const WRITE_EVERY = MINUTE
/** Age in ms of a page that can be removed: a day more than the longest chart. */
const OLD = 8 * DAY

const Count = v.number()
const Times = v.array(Count)
const records = repository<{ samples: Sample[] }>({
  name: 'chart of the service',
  schema: v.object({
    samples: v.array(
      v.object({
        at: Count,
        ms: Count,
        rssMb: Count,
        queue: Count,
        backlog: Count,
        delivered: Count,
        failed: Count,
        sent: Count,
        received: Count,
        requests: Count,
        webhookTimes: Times,
        httpTimes: Times,
      }),
    ),
  }),
  version: 1,
})

const slotsOfPage = (window: HealthWindow) => Math.max(1, WRITE_EVERY / RINGS[window].stepMs)
const pageOf = (window: HealthWindow, at: number) => Math.floor(slotOf(window, at) / slotsOfPage(window))
/**
 * Returns the number of pages of a chart. One more than needed are kept, because the newest page is not full yet when
 * it replaces an old one.
 */
const pagesOf = (window: HealthWindow) => RINGS[window].slots / slotsOfPage(window) + 1
const keyOf = (window: HealthWindow, page: number, of?: string) => keys.chartPage(window, page % pagesOf(window), of)

/**
 * Returns the text that identifies a member of a cluster in the keys of its chart pages. `name` is the name of the
 * member.
 */
export const chartsOf = (name: string): string => sha256(name, 'base64url').slice(0, 16)

export function pagesSince(rings: Rings, since: number, of?: string): Op[] {
  return WINDOWS.flatMap((window) => {
    const ring = rings[window]
    const changed = new Set(ring.filter(({ at }) => at > since).map(({ at }) => pageOf(window, at)))
    return [...changed].map((page) =>
      records.encode(keyOf(window, page, of), { samples: ring.filter(({ at }) => pageOf(window, at) === page) }),
    )
  })
}

/** Reads the stored samples. Leaves out samples that are too old, or in the future because a clock was wrong. */
export async function loadRings(store: Pick<StateStore, 'range'>, clock: Clock, log: Log, of?: string): Promise<Rings> {
  const now = clock.now()
  const load = async (window: HealthWindow) => {
    const { slots } = RINGS[window]
    const found: Sample[] = []
    const onUnreadable = (err: unknown) => log.warn({ err }, 'a part of the charts cannot be read; it is left out')
    for await (const { value } of records.list(store, keys.chartPages(window, of), { onUnreadable })) found.push(...value.samples)
    return found.filter(({ at }) => at <= now && slotOf(window, at) > slotOf(window, now) - slots).sort((a, b) => a.at - b.at)
  }
  return { hour: await load('hour'), day: await load('day'), week: await load('week') }
}

/**
 * Returns operations that remove pages without a sample of the last eight days, for example those of a service that has
 * another name now.
 */
export async function oldPages(store: Pick<StateStore, 'range'>, now: number): Promise<Op[]> {
  const old: Op[] = []
  for await (const { key, value } of records.list(store, keys.charts, { onUnreadable: () => {} }))
    if (value.samples.every(({ at }) => at < now - OLD)) old.push(records.remove(key))
  return old
}
