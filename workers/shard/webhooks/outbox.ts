/**
 * The webhook outbox of one instance. A finished event is stored, sealed, in the commit of its cause; then it is delivered at least once, one at a
 * time, in the order of the events. A failed event is parked with the time of its next attempt, and the queue continues: an event can be late, but
 * cannot block the others. Only while a receiver is down, the queue of its URL is held, so that an outage keeps the order (`receiver-holds.ts`); an
 * attempted event is then back in the queue.
 *
 *   outbox:<event>       body of an event without attempts, or of one whose receiver is down: the delivery queue, in key order
 *   parked:<event>       body of one that failed, with
 *   due:<time>:<event>   time of its next attempt, or, after the last attempt, of its erasure
 *   log:<event>          its history so far
 *
 * While a stream reads the events they are also kept for it (`stream/stream.ts`); events without a URL are only kept there.
 *
 * Every change of these is one commit, which never waits for the network. A delivery is recorded later, together with those after it
 * (`delivery-outcomes.ts`), so a kill at any point repeats at most one such batch and the attempt in flight, with the same event ids.
 *
 * While its receiver is up, an event is posted from memory (`queue-memory.ts`); the queue on disk is read after a start, a failure, or a burst.
 */
import { decodeTime } from 'ulid'
import { HOUR, SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { urlField } from '../../../src/domain/instance.ts'
import { ascendingIds } from '../../../src/storage/ascending-ids.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { persistently } from '../../../src/storage/persist.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { systemTimer, within } from '../../../src/storage/timer.ts'
import { validSecrets } from '../../../src/webhooks/delivery/signature.ts'
import { logRows } from '../../../src/webhooks/log.ts'
import { manualAttempts } from './attempts/by-hand.ts'
import { type AttemptNeeds, createDeliveryAttempt } from './attempts/delivery-attempt.ts'
import { scheduledAttempts } from './attempts/scheduled.ts'
import { createBacklog } from './backlog.ts'
import type { Outbox, OutboxOptions } from './contract.ts'
import { createDeliveryOutcomes, MAX_UNWRITTEN } from './delivery-outcomes.ts'
import { createDeliveryQueue } from './delivery-queue.ts'
import { createEventTimes } from './event-times.ts'
import { eventBytes, firstRow, isWanted } from './finished-event.ts'
import { logPruning } from './log-pruning.ts'
import { createOverflow } from './overflow.ts'
import { createQueueMemory } from './queue-memory.ts'
import { createReceiverHolds, type Hold } from './receiver-holds.ts'
import { sampleEvent } from './sample.ts'
import { MAX_WAITING } from './schedule.ts'
import { createStream } from './stream/stream.ts'

export type { DeliveryResult, Outbox, OutboxOptions } from './contract.ts'

/** First back-off while storage itself fails. */
const FIRST_BACKOFF = SECOND
const MOST_BACKOFF = 30 * SECOND

/** An aborted request ends within a turn or two; more time than this, in ms, would be a hang. */
const ABORT_GRACE = 250

/** Number of characters of a receiver's answer to a test. */
const ANSWER_CHARS = 1_000

/** Number of running commits of events that include outcomes. */
const MAX_CARRIED = 256

/** Number of events that one commit puts back into the schedule. */
const AT_ONCE = 100

interface Due {
  id: string
  key: string
  bytes: Uint8Array
  at: number
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { instanceId, store, sealer, clock, steady, webhooks, log, timer = systemTimer, maxLogEntries } = options
  const rows = logRows(sealer)
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
  const stopping = new AbortController()
  const memory = createQueueMemory()
  const outcomes = createDeliveryOutcomes({
    instanceId,
    store,
    timer,
    steps: options.steps,
    log,
    max: options.maxUnwritten ?? MAX_UNWRITTEN,
  })
  /** Outcomes that are written with the commit of an event, by its id. */
  const carried = new Map<string, { written(): void }>()

  /** Manual resends: they come before the queue and, like everything else, one at a time. */
  const front: { run(): Promise<void>; refuse(): void }[] = []
  let state: 'new' | 'running' | 'stopped' = 'new'
  let running: Promise<void> | undefined
  let again = false
  let alarm: { cancel(): void } | undefined
  let backoff: number = FIRST_BACKOFF
  /** The parked event that is due first, null if there is none; `isRight`: its time was checked. Undefined if it must be looked up. */
  let nextDue: { due: Due | null; isRight: boolean } | undefined

  function wakeIn(ms: number) {
    alarm?.cancel()
    // A turn that was running at the stop ends here.
    if (state === 'running') alarm = timer(ms, wake)
  }

  function wake() {
    if (state !== 'running') return
    alarm?.cancel()
    alarm = undefined
    again = true
    running ??= run().finally(() => {
      running = undefined
      if (again) wake()
    })
  }

  async function run() {
    while (again && state === 'running') {
      again = false
      try {
        while (state === 'running' && (await turn())) backoff = FIRST_BACKOFF
      } catch (error) {
        if (state !== 'running') return
        // Nothing was decided, so nothing is lost by trying again later.
        log.error(
          { instance_id: instanceId, err: error, retry_in_ms: backoff },
          'webhook outbox: an unexpected error occurred; the delivery is tried again',
        )
        wakeIn(backoff)
        backoff = Math.min(backoff * 2, MOST_BACKOFF)
      }
    }
  }

  /** Does one task; false if there is nothing to do before the alarm. */
  async function turn(): Promise<boolean> {
    const task = front.shift()
    if (task) {
      try {
        await besideTheQueue(task.run)
      } catch (error) {
        // It was stopped while outcomes waited for the disk; the caller of the task is waiting.
        task.refuse()
        throw error
      }
      return true
    }
    const hasMore = await pruning.run()
    if (overflow.isDue() && (await besideTheQueue(overflow.run))) return true
    const hold = holds.due(steady.now())
    if (hold) {
      await besideTheQueue(() => probe(hold))
      return true
    }
    const isFromMemory = memory.isWhole && !holds.any()
    const isStillWhole = memory.reading()
    const head = isFromMemory ? memory.first() : await queue.next()
    if (head === 'more') return true
    if (nextDue === undefined) nextDue = { due: await firstDue(), isRight: false }
    const { due, isRight } = nextDue
    // The earlier time goes first, so that parked events and the queue do not starve each other.
    if (due !== null && due.at <= steady.now() && (head === undefined || due.at <= decodeTime(head.id))) {
      await besideTheQueue(() => attempts.due(due.id, due.key, due.bytes))
      return true
    }
    if (head !== undefined) {
      const fresh = memory.take(head.id)
      await handled(() => ('row' in head ? attempts.fresh(fresh ?? head) : attempts.scheduled(head.id, head.key, head.bytes)))
      return true
    }
    if (ids.ahead() > 0 && due === null && backlog.size() === 0) {
      await besideTheQueue(startIdsOver)
      return true
    }
    if (!isRight && due !== null && (await attempts.correct(due.id, due.key, due.at, due.bytes))) {
      nextDue = undefined
      return true
    }
    nextDue = { due, isRight: true }
    if (!isFromMemory && !holds.any()) isStillWhole()
    if (hasMore) return true
    // The hour is for the age of log rows, which no event announces.
    const next = Math.min(due?.at ?? Number.POSITIVE_INFINITY, holds.next())
    if (!again) wakeIn(Math.min(next - steady.now(), HOUR))
    return false
  }

  /**
   * No waiting event depends on the order of the new ids. Only the kept events of streams would sort after later ones: they are removed, and readers
   * are told about a gap. Rows of the log keep the ids of their events.
   */
  async function startIdsOver(): Promise<void> {
    const aheadMs = ids.ahead()
    if (!(await stream.startOver(ids.startOver))) return
    log.warn(
      { instance_id: instanceId, ahead_ms: aheadMs },
      'event ids were ahead of the clock; they start again at the current time',
    )
  }

  /** For work that may change the queue in other ways than removing its head; the queue is then read again. */
  async function besideTheQueue<T>(work: () => Promise<T>): Promise<T> {
    await outcomes.flush()
    try {
      return await work()
    } finally {
      distrust()
    }
  }

  async function handled(attempt: () => Promise<boolean>) {
    let isOver = false
    try {
      isOver = await attempt()
    } finally {
      if (!isOver) distrust()
    }
  }

  function distrust() {
    memory.forget()
    queue.forget()
    nextDue = undefined
  }

  /** One attempt for the oldest event of a held queue. */
  async function probe(hold: Hold): Promise<void> {
    if (hold.head === undefined) return await queue.seekHead(hold)
    const key = keys.outboxEvent(instanceId, hold.head)
    const sealed = await store.get(key)
    // It was sent manually or dropped, or its type now has another URL.
    if (sealed === undefined || (await queue.urlOf(hold.head)) !== hold.url) return holds.headless(hold)
    await attempts.scheduled(hold.head, key, sealed)
  }

  async function firstDue(): Promise<Due | null> {
    await outcomes.flush()
    const prefix = keys.dues(instanceId)
    for await (const [key, bytes] of store.range(prefix, { limit: 1 })) {
      const [at = '', id = ''] = key.slice(prefix.length).split(':')
      return { id, key, bytes, at: Number(at) }
    }
    return null
  }

  /** The attempt was made, so its outcome is worth waiting for the disk. Repeating the POST instead would create a duplicate. */
  const persist = (ops: Op[]) =>
    persistently(() => store.commit({ ops }), {
      timer,
      signal: stopping.signal,
      onFailure: (err, waitMs) =>
        log.error(
          { instance_id: instanceId, err, retry_in_ms: waitMs },
          'webhook outbox: the outcome of a delivery could not be stored',
        ),
    })

  const needs: AttemptNeeds = {
    ...options,
    persist,
    stopping: stopping.signal,
    outcomes,
    backlog,
    holds,
    queue: () => queue,
    overflow: () => overflow,
    keptToTheEnd() {
      if (nextDue?.due === null) nextDue = undefined
    },
  }
  const attempt = createDeliveryAttempt(needs)
  const attempts = scheduledAttempts(needs, attempt)
  const manual = manualAttempts(needs, attempt)
  const { readRow } = attempt
  const queue = createDeliveryQueue({ instanceId, store, webhooks, holds, readRow, settled: outcomes.flush })
  const { maxWaiting: max = MAX_WAITING, onOverflow } = options
  const overflow = createOverflow({ instanceId, store, rows, readRow, backlog, clock: steady, log, max, onOverflow })

  function carry(eventId: string, others: { written(): void }) {
    // Outcomes of a commit that failed; they are written without it.
    if (carried.size >= MAX_CARRIED) carried.clear()
    carried.set(eventId, others)
  }

  /** Runs between two attempts, before the queue. */
  function inFront<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const refuse = () => reject(new Failure('engine_unavailable'))
      if (state !== 'running') return refuse()
      front.push({ run: () => work().then(resolve, reject), refuse })
      wake()
    })
  }

  return {
    wanted: (type) => isWanted(webhooks(), type, stream.keeps(type)),
    append(event, requestId) {
      const eventId = ids.next()
      const key = keys.outboxEvent(instanceId, eventId)
      const settings = webhooks()
      options.onAppend?.(event.type)
      const { at, ops } = times.next(event)
      const finished = { ...event, at } as typeof event
      const body = eventBytes(instanceId, eventId, finished, settings)
      const isRead = stream.keeps(event.type)
      const isForWebhook = !isRead || settings[urlField(event.type)] !== null
      if (isRead) ops.push(...stream.append(eventId, event.type, body, isForWebhook))
      if (isForWebhook) {
        const row = { ...firstRow(event.type, settings, clock.now()), requestId }
        const dialect = options.dialect?.() ?? null
        const posted = dialect === null ? body : eventBytes(instanceId, eventId, finished, settings, { dialect })
        memory.appended({ id: eventId, row, body: posted })
        const others = outcomes.take()
        if (others) {
          carry(eventId, others)
          ops.unshift(...others.ops)
        }
        ops.push([key, sealer.seal(key, posted)], rows.encode(keys.logEntry(instanceId, eventId), row))
      }
      ops.push(...(options.note?.(finished, isForWebhook ? eventId : null) ?? []))
      return { eventId, ops }
    },
    noted: (event) => options.note?.(event, null) ?? [],
    committed(eventId) {
      if (!stream.committed(eventId)) return
      carried.get(eventId)?.written()
      carried.delete(eventId)
      backlog.changed(1)
      queue.added(eventId)
      memory.committed(eventId)
      pruning.added()
      wake()
    },
    async start() {
      for (const prefix of [keys.log(instanceId), keys.outbox(instanceId)]) {
        for await (const [key] of store.range(prefix, { reverse: true, limit: 1 })) ids.continueAfter(key.slice(prefix.length))
      }
      await Promise.all([backlog.load(), times.load(), stream.load()])
      ids.continueAfter(stream.newest())
      state = 'running'
      wake()
    },
    // An event can be delivered before `committed` is called.
    backlog: () => Math.max(0, backlog.size()),
    ahead: () => Math.max(ids.ahead(), times.ahead()),
    async stop(deadlineMs) {
      state = 'stopped'
      alarm?.cancel()
      await within(running, deadlineMs)
      stopping.abort(new Failure('engine_unavailable'))
      await within(running, ABORT_GRACE)
      await outcomes.stop().catch((err: unknown) => {
        log.error(
          { instance_id: instanceId, err },
          'webhook outbox: the outcomes of some deliveries were not stored; these events are delivered again',
        )
      })
      await stream.stop()
      for (const task of front.splice(0)) task.refuse()
    },
    async detail(eventId) {
      await outcomes.flush()
      return await manual.detail(eventId)
    },
    async body(eventId) {
      await outcomes.flush()
      return await manual.body(eventId)
    },
    events: stream.page,
    resend: (eventId) => inFront(() => manual.byHand(eventId)),
    resendMany: async (eventIds) => {
      const wanted = [...new Set(eventIds)]
      let queued = 0
      for (let at = 0; at < wanted.length; at += AT_ONCE)
        queued += await inFront(() => manual.again(wanted.slice(at, at + AT_ONCE)))
      return { queued, notFound: wanted.length - queued }
    },
    configured: wake,
    async test(type) {
      const settings = webhooks()
      const url = settings[urlField(type)]
      if (url === null) throw new Failure('not_allowed', { message: `This type has no URL; PUT /webhooks/${type} sets one.` })
      const eventId = ids.next()
      const body = eventBytes(instanceId, eventId, sampleEvent(type, clock.now()), settings, {
        isTest: true,
        dialect: options.dialect?.() ?? null,
      })
      const secrets = [settings.secret, ...validSecrets(options.previousSecret?.(), clock.now())]
      const attempt = { url, secrets, body, type, eventId, instanceId, attempt: 1, answerChars: ANSWER_CHARS }
      return { ...(await options.deliver(attempt, stopping.signal)), url, eventId }
    },
  }
}
