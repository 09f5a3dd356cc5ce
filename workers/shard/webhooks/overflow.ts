/**
 * Limits the number of undelivered events: above the limit, the oldest one is dropped. It is shown as failed, and its
 * body is removed, because the limit protects the disk.
 */
import type { Logger } from 'pino'
import { type Clock, MINUTE } from '../../../src/domain/clock.ts'
import type { EventType } from '../../../src/domain/events.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { type LogRow, withoutBody } from '../../../src/webhooks/log.ts'
import type { EventChanges } from './attempts/event-changes.ts'
import type { Backlog } from './backlog.ts'
import type { EventRows } from './event-rows.ts'
import type { EventLine } from './turns/delivery-queue.ts'

/** Maximum number of events that are examined in one turn of the work loop. */
const SLICE = 500

export interface OverflowOptions {
  instanceId: string
  store: Pick<StateStore, 'range' | 'commit'>
  rows: Pick<EventRows, 'read'>
  backlog: Backlog
  line: Pick<EventLine, 'oldest'>
  changes: EventChanges
  clock: Clock
  log: Pick<Logger, 'error'>
  max: number
  onOverflow?: ((type: EventType) => void) | undefined
}

export function createOverflow(options: OverflowOptions) {
  const { instanceId, store, rows, backlog, line, changes, clock, log, max, onOverflow } = options
  /** No event outside of the queue up to this id waits for an attempt, so the search for one begins after it. */
  let passed = ''
  let given = 0
  let warnedAt = Number.NEGATIVE_INFINITY

  /**
   * Returns the oldest event up to `limit` that waits for another attempt outside of the queue. `more` means that the
   * search continues in the next turn.
   */
  async function oldestParked(limit: string | undefined): Promise<string | 'more' | undefined> {
    const prefix = keys.parked(instanceId)
    let seen = 0
    for await (const [key] of store.range(prefix, { limit: SLICE, after: prefix + passed })) {
      const id = key.slice(prefix.length)
      seen++
      if (limit !== undefined && id > limit) return undefined
      if ((await rows.read(id))?.status === 'pending') return id
      passed = id
    }
    return seen === SLICE ? 'more' : undefined
  }

  function warnOncePerMinute() {
    if (clock.now() < warnedAt + MINUTE) return
    log.error(
      { instance_id: instanceId, given_up: given, max },
      'too many webhook events are waiting; the oldest are recorded as failed',
    )
    warnedAt = clock.now()
    given = 0
  }

  return {
    isDue: () => backlog.size() > max,

    /**
     * Records the oldest waiting event as failed, or continues to search for it. Returns false if the limit is not
     * exceeded, if no event was found, or if its row cannot be read.
     */
    async run(): Promise<boolean> {
      if (backlog.size() <= max) return false
      const head = await line.oldest()
      const parked = await oldestParked(head)
      if (parked === 'more') return true
      const eventId = parked ?? head
      if (eventId === undefined) return false
      const row = await rows.read(eventId)
      // A row that cannot be read is left alone here; the next attempt of the event handles it.
      if (row === undefined) return false
      const gone: LogRow = {
        ...withoutBody(row),
        status: 'failed',
        error: 'backlog full',
        finishedAt: clock.now(),
      }
      await store.commit({ ops: changes.ops(eventId, row, gone) })
      changes.made(eventId, row, gone)
      given++
      onOverflow?.(row.type)
      warnOncePerMinute()
      return true
    },

    parked(eventId: string): void {
      if (eventId <= passed) passed = ''
    },
  }
}
export type Overflow = ReturnType<typeof createOverflow>
