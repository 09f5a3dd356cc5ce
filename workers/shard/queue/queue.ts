/**
 * The durable queue of one instance: one item in flight, and the others in their order, except that held items are
 * overtaken. An item is committed before it is acknowledged, and recorded as in flight before the network is contacted.
 * The commit that removes an ended item contains its `delivery` event, if one is wanted. A kill repeats at most the
 * item in flight, with the same message id.
 */

import { SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { ascendingIds } from '../../../src/storage/ascending-ids.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { systemTimer, within } from '../../../src/storage/timer.ts'
import { createDurableLine } from '../durable-line/durable-line.ts'
import { createOutcomes } from '../durable-line/outcomes.ts'
import { createAttempt } from './attempt.ts'
import { createAttemptCounter } from './attempt-counter.ts'
import type { Queue, QueueOptions } from './contract.ts'
import { createDrain } from './drain.ts'
import { createEntering } from './entering.ts'
import { createExpiry } from './expiry.ts'
import { createHeldTimes } from './held-times.ts'
import type { Waiting } from './item.ts'
import { createItemStore } from './item-store.ts'
import { createHolds } from './line/holds.ts'
import { createLater } from './line/later.ts'
import { createListing } from './line/listing.ts'
import { createQueueLine } from './line/queue-line.ts'
import { createRestricted } from './line/restricted.ts'
import { createSchedule } from './line/schedule.ts'
import { createSendAt } from './line/send-at.ts'
import { createLookAhead } from './look-ahead.ts'
import { createModes, inFlight } from './modes.ts'
import { createRemoval } from './removal.ts'
import { createSettle } from './settle.ts'

/**
 * Maximum time in ms that a removal waits for the item in flight. Without a connection its attempt ends soon, and the
 * item can be removed.
 */
const COMING_BACK = SECOND

export function createQueue(options: QueueOptions): Queue {
  const { instanceId, store, sealer, clock, steady, blobs, log, timer = systemTimer } = options
  let state: 'new' | 'running' | 'stopped' = 'new'
  const stopping = new AbortController()
  const shared = { ...options, timer, signal: stopping.signal, isRunning: () => state === 'running' }

  const items = createItemStore({ instanceId, store, sealer, blobs, log })
  const ids = ascendingIds(clock)
  const counter = createAttemptCounter(shared)
  const isUndecided = (svcId: string) => counter.svcId === svcId
  const sendAt = createSendAt({ clock, steady, isUndecided })
  const restricted = createRestricted({
    steady,
    hasWritten: options.hasWritten,
    onError: (error) =>
      log.warn(
        { instance_id: instanceId, err: error },
        'queue: a look-up of the people who wrote to this account failed; during a restriction the message waits',
      ),
  })
  const later = createLater(steady)
  const holds = createHolds([sendAt, restricted, ...(options.policies ?? []), later], { clock, steady })
  const heldTimes = createHeldTimes(options)
  const durable = createDurableLine<Waiting>({
    store,
    prefix: keys.queue(instanceId),
    idOf: ({ svcId }) => svcId,
    decode(svcId, bytes) {
      const item = items.waiting(svcId, bytes, sendAt.arrivalOf)
      return item && { ...item, heldMs: heldTimes.of(svcId) }
    },
  })
  const line = createQueueLine(durable, holds)
  const outcomes = createOutcomes({
    ...shared,
    onFailure: (err, waitMs) =>
      log.error({ instance_id: instanceId, err, retry_in_ms: waitMs }, 'queue: the outcome of an item could not be stored'),
  })
  const modes = createModes()
  const schedule = createSchedule(shared)
  const lookAhead = createLookAhead({ ...shared, items })
  const attempt = createAttempt({ ...shared, items, counter })
  const settle = createSettle({ ...shared, items, line, outcomes })
  const drain = createDrain({ ...shared, line, modes, schedule, holds, later, lookAhead, counter, attempt, settle })
  const removal = createRemoval({ ...shared, items, line, later, lookAhead, drain })
  const expiry = createExpiry({ ...shared, line, holds, heldTimes, schedule, sendAt, removal, settle })
  const listing = createListing({ ...shared, items, line, modes, schedule, holds, sendAt })
  const enqueue = createEntering({ ...shared, ids, items, line, modes, schedule, holds, sendAt, counter, drain })
  holds.onChange(drain.pump)

  /**
   * Finds the item that was in flight when the previous run ended. If the network may know its message, send safety
   * does not hold it.
   */
  async function recallUndecided() {
    const item = line.rows.find(({ svcId }) => isUndecided(svcId))
    if (item) item.mayHaveLeft = (await options.mayHaveLeft?.(item.messageId)) ?? true
  }

  async function start() {
    await counter.load()
    await heldTimes.load()
    ids.continueAfter((await line.load()) ?? '')
    await recallUndecided()
    await items.sweep()
    state = 'running'
    expiry.start()
    drain.pump()
  }

  async function stop(deadlineMs: number) {
    state = 'stopped'
    lookAhead.discard()
    drain.stopTimer()
    expiry.stop()
    await within(inFlight(modes.now)?.done, deadlineMs)
    stopping.abort(new Failure('engine_unavailable'))
    await heldTimes.save(line.rows, true).catch((error: unknown) => {
      log.warn(
        { instance_id: instanceId, err: error },
        'queue: the times in which messages were held could not be stored; the last minutes of them count as age',
      )
    })
    // The item did not cause this end of the thread, so the attempt is not counted.
    if (counter.isNamed) return counter.unname()
    if (inFlight(modes.now)) await counter.uncount()
  }

  const current = () => [inFlight(modes.now)?.item, ...line.rows]

  return {
    enqueue,
    ...listing,
    start,
    stop,
    setConnected(connected) {
      if (connected === schedule.isConnected) return
      schedule.setConnected(connected)
      if (!connected) lookAhead.discard()
      counter.reconnected()
      drain.pump()
    },
    setRestricted(restriction) {
      const until = restriction?.until ?? null
      restricted.set(restriction && { until: until === null ? null : steady.now() + (until - clock.now()) })
    },
    reachChanged: restricted.reachChanged,
    clear: (phone) => removal.remove(line.rows.filter((item) => phone === undefined || item.phone === phone)),
    async remove(svcId) {
      const flying = inFlight(modes.now)
      if (flying?.item.svcId === svcId && !schedule.isConnected) await within(flying.done, COMING_BACK)
      return (await removal.remove(line.rows.filter((item) => item.svcId === svcId))) === 1
    },
    waiting: () => line.rows.length,
    idsAhead: ids.ahead,
    leftAt: (svcId) => current().find((item) => item?.svcId === svcId)?.leftAt,
    undecided: () => current().find((item) => item?.svcId === counter.svcId)?.messageId,
  }
}
