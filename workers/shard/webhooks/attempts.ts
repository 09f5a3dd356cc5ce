/** The handling of one event: an attempt, its outcome, and the one commit that records it. The outbox decides which event is next. */

import type { EventType } from '../../../src/domain/events.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { urlField } from '../../../src/domain/instance.ts'
import type { LogDetail, LogEntry, WebhookBody } from '../../../src/domain/webhook-log.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import type { Outcome } from '../../../src/webhooks/delivery/delivery.ts'
import { validSecrets } from '../../../src/webhooks/delivery/signature.ts'
import {
  attemptsOf,
  bodyOps,
  ERASE,
  type LogRow,
  logRows,
  maskUrl,
  RETRY,
  toEntry,
  withFailure,
} from '../../../src/webhooks/log.ts'
import { indexOps } from '../../../src/webhooks/log-index.ts'
import type { Backlog } from './backlog.ts'
import type { DeliveryResult, OutboxOptions } from './contract.ts'
import type { DeliveryQueue } from './delivery-queue.ts'
import { type Holds, isReceivers } from './holds.ts'
import type { Outcomes } from './outcomes.ts'
import type { Overflow } from './overflow.ts'
import type { FreshEvent } from './queue-memory.ts'
import { KEEP_FAILED_BODY, MAX_TRIES, retryDelay } from './schedule.ts'

/** Of a body, what somebody is shown who looks at it. */
const SHOWN_BYTES = 256 * 1_024

export interface Attempts {
  /** The next try of a queued or parked event, whose body is under `key`. True: the event is over, and nothing else has changed. */
  scheduled(eventId: string, key: string, sealed: Uint8Array): Promise<boolean>
  /** The same of one that was never tried, as it was written. */
  fresh(event: FreshEvent): Promise<boolean>
  /** A due index came up. */
  due(eventId: string, dueKey: string, action: Uint8Array): Promise<void>
  /** The next due index, when nothing else is to be done. False: it is right; true: it was put off too far, and is another now. */
  correct(eventId: string, dueKey: string, dueAt: number, action: Uint8Array): Promise<boolean>
  /** One attempt, outside the schedule. */
  byHand(eventId: string): Promise<LogEntry>
  /** Back into the schedule, due now, in one commit. How many there were to send, and somewhere to send them to. */
  again(eventIds: readonly string[]): Promise<number>
  /** Throws not_found. */
  detail(eventId: string): Promise<LogDetail>
  /** The beginning of what is sent, while it is kept. Throws not_found. */
  body(eventId: string): Promise<WebhookBody>
  /** Undefined when there is none that can be read. Throws when storage itself fails. */
  readRow(eventId: string): Promise<LogRow | undefined>
}

type Needs = Pick<
  OutboxOptions,
  | 'instanceId'
  | 'store'
  | 'sealer'
  | 'clock'
  | 'steady'
  | 'webhooks'
  | 'previousSecret'
  | 'deliver'
  | 'log'
  | 'steps'
  | 'onResult'
> & {
  /** Stores an outcome; waits for a disk that fails rather than forget it. */
  persist(ops: Op[]): Promise<unknown>
  stopping: AbortSignal
  outcomes: Pick<Outcomes, 'add' | 'flush' | 'isFull'>
  backlog: Pick<Backlog, 'changed'>
  holds: Holds
  queue(): Pick<DeliveryQueue, 'fromTheBeginning'>
  overflow(): Pick<Overflow, 'parked'>
}

