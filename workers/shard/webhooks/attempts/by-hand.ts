import { Failure } from '../../../../src/domain/failures.ts'
import type { LogEntry } from '../../../../src/domain/webhook-log.ts'
import type { Op } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import { attemptsOf, type LogRow, RETRY, toEntry } from '../../../../src/webhooks/log.ts'
import { indexOps } from '../../../../src/webhooks/log-index.ts'
import type { Outbox } from '../contract.ts'
import type { AttemptNeeds, DeliveryAttempt } from './delivery-attempt.ts'

/** Maximum number of bytes of an event body that are shown. */
const SHOWN_BYTES = 256 * 1_024

/** Maximum number of events that are scheduled again in one commit. */
const AT_ONCE = 100

export type ManualAttempts = Pick<Outbox, 'detail' | 'newest' | 'body' | 'resend' | 'resendMany'>

export interface ManualAttemptsDeps extends AttemptNeeds {
  attempts: DeliveryAttempt
  /** Runs work between two scheduled delivery attempts. */
  inFront<T>(work: () => Promise<T>): Promise<T>
}

export function manualAttempts(needs: ManualAttemptsDeps): ManualAttempts {
  const { instanceId, store, sealer, steady, rows, outcomes, backlog, attempts, inFront } = needs
  const { target, post, afterAttempt, finish, answered, report } = attempts

  /** Returns an event, or undefined if its body is no longer stored or its log row cannot be read. */
  async function kept(eventId: string) {
    const row = await rows.read(eventId)
    if (row === undefined || row.body === 'erased') return undefined
    const key = row.body === 'line' ? keys.outboxEvent(instanceId, eventId) : keys.parkedEvent(instanceId, eventId)
    const sealed = await store.get(key)
    return sealed && { row, key, sealed }
  }

  async function mustBeKept(eventId: string) {
    const found = await kept(eventId)
    if (found === undefined) throw new Failure('not_found', { message: 'The body of this event is no longer stored.' })
    return found
  }

  async function byHand(eventId: string): Promise<LogEntry> {
    const { row: before, key, sealed } = await mustBeKept(eventId)
    const url = target(before.type)
    if (url === null)
      throw new Failure('not_allowed', { message: `The type of this event has no URL; PUT /webhooks/${before.type} sets one.` })
    const outcome = await post(eventId, before.type, url, sealer.open(key, sealed), before.attempts + 1)
    const row = afterAttempt(before, url, outcome)
    if (outcome.ok) {
      await finish(eventId, before, row)
      await outcomes.flush()
      answered(url)
    } else {
      // A manual attempt that failed changes only the row: the place of the body, the next attempt, and
      // the time of erasure stay the same.
      await outcomes.write(() => [rows.op(eventId, row)])
      report(eventId, row, row.status === 'failed' ? 'failed' : 'retry')
    }
    return toEntry(instanceId, eventId, (await rows.read(eventId)) ?? row)
  }

  /**
   * Schedules events again, for an attempt now. Resolves with the number of events that have a body and a
   * URL.
   */
  async function again(eventIds: readonly string[]): Promise<number> {
    const dueAt = steady.now()
    const ops: Op[] = []
    const revived: string[] = []
    let queued = 0
    for (const eventId of eventIds) {
      const found = await kept(eventId)
      if (found === undefined || target(found.row.type) === null) continue
      queued++
      // The event is still in the queue, so it need not be scheduled again.
      if (found.row.body === 'line') continue
      const after: LogRow = { ...found.row, status: 'pending', tries: 0, dueAt, finishedAt: null }
      if (found.row.dueAt !== null) ops.push([keys.due(instanceId, found.row.dueAt, eventId), null])
      ops.push(
        [keys.due(instanceId, dueAt, eventId), RETRY],
        rows.op(eventId, after),
        ...indexOps(instanceId, eventId, found.row, after),
      )
      if (found.row.status === 'failed') revived.push(eventId)
    }
    await store.commit({ ops })
    for (const eventId of revived) {
      backlog.changed(1)
      needs.overflow().parked(eventId)
    }
    return queued
  }

  return {
    async detail(eventId) {
      await outcomes.flush()
      const row = await rows.read(eventId)
      if (row === undefined) throw new Failure('not_found', { message: 'No event has this id.' })
      return { entry: toEntry(instanceId, eventId, row), attempts: attemptsOf(row) }
    },
    async newest(max) {
      await outcomes.flush()
      const prefix = keys.log(instanceId)
      const entries: LogEntry[] = []
      for await (const [key] of store.range(prefix, { reverse: true, limit: max })) {
        const eventId = key.slice(prefix.length)
        const row = await rows.read(eventId)
        if (row !== undefined) entries.push(toEntry(instanceId, eventId, row))
      }
      return entries
    },
    async body(eventId) {
      await outcomes.flush()
      const { key, sealed } = await mustBeKept(eventId)
      const bytes = sealer.open(key, sealed)
      return { body: bytes.subarray(0, SHOWN_BYTES).toString('utf8'), truncated: bytes.byteLength > SHOWN_BYTES }
    },
    resend: (eventId) => inFront(() => byHand(eventId)),
    async resendMany(eventIds) {
      const wanted = [...new Set(eventIds)]
      let queued = 0
      for (let at = 0; at < wanted.length; at += AT_ONCE) queued += await inFront(() => again(wanted.slice(at, at + AT_ONCE)))
      return { queued, notFound: wanted.length - queued }
    },
  }
}
