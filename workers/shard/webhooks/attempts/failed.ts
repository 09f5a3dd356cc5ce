/**
 * Handles a failed delivery attempt: the event is stored outside of the queue until its next attempt. If its receiver
 * is down, the event stays in the queue.
 */
import type { Op } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import type { LogRow } from '../../../../src/webhooks/log.ts'
import { KEEP_FAILED_BODY, retryDelay } from '../schedule.ts'
import type { AttemptNeeds, DeliveryAttempt } from './delivery-attempt.ts'

/** The return of an event to its old position in the queue. `made` is called after the commit of `ops`. */
interface Moved {
  eventId: string
  ops: Op[]
  dueAt: number | null
  made(): void
}

export function failedAttempts(needs: AttemptNeeds, { report }: DeliveryAttempt) {
  const { instanceId, store, sealer, clock, steady, steps, rows, outcomes, changes, holds } = needs

  /**
   * Records a failure that the receiver caused. If the receiver is down, or if this failure shows that it is down, the
   * event stays in the queue.
   */
  async function away(eventId: string, url: string, row: LogRow, tried: LogRow, body: Uint8Array) {
    // The event was attempted before and is still in the queue, so its receiver was already down before a restart.
    const waits = holds.of(url) !== undefined || (row.body === 'line' && row.tries > 0)
    const before = waits ? undefined : holds.failed(url, eventId)
    if (!waits && before === undefined) return await park(eventId, row, { ...tried, tries: row.tries + 1 }, body)
    const others = before === undefined ? undefined : await toQueue(before)
    await stay(eventId, url, row, tried, body, others)
    if (others !== undefined) holds.wait(url, [others.eventId], others.dueAt ?? 0, steady.now())
  }

  /**
   * Prepares the return of an event to the queue. Returns undefined if the event no longer waits outside of the queue,
   * or if its body cannot be decrypted.
   */
  async function toQueue(eventId: string): Promise<Moved | undefined> {
    const row = await rows.read(eventId)
    const sealed = await store.get(keys.parkedEvent(instanceId, eventId))
    if (row?.body !== 'parked' || row.status !== 'pending' || sealed === undefined) return undefined
    let body: Uint8Array
    try {
      body = sealer.open(keys.parkedEvent(instanceId, eventId), sealed)
    } catch {
      // The event stays where it is. Its next attempt finds and records that its body cannot be read.
      return undefined
    }
    const after: LogRow = { ...row, body: 'line' }
    const ops = changes.ops(eventId, row, after, body)
    return { eventId, ops, dueAt: row.dueAt, made: () => changes.made(eventId, row, after) }
  }

  /**
   * Keeps an event in the queue until its receiver is up. An attempt before the scheduled time was only a probe of the
   * receiver, and is not counted.
   */
  async function stay(eventId: string, url: string, row: LogRow, tried: LogRow, body: Uint8Array, others: Moved | undefined) {
    const now = steady.now()
    // A due time later than one retry delay from now was written while the clock was ahead. The event then counts as
    // due.
    const wasDue = row.dueAt === null || row.dueAt <= now || row.dueAt > now + (retryDelay(row.tries) ?? 0)
    const tries = wasDue ? row.tries + 1 : row.tries
    const delay = retryDelay(tries)
    if (delay === undefined) {
      await park(eventId, row, { ...tried, tries }, body)
      const hold = holds.of(url)
      if (hold?.head === eventId) holds.headless(hold)
      return holds.wait(url, [], Number.POSITIVE_INFINITY, now)
    }
    const dueAt = wasDue ? now + delay : row.dueAt!
    const after: LogRow = { ...tried, tries, status: 'pending', body: 'line', dueAt, finishedAt: null }
    const ops = [...changes.ops(eventId, row, after, body), ...(others?.ops ?? [])]
    await outcomes.write(() => ops)
    changes.made(eventId, row, after)
    others?.made()
    holds.wait(url, [eventId], dueAt, now)
    await steps('outbox:settled', eventId)
    report(eventId, after, 'retry')
  }

  async function park(eventId: string, before: LogRow, row: LogRow, body: Uint8Array) {
    const now = clock.now()
    const delay = retryDelay(row.tries)
    const last = delay === undefined
    const dueAt = steady.now() + (delay ?? KEEP_FAILED_BODY)
    const after: LogRow = { ...row, status: last ? 'failed' : 'pending', body: 'parked', dueAt, finishedAt: last ? now : null }
    const ops = changes.ops(eventId, before, after, body)
    await outcomes.write(() => ops)
    changes.made(eventId, before, after)
    await steps('outbox:settled', eventId)
    report(eventId, after, last ? 'failed' : 'retry')
  }

  return { away, park, toQueue }
}
