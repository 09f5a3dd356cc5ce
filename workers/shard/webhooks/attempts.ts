/** What happens to one event: an attempt, its outcome, and the one commit that records it. Who is next is the outbox's business. */

import type { EventType } from '../../../src/domain/events.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/keys.ts'
import { bodyOps, type LogEntry, type LogRow, logRows, maskUrl, toEntry } from '../../../src/webhooks/log.ts'
import type { Backlog } from './backlog.ts'
import type { DeliveryResult, OutboxOptions } from './contract.ts'
import type { Outcome } from './delivery.ts'
import { targetOf } from './finished-event.ts'
import { ERASE, KEEP_FAILED_BODY, MAX_TRIES, RETRY, retryDelay } from './schedule.ts'

export interface Attempts {
  /** The next try of an event in the line or parked, whose body is under `key`. */
  scheduled(eventId: string, key: string, sealed: Uint8Array): Promise<void>
  /** A due index came up. */
  due(eventId: string, dueKey: string, action: Uint8Array): Promise<void>
  /** The next due index, when nothing else is to be done. False: it is right; true: it was put off too far, and is another now. */
  correct(eventId: string, dueKey: string, dueAt: number, action: Uint8Array): Promise<boolean>
  /** One attempt, outside the schedule. */
  byHand(eventId: string): Promise<LogEntry>
  /** Back into the schedule, due now. False: there is nothing to send, or nowhere to send it to. */
  again(eventId: string): Promise<boolean>
}

type Needs = Pick<
  OutboxOptions,
  'instanceId' | 'store' | 'sealer' | 'clock' | 'steady' | 'webhooks' | 'deliver' | 'log' | 'onStep' | 'onResult'
> & {
  /** Stores an outcome; waits for a disk that fails rather than forget it. */
  persist(ops: Op[]): Promise<unknown>
  stopping: AbortSignal
  backlog: Pick<Backlog, 'changed'>
}

