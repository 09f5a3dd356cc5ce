/** Measures the silence of services by the clock of this one. */
import type { NodeRow } from './node-rows.ts'
import { createNodeWatch } from './node-watch.ts'

/**
 * The returned function gets the rows of each look, and the time at which it was sent. The silence of a service whose
 * counter was seen to rise is then measured by the own clock of this service, because that of the database may be set.
 */
export function createSilenceWatch(now: () => number) {
  const watch = createNodeWatch(now)
  return (rows: readonly NodeRow[], askedAt: number): NodeRow[] => {
    // The rows do not say which connections the services have.
    watch.judge(
      rows.map(({ id, beat }) => ({ id, beat, connection: 'unknown' })),
      askedAt,
    )
    return rows.map((row) => ({ ...row, silentMs: watch.silentMs(row.id) ?? row.silentMs }))
  }
}