export function createAttempts(needs: Needs): Attempts {
  const { instanceId, store, sealer, clock, steady, webhooks, deliver, log, steps, onResult } = needs
  const { persist, stopping, outcomes, backlog, holds } = needs
  const rows = logRows(sealer)
  const logKey = (eventId: string) => keys.logEntry(instanceId, eventId)
  const rowOp = (eventId: string, row: LogRow) => rows.encode(logKey(eventId), row)
  /** Of a row that may end, or go on after it had ended. */
  const rowOps = (eventId: string, before: LogRow, after: LogRow): Op[] => [
    rowOp(eventId, after),
    ...indexOps(instanceId, eventId, before, after),
  ]
  /** The URL at the moment of the attempt. Silencing is decided when the event happens: an event that was written goes out. */
  const target = (type: EventType) => webhooks()[urlField(type)]

  async function scheduled(eventId: string, key: string, sealed: Uint8Array): Promise<boolean> {
    await steps('outbox:picked', eventId)
    const opened = await open(eventId, key, sealed)
    return opened !== undefined && (await attempt(eventId, opened.row, opened.body))
  }

  async function fresh({ id, row, body }: FreshEvent): Promise<boolean> {
    await steps('outbox:picked', id)
    return await attempt(id, row, body)
  }

  /** True: it is over. */
  async function attempt(eventId: string, row: LogRow, body: Uint8Array): Promise<boolean> {
    const url = target(row.type)
    if (url === null) {
      await finish(eventId, row, { ...row, error: 'switched off' }, 'discarded')
      return true
    }
    const outcome = await post(eventId, row.type, url, body, row.tries + 1)
    const tried = afterAttempt(row, url, outcome)
    if (outcome.ok) await finish(eventId, row, tried, 'delivered')
    else if (isReceivers(outcome)) await away(eventId, url, row, tried, body)
    else await park(eventId, row, { ...tried, tries: row.tries + 1 }, body)
    if (outcome.ok || !isReceivers(outcome)) answered(url)
    return outcome.ok
  }

  /** An outage, or the first sign of one. */
  async function away(eventId: string, url: string, row: LogRow, tried: LogRow, body: Uint8Array) {
    // Tried before and still queued: its receiver was held already, before a restart.
    const waits = holds.of(url) !== undefined || (row.body === 'line' && row.tries > 0)
    const before = waits ? undefined : holds.failed(url, eventId)
    if (!waits && before === undefined) return await park(eventId, row, { ...tried, tries: row.tries + 1 }, body)
    const others = before === undefined ? undefined : await toQueue(before)
    await stay(eventId, url, row, tried, body, others)
    if (others !== undefined) holds.wait(url, [others.eventId], others.dueAt ?? 0, steady.now())
  }

  /** The receiver answered: if its queue was held, it goes on, at once. */
  function answered(url: string) {
    if (holds.answered(url)) needs.queue().fromTheBeginning()
  }

  async function due(eventId: string, dueKey: string, action: Uint8Array) {
    const key = keys.parkedEvent(instanceId, eventId)
    const sealed = await store.get(key)
    // An index entry without a body is stale.
    if (sealed === undefined) {
      await store.commit({ ops: [[dueKey, null]] })
      if (Buffer.compare(action, ERASE) !== 0) backlog.changed(-1)
      return
    }
    if (Buffer.compare(action, ERASE) !== 0) return await retry(eventId, key, sealed)
    const row = await readRow(eventId)
    const ops: Op[] = [
      [key, null],
      [dueKey, null],
    ]
    if (row) ops.push(rowOp(eventId, { ...row, body: 'erased', dueAt: null }))
    await store.commit({ ops })
  }

  /** Its time has come; while its receiver is away it takes its place in the held queue, and is its head if it is the oldest. */
  async function retry(eventId: string, key: string, sealed: Uint8Array) {
    const row = await readRow(eventId)
    const url = row === undefined ? null : target(row.type)
    const hold = url === null ? undefined : holds.of(url)
    const moved = hold === undefined ? undefined : await toQueue(eventId)
    if (hold === undefined || moved === undefined) return void (await scheduled(eventId, key, sealed))
    await store.commit({ ops: moved.ops })
    holds.wait(hold.url, [eventId], hold.probeAt, steady.now())
  }

  /** Operations that put a parked event back to its place in the queue. Undefined when it is parked no more. */
  async function toQueue(eventId: string): Promise<{ eventId: string; ops: Op[]; dueAt: number | null } | undefined> {
    const row = await readRow(eventId)
    const sealed = await store.get(keys.parkedEvent(instanceId, eventId))
    if (row?.body !== 'parked' || row.status !== 'pending' || sealed === undefined) return undefined
    let body: Uint8Array
    try {
      body = sealer.open(keys.parkedEvent(instanceId, eventId), sealed)
    } catch {
      // Its own attempt finds that out, and records it.
      return undefined
    }
    const key = keys.outboxEvent(instanceId, eventId)
    const ops: Op[] = [
      ...bodyOps(instanceId, eventId, row),
      [key, sealer.seal(key, body)],
      rowOp(eventId, { ...row, body: 'line' }),
    ]
    return { eventId, ops, dueAt: row.dueAt }
  }

  /**
   * The event stays in the queue. A try at the time of its schedule counts; an earlier one was only a probe of the receiver. The last one
   * ends it, as everywhere.
   */
  async function stay(
    eventId: string,
    url: string,
    row: LogRow,
    tried: LogRow,
    body: Uint8Array,
    others: { ops: Op[] } | undefined,
  ) {
    const now = steady.now()
    // A time written by a clock that was ahead counts as now.
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
    const key = keys.outboxEvent(instanceId, eventId)
    await persist([
      ...bodyOps(instanceId, eventId, row),
      [key, sealer.seal(key, body)],
      rowOp(eventId, after),
      ...(others?.ops ?? []),
    ])
    holds.wait(url, [eventId], dueAt, now)
    await steps('outbox:settled', eventId)
    report(eventId, after, 'retry')
  }

  /** Corrects a time written by a clock that was ahead: it counts as written now. */
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

  /** Body and row. An event that was changed on disk, or cannot be read, is removed and recorded, so that it does not stop the queue. */
  async function open(eventId: string, key: string, sealed: Uint8Array): Promise<{ row: LogRow; body: Uint8Array } | undefined> {
    // Outside the try: a failure of storage is not the event's, which waits then.
    const stored = await store.get(logKey(eventId))
    try {
      if (stored === undefined) throw new Error(`${key} has no log row`)
      return { row: rows.decode(logKey(eventId), stored), body: sealer.open(key, sealed) }
    } catch (error) {
      log.error({ instance_id: instanceId, event_id: eventId, err: error }, 'webhook event is not readable: removed')
      const row = await readRow(eventId)
      const ops: Op[] = [[key, null]]
      const gone = { status: 'failed', error: 'unreadable', body: 'erased', dueAt: null, finishedAt: clock.now() } as const
      if (row) ops.push(...bodyOps(instanceId, eventId, row), ...rowOps(eventId, row, { ...row, ...gone }))
      await store.commit({ ops })
      backlog.changed(-1)
      return undefined
    }
  }

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
    await steps('outbox:before-post', eventId)
    const secrets = [webhooks().secret, ...validSecrets(needs.previousSecret?.(), clock.now())]
    const shown = Math.min(attempt, MAX_TRIES)
    const outcome = await deliver({ url, secrets, body, type, eventId, instanceId, attempt: shown }, stopping).catch(
      (error: unknown) => {
        if (stopping.aborted) throw error
        log.error({ instance_id: instanceId, event_id: eventId, err: error }, 'webhook attempt broke')
        return { ok: false, code: null, error: 'internal', durationMs: 0 }
      },
    )
    await steps('outbox:after-post', eventId)
    return outcome
  }

  function afterAttempt(before: LogRow, url: string, { ok, code, error, durationMs }: Outcome): LogRow {
    const attempts = before.attempts + 1
    const row = { ...before, url: maskUrl(url), attempts, code, error: error?.slice(0, 300) ?? null, durationMs }
    return ok ? row : withFailure(row, clock.now())
  }

  /** Ends the event: its body is removed in the same commit, which is not awaited. */
  async function finish(eventId: string, before: LogRow, row: LogRow, status: 'delivered' | 'discarded') {
    const after: LogRow = { ...row, status, body: 'erased', dueAt: null, finishedAt: clock.now() }
    outcomes.add(eventId, () => [...bodyOps(instanceId, eventId, before), ...rowOps(eventId, before, after)])
    // One that had failed for good was not waited for any more.
    if (before.status === 'pending') backlog.changed(-1)
    // Due events are looked up on disk.
    if (outcomes.isFull || before.body !== 'line') await outcomes.flush()
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
      ...rowOps(eventId, before, after),
    ])
    if (last) backlog.changed(-1)
    else needs.overflow().parked(eventId)
    await steps('outbox:settled', eventId)
    report(eventId, after, last ? 'failed' : 'retry')
  }

  function report(eventId: string, { type, attempts, code, error, durationMs, requestId }: LogRow, result: DeliveryResult) {
    const outcome = { event: type, result, attempt: attempts, code, error, duration_ms: durationMs }
    const line = { instance_id: instanceId, event_id: eventId, ...outcome, request_id: requestId }
    // What is received is told to its webhook a thousand times a second: a line for each would cost as much as the POST.
    const isExpected = attempts === 1 && requestId === undefined
    if (result === 'delivered') log[isExpected ? 'debug' : 'info'](line, 'webhook delivered')
    else log.warn(line, result === 'discarded' ? 'webhook discarded' : 'webhook attempt failed')
    onResult?.(type, result, durationMs)
  }

  /** An event that still has its body. */
  async function kept(eventId: string) {
    const row = await readRow(eventId)
    if (row === undefined || row.body === 'erased') return undefined
    const key = row.body === 'line' ? keys.outboxEvent(instanceId, eventId) : keys.parkedEvent(instanceId, eventId)
    const sealed = await store.get(key)
    return sealed && { row, key, sealed }
  }

  async function known(eventId: string): Promise<LogRow> {
    const row = await readRow(eventId)
    if (row === undefined) throw new Failure('not_found', { message: 'No event has this id.' })
    return row
  }

  async function detail(eventId: string): Promise<LogDetail> {
    const row = await known(eventId)
    return { entry: toEntry(instanceId, eventId, row), attempts: attemptsOf(row) }
  }

  async function body(eventId: string): Promise<WebhookBody> {
    const found = await kept(eventId)
    if (found === undefined) throw new Failure('not_found', { message: 'The body of this event is not kept any more.' })
    const bytes = sealer.open(found.key, found.sealed)
    return { body: bytes.subarray(0, SHOWN_BYTES).toString('utf8'), truncated: bytes.byteLength > SHOWN_BYTES }
  }

  async function byHand(eventId: string): Promise<LogEntry> {
    const found = await kept(eventId)
    if (found === undefined) throw new Failure('not_found', { message: 'The body of this event is not kept any more.' })
    const url = target(found.row.type)
    if (url === null) throw new Failure('not_allowed', { message: 'The type of this event has no URL.' })
    const body = sealer.open(found.key, found.sealed)
    const outcome = await post(eventId, found.row.type, url, body, found.row.attempts + 1)
    const row = afterAttempt(found.row, url, outcome)
    if (outcome.ok) {
      await finish(eventId, found.row, row, 'delivered')
      await outcomes.flush()
      answered(url)
    } else {
      // Changes nothing but the row: place, schedule and time of erasure stay.
      await persist([rowOp(eventId, row)])
      report(eventId, row, row.status === 'failed' ? 'failed' : 'retry')
    }
    return toEntry(instanceId, eventId, (await readRow(eventId)) ?? row)
  }

  async function again(eventIds: readonly string[]): Promise<number> {
    const dueAt = steady.now()
    const ops: Op[] = []
    const revived: string[] = []
    let queued = 0
    for (const eventId of eventIds) {
      const found = await kept(eventId)
      if (found === undefined || target(found.row.type) === null) continue
      queued++
      // It is in the queue anyway.
      if (found.row.body === 'line') continue
      if (found.row.dueAt !== null) ops.push([keys.due(instanceId, found.row.dueAt, eventId), null])
      ops.push(
        [keys.due(instanceId, dueAt, eventId), RETRY],
        ...rowOps(eventId, found.row, { ...found.row, status: 'pending', tries: 0, dueAt, finishedAt: null }),
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

  return { scheduled, fresh, due, correct, byHand, again, detail, body, readRow }
}
