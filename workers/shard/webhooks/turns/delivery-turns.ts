/**
 * Chooses the next task of the outbox. Only one task runs at a time. A resend by an administrator comes first, then the
 * pruning of the log, then the list `tasks` in its order.
 */
import { decodeTime } from 'ulid'
import { HOUR } from '../../../../src/domain/clock.ts'
import { Failure } from '../../../../src/domain/failures.ts'
import type { AscendingIds } from '../../../../src/storage/ascending-ids.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import type { Timer } from '../../../../src/storage/timer.ts'
import type { Outcomes } from '../../durable-line/outcomes.ts'
import type { ScheduledAttempts } from '../attempts/scheduled.ts'
import type { Backlog } from '../backlog.ts'
import type { OutboxOptions } from '../contract.ts'
import type { LogPruning } from '../log-pruning.ts'
import type { Overflow } from '../overflow.ts'
import type { Stream } from '../stream/stream.ts'
import type { DeliveryQueue, EventLine } from './delivery-queue.ts'
import type { Due, DueEvents } from './due-events.ts'
import { createFrontTasks } from './front-tasks.ts'
import type { Hold, ReceiverHolds } from './receiver-holds.ts'
import { createWorkLoop } from './work-loop.ts'

export interface DeliveryTurnsDeps extends Pick<OutboxOptions, 'instanceId' | 'store' | 'steady' | 'log'> {
  timer: Timer
  ids: AscendingIds
  line: EventLine
  queue: DeliveryQueue
  due: DueEvents
  holds: ReceiverHolds
  backlog: Backlog
  outcomes: Outcomes
  pruning: LogPruning
  overflow: Overflow
  stream: Pick<Stream, 'startOver'>
  attempts: ScheduledAttempts
}

export function createDeliveryTurns(deps: DeliveryTurnsDeps) {
  const { instanceId, store, steady, timer, ids, line, queue, due, holds, outcomes, attempts } = deps
  const front = createFrontTasks()
  /** The due event whose time was checked last. */
  let checked: Due | undefined

  const loop = createWorkLoop({ timer, turn, onError: logUnexpected(deps) })

  /**
   * The tasks in their order. A task that had nothing to do returns or resolves with false. A task returns a promise
   * only if necessary, because a promise for each task in each turn would be expensive.
   */
  const tasks: readonly (() => boolean | Promise<boolean>)[] = [
    () => deps.overflow.isDue() && besideTheQueue(deps.overflow.run),
    () => {
      const hold = holds.due(steady.now())
      return hold !== undefined && probe(hold)
    },
    oldest,
    () => ids.ahead() !== 0 && startIdsOver(deps, besideTheQueue),
    correct,
  ]

  /**
   * Does one piece of work. Resolves with `more` if further work may be due at once, or with the ms until the next
   * task.
   */
  async function turn(): Promise<'more' | number> {
    if (await front.next(besideTheQueue)) return 'more'
    const hasMore = await deps.pruning.run()
    for (const task of tasks) {
      const made = task()
      if (made !== false && (await made)) return 'more'
    }
    if (hasMore) return 'more'
    // Log rows are pruned by age even if there are no events, so the next turn is at most an hour later.
    const parked = await due.first()
    const next = Math.min(parked?.at ?? Number.POSITIVE_INFINITY, holds.next())
    return Math.min(next - steady.now(), HOUR)
  }

  /** Posts the oldest event of a URL whose receiver is down, to find out whether the receiver is up again. */
  async function probe(hold: Hold): Promise<boolean> {
    await besideTheQueue(async () => {
      if (hold.head === undefined) return await queue.seekHead(hold)
      const key = keys.outboxEvent(instanceId, hold.head)
      const sealed = await store.get(key)
      // The first event was sent by an administrator or dropped, or its type has another URL now.
      if (sealed === undefined || (await queue.urlOf(hold.head)) !== hold.url) return holds.headless(hold)
      await attempts.scheduled(hold.head, key, sealed)
    })
    return true
  }

  /**
   * Handles the first event of the queue, or the first due event outside of the queue. The event with the earlier time
   * comes first, so that neither of the two blocks the other.
   */
  async function oldest(): Promise<boolean> {
    const head = await queue.next()
    if (head === 'more') return true
    const parked = await due.first()
    if (parked !== null && parked.at <= steady.now() && (head === undefined || parked.at <= decodeTime(head.id))) {
      await besideTheQueue(() => attempts.due(parked.id, parked.key, parked.bytes))
      return true
    }
    if (head === undefined) return false
    line.take(head.id)
    let isOver = false
    try {
      isOver = await attempts.queued(head)
    } finally {
      if (!isOver) distrust()
    }
    return true
  }

  async function correct(): Promise<boolean> {
    const first = await due.first()
    if (first === null || first === checked) return false
    const isChanged = await attempts.correct(first.id, first.key, first.at, first.bytes)
    if (isChanged) due.forget()
    else checked = first
    return isChanged
  }

  /**
   * Runs work that may change more than the first event of the queue. After the work, the first events are read from
   * the disk again.
   */
  async function besideTheQueue<T>(work: () => Promise<T>): Promise<T> {
    await outcomes.flush()
    try {
      return await work()
    } finally {
      distrust()
    }
  }

  function distrust() {
    line.forget()
    due.forget()
  }

  return {
    start: loop.start,
    wake: loop.wake,
    stop: loop.stop,
    inFront<T>(work: () => Promise<T>): Promise<T> {
      if (!loop.isRunning()) return Promise.reject(new Failure('engine_unavailable'))
      const done = front.add(work)
      loop.wake()
      return done
    },
    refuseAll: front.refuseAll,
  }
}

const logUnexpected =
  ({ instanceId, log }: DeliveryTurnsDeps) =>
  (err: unknown, retryMs: number) =>
    log.error(
      { instance_id: instanceId, err, retry_in_ms: retryMs },
      'webhook outbox: an unexpected error occurred; the delivery is tried again',
    )

type Beside = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Makes new ids begin at the present time again, if no event is waiting. Kept events of streams would sort after newer
 * events, so they are removed, and readers are told that events may be missing.
 */
async function startIdsOver(
  { instanceId, log, ids, due, backlog, stream }: DeliveryTurnsDeps,
  besideTheQueue: Beside,
): Promise<boolean> {
  const aheadMs = ids.ahead()
  if ((await due.first()) !== null || backlog.size() > 0) return false
  const hasBegun = await besideTheQueue(() => stream.startOver(ids.startOver))
  if (hasBegun)
    log.warn(
      { instance_id: instanceId, ahead_ms: aheadMs },
      'event ids were ahead of the clock; they start again at the current time',
    )
  return true
}