export function createAttempts(needs: Needs): Attempts {
  const { instanceId, store, sealer, clock, steady, webhooks, deliver, log, onStep, onResult, persist, stopping, backlog } = needs
  const rows = logRows(sealer)
  const logKey = (eventId: string) => keys.logEntry(instanceId, eventId)
  const rowOp = (eventId: string, row: LogRow) => rows.encode(logKey(eventId), row)
  const target = (type: EventType) => targetOf(webhooks(), type)

  async function scheduled(eventId: string, key: string, sealed: Uint8Array) {
    await onStep?.('picked', eventId)
    const opened = await open(eventId, key, sealed)
    if (opened === undefined) return
    const { row, body } = opened
    const url = target(row.type)
    if (url === undefined) return await finish(eventId, row, { ...row, error: 'switched off' }, 'discarded')
    const outcome = await post(eventId, row.type, url, body, row.tries + 1)
    const tried = afterAttempt(row, url, outcome)
    if (outcome.ok) await finish(eventId, row, tried, 'delivered')
    else await park(eventId, row, { ...tried, tries: row.tries + 1 }, body)
  }

  async function due(eventId: string, dueKey: string, action: Uint8Array) {
    const key = keys.parkedEvent(instanceId, eventId)
    const sealed = await store.get(key)
    // An index without a body says nothing any more.
    if (sealed === undefined) {
      await store.commit({ ops: [[dueKey, null]] })
      if (Buffer.compare(action, ERASE) !== 0) backlog.changed(-1)
      return
    }
    if (Buffer.compare(action, ERASE) !== 0) return await scheduled(eventId, key, sealed)
    const row = await readRow(eventId)
    const ops: Op[] = [
      [key, null],
      [dueKey, null],
    ]
    if (row) ops.push(rowOp(eventId, { ...row, body: 'erased', dueAt: null }))
    await store.commit({ ops })
  }

  /** By a clock that was ahead: what was stored in the future counts as now. */
  async function correct(eventId: string, dueKey: string, dueAt: number, action: Uint8Array): Promise<boolean> {
    const now = steady.now()
    if (dueAt <= now) return false
    const row = await readRow(eventId)
    if (!row) return false
    const delay = Buffer.compare(action, ERASE) === 0 ? KEEP_FAILED_BODY : (retryDelay(row.tries) ?? 0)
    if (dueAt <= now + delay) return false
    const next = now + delay
    const ops: Op[] = [[dueKey, null], [keys.due(instanceId, next, eventId), action], rowOp(eventId, { ...row, dueAt: next })]
    await store.commit({ ops })
    return true
  }

  /** Body and row. What was changed on disk, or cannot be read, is taken out and recorded, so that it does not stop the line. */
  async function open(eventId: string, key: string, sealed: Uint8Array): Promise<{ row: LogRow; body: Uint8Array } | undefined> {
    // Outside the try: storage that fails says nothing about the event, which waits then.
    const stored = await store.get(logKey(eventId))
    try {
      if (stored === undefined) throw new Error(`${key} has no log row`)
      return { row: rows.decode(logKey(eventId), stored), body: sealer.open(key, sealed) }
    } catch (error) {
      log.error({ instance_id: instanceId, event_id: eventId, err: error }, 'webhook event is not readable: removed')
      const row = await readRow(eventId)
      const ops: Op[] = [[key, null]]
      const gone = { status: 'failed', error: 'unreadable', body: 'erased', dueAt: null, finishedAt: clock.now() } as const
      if (row) ops.push(...bodyOps(instanceId, eventId, row), rowOp(eventId, { ...row, ...gone }))
      await store.commit({ ops })
      backlog.changed(-1)
      return undefined
    }
  }

  /** The row, or undefined when there is none that can be read. Throws when storage itself fails. */
  async function readRow(eventId: string): Promise<LogRow | undefined> {
    const stored = await store.get(logKey(eventId))
    try {
      return stored && rows.decode(logKey(eventId), stored)
    } catch (error) {
      log.error({ instance_id: instanceId, event_id: eventId, err: error }, 'webhook log row is not readable')
      return undefined
    }
  }

  async function post(eventId: string, type: EventType, url: string, body: Uint8Array, attempt: number): Promise<Outcome> {
    await onStep?.('before-post', eventId)
    const { secret } = webhooks()
    const shown = Math.min(attempt, MAX_TRIES)
    const outcome = await deliver({ url, secret, body, type, eventId, instanceId, attempt: shown }, stopping).catch(
      (error: unknown) => {
        if (stopping.aborted) throw error
        log.error({ instance_id: instanceId, event_id: eventId, err: error }, 'webhook attempt broke')
        return { ok: false, code: null, error: 'internal', durationMs: 0 }
      },
    )
    await onStep?.('after-post', eventId)
    return outcome
  }

  const afterAttempt = (row: LogRow, url: string, { code, error, durationMs }: Outcome): LogRow => ({
    ...row,
    url: maskUrl(url),
    attempts: row.attempts + 1,
    code,
    error: error?.slice(0, 300) ?? null,
    durationMs,
  })

  /** The event's end: its body goes in the same commit. */
  async function finish(eventId: string, before: LogRow, row: LogRow, status: 'delivered' | 'discarded') {
    const after: LogRow = { ...row, status, body: 'erased', dueAt: null, finishedAt: clock.now() }
    await persist([...bodyOps(instanceId, eventId, before), rowOp(eventId, after)])
    // One that had failed for good was not waited for any more.
    if (before.status === 'pending') backlog.changed(-1)
    await onStep?.('settled', eventId)
    report(eventId, after, status)
  }

  async function park(eventId: string, before: LogRow, row: LogRow, body: Uint8Array) {
    const now = clock.now()
    const delay = retryDelay(row.tries)
    const last = delay === undefined
    const dueAt = steady.now() + (delay ?? KEEP_FAILED_BODY)
    const after: LogRow = { ...row, status: last ? 'failed' : 'pending', body: 'parked', dueAt, finishedAt: last ? now : null }
    const key = keys.parkedEvent(instanceId, eventId)
    // Of two operations on one key the later one counts: a body parked before is replaced.
    await persist([
      ...bodyOps(instanceId, eventId, before),
      [key, sealer.seal(key, body)],
      [keys.due(instanceId, dueAt, eventId), last ? ERASE : RETRY],
      rowOp(eventId, after),
    ])
    if (last) backlog.changed(-1)
    await onStep?.('settled', eventId)
    report(eventId, after, last ? 'failed' : 'retry')
  }

  function report(eventId: string, { type, attempts, code, error, durationMs }: LogRow, result: DeliveryResult) {
    const outcome = { event: type, result, attempt: attempts, code, error, duration_ms: durationMs }
    const line = { instance_id: instanceId, event_id: eventId, ...outcome }
    if (result === 'delivered') log.info(line, 'webhook delivered')
    else log.warn(line, result === 'discarded' ? 'webhook discarded' : 'webhook attempt failed')
    onResult?.(type, result, durationMs)
  }

  /** An event that still has its body. */
  async function kept(eventId: string) {
    const row = await readRow(eventId)
    if (row === undefined || row.body === 'erased') return undefined
    const key = row.body === 'line' ? keys.outboxEvent(instanceId, eventId) : keys.parkedEvent(instanceId, eventId)
    const sealed = await store.get(key)
    return sealed && { row, body: sealer.open(key, sealed) }
  }

  async function byHand(eventId: string): Promise<LogEntry> {
    const found = await kept(eventId)
    if (found === undefined) throw new Failure('not_found')
    const url = target(found.row.type)
    if (url === undefined) throw new Failure('not_allowed')
    const outcome = await post(eventId, found.row.type, url, found.body, found.row.attempts + 1)
    const row = afterAttempt(found.row, url, outcome)
    if (outcome.ok) await finish(eventId, found.row, row, 'delivered')
    else {
      // Changes nothing but the row: place, schedule and time of erasure stay.
      await persist([rowOp(eventId, row)])
      report(eventId, row, row.status === 'failed' ? 'failed' : 'retry')
    }
    return toEntry(instanceId, eventId, (await readRow(eventId)) ?? row)
  }

  async function again(eventId: string): Promise<boolean> {
    const found = await kept(eventId)
    if (found === undefined || target(found.row.type) === undefined) return false
    if (found.row.body === 'line') return true
    const dueAt = steady.now()
    const ops: Op[] = [
      [keys.due(instanceId, dueAt, eventId), RETRY],
      rowOp(eventId, { ...found.row, status: 'pending', tries: 0, dueAt, finishedAt: null }),
    ]
    if (found.row.dueAt !== null) ops.unshift([keys.due(instanceId, found.row.dueAt, eventId), null])
    await store.commit({ ops })
    if (found.row.status === 'failed') backlog.changed(1)
    return true
  }

  return { scheduled, due, correct, byHand, again }
}
