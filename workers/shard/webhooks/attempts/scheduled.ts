/** Makes the next scheduled delivery attempt of an event, and records its outcome. */
import type { Op } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import { ERASE, type LogRow, withoutBody } from '../../../../src/webhooks/log.ts'
import { KEEP_FAILED_BODY, retryDelay } from '../schedule.ts'
import type { QueuedEvent } from '../turns/delivery-queue.ts'
import { isReceivers } from '../turns/receiver-holds.ts'
import type { AttemptNeeds, DeliveryAttempt } from './delivery-attempt.ts'
import { failedAttempts } from './failed.ts'

export interface ScheduledAttempts {
  /**
   * Attempts an event whose body was read from disk; `key` is the key of the body. Resolves with true if the event
   * was delivered or its type no longer has a URL.
   */
  scheduled(eventId: string, key: string, sealed: Uint8Array): Promise<boolean>
  queued(event: QueuedEvent): Promise<boolean>
  /** Handles the first entry of the due index, whose time has come. */
  due(eventId: string, dueKey: string, action: Uint8Array): Promise<void>
  /** Corrects a due time that is too late. Resolves with true if it was corrected. */
  correct(eventId: string, dueKey: string, dueAt: number, action: Uint8Array): Promise<boolean>
}

export function scheduledAttempts(needs: AttemptNeeds, attempts: DeliveryAttempt): ScheduledAttempts {
  const { instanceId, store, sealer, clock, steady, log, steps, rows, changes, line, backlog, holds } = needs
  const { target, post, afterAttempt, finish, switchedOff, answered } = attempts
  const { away, park, toQueue } = failedAttempts(needs, attempts)

  async function scheduled(eventId: string, key: string, sealed: Uint8Array): Promise<boolean> {
    await steps('outbox:picked', eventId)
    const opened = await open(eventId, key, sealed)
    return opened !== undefined && (await attempt(eventId, opened.row, opened.body))
  }

  async function queued(event: QueuedEvent): Promise<boolean> {
    const { id } = event
    if ('sealed' in event) return await scheduled(id, keys.outboxEvent(instanceId, id), event.sealed)
    await steps('outbox:picked', id)
    return await attempt(id, event.row, event.body)
  }

  /** Attempts an event. Resolves with true if the event was delivered or its type no longer has a URL. */
  async function attempt(eventId: string, row: LogRow, body: Uint8Array): Promise<boolean> {
    const url = target(row.type)
    if (url === null) {
      await switchedOff(eventId, row, body)
      return true
    }
    const outcome = await post(eventId, row.type, url, body, row.tries + 1)
    const tried = afterAttempt(row, url, outcome)
    if (outcome.ok) await finish(eventId, row, tried)
    else if (isReceivers(outcome)) await away(eventId, url, row, tried, body)
    else await park(eventId, row, { ...tried, tries: row.tries + 1 }, body)
    if (outcome.ok || !isReceivers(outcome)) answered(url)
    return outcome.ok
  }

  async function due(eventId: string, dueKey: string, action: Uint8Array) {
    const key = keys.parkedEvent(instanceId, eventId)
    const sealed = await store.get(key)
    // The event has no body outside of the queue any longer, so its entry in the due index is outdated and removed.
    if (sealed === undefined) {
      await store.commit({ ops: [[dueKey, null]] })
      if (Buffer.compare(action, ERASE) !== 0) backlog.changed(-1)
      return
    }
    if (Buffer.compare(action, ERASE) !== 0) return await retry(eventId, key, sealed)
    const row = await rows.read(eventId)
    const ops: Op[] = [
      [key, null],
      [dueKey, null],
    ]
    if (row) ops.push(rows.op(eventId, withoutBody(row)))
    await store.commit({ ops })
  }

  /**
   * Attempts a due event again. If its receiver is down, the event is not attempted, and returns to its old position
   * in the queue.
   */
  async function retry(eventId: string, key: string, sealed: Uint8Array) {
    const row = await rows.read(eventId)
    const url = row === undefined ? null : target(row.type)
    const hold = url === null ? undefined : holds.of(url)
    const moved = hold === undefined ? undefined : await toQueue(eventId)
    if (hold === undefined || moved === undefined) return void (await scheduled(eventId, key, sealed))
    await store.commit({ ops: moved.ops })
    moved.made()
    holds.wait(hold.url, [eventId], hold.probeAt, steady.now())
  }

  /** Corrects a due time that was written while the clock was ahead: it counts as written now. */
  async function correct(eventId: string, dueKey: string, dueAt: number, action: Uint8Array): Promise<boolean> {
    const now = steady.now()
    if (dueAt <= now) return false
    const row = await rows.read(eventId)
    if (!row) return false
    const delay = Buffer.compare(action, ERASE) === 0 ? KEEP_FAILED_BODY : (retryDelay(row.tries) ?? 0)
    if (dueAt <= now + delay) return false
    const next = now + delay
    const ops: Op[] = [[dueKey, null], [keys.due(instanceId, next, eventId), action], rows.op(eventId, { ...row, dueAt: next })]
    await store.commit({ ops })
    return true
  }

  /**
   * Decrypts an event. An event that cannot be read is removed and recorded as failed, so that it does not block the
   * queue; the result is then undefined.
   */
  async function open(eventId: string, key: string, sealed: Uint8Array): Promise<{ row: LogRow; body: Uint8Array } | undefined> {
    // This read is outside of the `try` block, so that the event stays in the queue if the storage fails.
    const stored = await rows.stored(eventId)
    try {
      if (stored === undefined) throw new Error(`the webhook log has no entry of the stored event ${eventId}`)
      return { row: rows.decode(eventId, stored), body: sealer.open(key, sealed) }
    } catch (error) {
      log.error(
        { instance_id: instanceId, event_id: eventId, err: error },
        'a stored webhook event could not be decoded; it was removed',
      )
      const row = await rows.read(eventId)
      const ops: Op[] = [[key, null]]
      const gone = { status: 'failed', error: 'unreadable', finishedAt: clock.now() } as const
      if (row) ops.push(...changes.ops(eventId, row, { ...withoutBody(row), ...gone }))
      await store.commit({ ops })
      line.ended(eventId)
      backlog.changed(-1)
      return undefined
    }
  }

  return { scheduled, queued, due, correct }
}
