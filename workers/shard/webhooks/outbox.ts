/**
 * The webhook outbox of one instance. An event is stored in the commit of its cause. Events are posted one at a time,
 * in order, with a limited number of attempts; an event may be posted twice. A failed event waits outside of the queue
 * and does not block others; only if its receiver is down, the queue of its URL waits.
 *   outbox:<event>       body of an event without attempts, or of one whose receiver is down: the delivery queue, in key order
 *   parked:<event>       body of a failed event that waits outside of the queue
 *   due:<time>:<event>   time of its next attempt; after the last attempt, time at which its body is erased
 *   log:<event>          history of an event
 * A kill repeats at most the unrecorded deliveries and the attempt in flight, with the same event ids. While the
 * receiver is up, events are usually posted from memory.
 */
import { Failure } from '../../../src/domain/failures.ts'
import { ascendingIds } from '../../../src/storage/ascending-ids.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { systemTimer, within } from '../../../src/storage/timer.ts'
import { createDurableLine } from '../durable-line/durable-line.ts'
import { createOutcomes } from '../durable-line/outcomes.ts'
import { createAppending } from './appending.ts'
import { manualAttempts } from './attempts/by-hand.ts'
import { type AttemptNeeds, createDeliveryAttempt } from './attempts/delivery-attempt.ts'
import { createEventChanges } from './attempts/event-changes.ts'
import { scheduledAttempts } from './attempts/scheduled.ts'
import { testDelivery } from './attempts/test-delivery.ts'
import { createBacklog } from './backlog.ts'
import type { Outbox, OutboxOptions } from './contract.ts'
import { createEventRows } from './event-rows.ts'
import { createEventTimes } from './event-times.ts'
import { logPruning } from './log-pruning.ts'
import { createOverflow } from './overflow.ts'
import { MAX_WAITING } from './schedule.ts'
import { createStream } from './stream/stream.ts'
import { createDeliveryQueue, type QueuedEvent } from './turns/delivery-queue.ts'
import { createDeliveryTurns } from './turns/delivery-turns.ts'
import { createDueEvents } from './turns/due-events.ts'
import { createReceiverHolds } from './turns/receiver-holds.ts'

export type { DeliveryResult, Outbox, OutboxOptions } from './contract.ts'

/** Maximum number of new events in memory. If the receiver is slower than the events, the rest waits on disk. */
const MAX_ROWS = 256
const MAX_BYTES = 1_024 * 1_024

/** Maximum time in ms that a stop waits for an aborted request. A request that takes longer counts as hanging. */
const ABORT_GRACE = 250

const bytesOf = (event: QueuedEvent) => ('body' in event ? event.body.byteLength : 0)

export function createOutbox(options: OutboxOptions): Outbox {
  const { instanceId, store, sealer, clock, steady, webhooks, log, timer = systemTimer, maxLogEntries } = options
  const stopping = new AbortController()
  const rows = createEventRows(options)
  const pruning = logPruning({ instanceId, store, rows, clock, steady, log, maxEntries: maxLogEntries })
  const times = createEventTimes({ instanceId, store, sealer, clock })
  const ids = ascendingIds(clock)
  const backlog = createBacklog(instanceId, store)
  const holds = createReceiverHolds()
  const stream = createStream({
    instanceId,
    store,
    sealer,
    clock: steady,
    timer,
    position: () => ids.next(),
    log,
    onEvents: options.onEvents ?? (() => {}),
    onInterest: options.onInterest ?? (() => {}),
    maxEvents: options.maxKeptEvents,
  })
  const outcomes = createOutcomes({
    store,
    timer,
    signal: stopping.signal,
    max: options.maxUnwritten,
    onFailure: (err, waitMs) =>
      log.error(
        { instance_id: instanceId, err, retry_in_ms: waitMs },
        'webhook outbox: the outcome of a delivery could not be stored',
      ),
    onWritten: (eventId) => void options.steps('outbox:settled', eventId),
    onLost: (err) =>
      log.error(
        { instance_id: instanceId, err },
        'webhook outbox: the outcomes of some deliveries were not stored; these events are delivered again',
      ),
  })
  const line = createDurableLine<QueuedEvent>({
    store,
    prefix: keys.outbox(instanceId),
    idOf: ({ id }) => id,
    decode: (id, sealed) => ({ id, sealed }),
    settled: outcomes.flush,
    maxRows: MAX_ROWS,
    maxBytes: MAX_BYTES,
    bytesOf,
  })
  const due = createDueEvents({ instanceId, store, settled: outcomes.flush })
  const changes = createEventChanges({ instanceId, sealer, rows, line, backlog, overflow: () => overflow })
  const needs: AttemptNeeds = {
    ...options,
    stopping: stopping.signal,
    outcomes,
    rows,
    changes,
    line,
    backlog,
    holds,
    overflow: () => overflow,
    keptToTheEnd: due.keptToTheEnd,
  }
  const attempt = createDeliveryAttempt(needs)
  const shared = { ...options, timer, ids, line, due, holds, backlog, outcomes, pruning, stream }
  const overflow = createOverflow({ ...shared, rows, changes, clock: steady, max: options.maxWaiting ?? MAX_WAITING })
  const turns = createDeliveryTurns({
    ...shared,
    overflow,
    queue: createDeliveryQueue({ line, webhooks, holds, rows }),
    attempts: scheduledAttempts(needs, attempt),
  })

  async function start() {
    const log = keys.log(instanceId)
    for await (const [key] of store.range(log, { reverse: true, limit: 1 })) ids.continueAfter(key.slice(log.length))
    ids.continueAfter((await line.newest()) ?? '')
    await Promise.all([backlog.load(), times.load(), stream.load()])
    ids.continueAfter(stream.newest())
    turns.start()
  }

  async function stop(deadlineMs: number) {
    const ended = turns.stop()
    await within(ended, deadlineMs)
    stopping.abort(new Failure('engine_unavailable'))
    await within(ended, ABORT_GRACE)
    await outcomes.stop()
    await stream.stop()
    turns.refuseAll()
  }

  return {
    ...createAppending({ ...shared, times, rows, wake: turns.wake }),
    ...manualAttempts({ ...needs, attempts: attempt, inFront: turns.inFront }),
    start,
    stop,
    // An event may be delivered before `committed` is called for it. Until then, the count can be negative.
    backlog: () => Math.max(0, backlog.size()),
    heldBytes: () => line.rows.reduce((total, event) => total + bytesOf(event), 0),
    ahead: () => Math.max(ids.ahead(), times.ahead()),
    events: stream.page,
    configured: turns.wake,
    test: testDelivery({ ...shared, stopping: stopping.signal }),
  }
}
