/** Measures by the clock of this service for how long other services were silent. */
import type { NodeRow } from './node-rows.ts'
import { createNodeWatch } from './node-watch.ts'

/**
 * Returns a function that gets the rows of each look and the time at which its query was sent, and returns the rows
 * with corrected `silentMs`. Once the counter of a service was seen to rise, its silence is measured by the clock of
 * this service, because the clock of the database may be set.
 */
export function createSilenceWatch(now: () => number) {
  const watch = createNodeWatch(now)
  return (rows: readonly NodeRow[], askedAt: number): NodeRow[] => {
    // The rows do not say which connections the services have, so all get the same value.
    watch.judge(
      rows.map(({ id, beat }) => ({ id, beat, connection: 'unknown' })),
      askedAt,
    )
    return rows.map((row) => ({ ...row, silentMs: watch.silentMs(row.id) ?? row.silentMs }))
  }
}
