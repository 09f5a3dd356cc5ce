/**
 * The webhook outbox of one instance. An event is written, finished and sealed, in the batch of whatever caused it; from there it is
 * delivered at least once, one at a time, in the order of the events. One that fails is parked with the time of its next try, and the
 * line moves on: an event can be late, it cannot hold up the others.
 *
 *   outbox:<event>       body of an event not tried yet: the line, in key order
 *   parked:<event>       body of one that failed, with
 *   due:<time>:<event>   when it is tried again, or, after the last try, erased
 *   log:<event>          what happened so far
 *
 * Every change of these is one commit, and the network is never waited for inside one: a kill at any point repeats at most the attempt
 * that was in flight, with the same event id.
 */
import { decodeTime } from 'ulid'
import { HOUR, SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { ascendingIds } from '../../../src/storage/ascending-ids.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/keys.ts'
import { persistently } from '../../../src/storage/persist.ts'
import { systemTimer, within } from '../../../src/storage/timer.ts'
import { logRows } from '../../../src/webhooks/log.ts'
import { createAttempts } from './attempts.ts'
import { createBacklog } from './backlog.ts'
import type { Outbox, OutboxOptions } from './contract.ts'
import { eventBytes, firstRow, targetOf } from './finished-event.ts'
import { logPruning } from './log-pruning.ts'
import { createMomments } from './momments.ts'

export type { DeliveryResult, Outbox, OutboxOptions, OutboxStep } from './contract.ts'

/** Back-off while storage itself fails. */
const FIRST_BACKOFF = SECOND
const MOST_BACKOFF = 30 * SECOND

/** An aborted request ends within a turn or two; more than this would be a hang, in ms. */
const ABORT_GRACE = 250

export function createOutbox(options: OutboxOptions): Outbox {
  const { instanceId, store, sealer, clock, steady, webhooks, log, timer = systemTimer, maxLogEntries } = options
  const rows = logRows(sealer)
  const pruning = logPruning({ instanceId, store, rows, clock, steady, log, maxEntries: maxLogEntries })
  const momments = createMomments({ instanceId, store, sealer, clock })
  const ids = ascendingIds(clock)
  const backlog = createBacklog(instanceId, store)
  const stopping = new AbortController()

  /** Manual resends: they go before the line, and like everything else one at a time. */
  const front: { run(): Promise<void>; refuse(): void }[] = []
  let state: 'new' | 'running' | 'stopped' = 'new'
  let running: Promise<void> | undefined
  let again = false
  let alarm: { cancel(): void } | undefined
  let backoff: number = FIRST_BACKOFF

  function wakeIn(ms: number) {
    alarm?.cancel()
    alarm = timer(ms, wake)
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
        // Nothing was decided, so nothing is lost by looking again later.
        log.error({ instance_id: instanceId, err: error, retry_in_ms: backoff }, 'webhook outbox: a step failed')
        wakeIn(backoff)
        backoff = Math.min(backoff * 2, MOST_BACKOFF)
      }
    }
  }

  /** One thing done; false when there is nothing to do before the alarm. */
  async function turn(): Promise<boolean> {
    const task = front.shift()
    if (task) {
      await task.run()
      return true
    }
    await pruning.run()
    const head = await first(keys.outbox(instanceId))
    const due = await first(keys.dues(instanceId))
    const dueAt = due === undefined ? undefined : Number(due.id.slice(0, due.id.indexOf(':')))
    // Whoever's moment came first: parked events do not starve the line, nor the line them.
    if (due !== undefined && dueAt! <= steady.now() && (head === undefined || dueAt! <= decodeTime(head.id))) {
      await attempts.due(due.id.slice(due.id.indexOf(':') + 1), due.key, due.bytes)
      return true
    }
    if (head !== undefined) {
      await attempts.scheduled(head.id, head.key, head.bytes)
      return true
    }
    if (due !== undefined && (await attempts.correct(due.id.slice(due.id.indexOf(':') + 1), due.key, dueAt!, due.bytes)))
      return true
    // The hour is for the log's age, which no event announces.
    if (!again) wakeIn(Math.min(dueAt === undefined ? HOUR : dueAt - steady.now(), HOUR))
    return false
  }

  async function first(prefix: string) {
    for await (const [key, bytes] of store.range(prefix, { limit: 1 })) return { id: key.slice(prefix.length), key, bytes }
    return undefined
  }

  /** The attempt was made: its outcome is worth waiting for the disk. Repeating the POST instead would be a duplicate. */
  const persist = (ops: Op[]) =>
    persistently(() => store.commit({ ops }), {
      timer,
      signal: stopping.signal,
      onFailure: (err, waitMs) =>
        log.error({ instance_id: instanceId, err, retry_in_ms: waitMs }, 'webhook outbox: an outcome could not be stored'),
    })

  const attempts = createAttempts({ ...options, persist, stopping: stopping.signal, backlog })

  /** Runs between two attempts, before the line. */
  function inFront<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const refuse = () => reject(new Failure('engine_unavailable'))
      if (state !== 'running') return refuse()
      front.push({ run: () => work().then(resolve, reject), refuse })
      wake()
    })
  }

  return {
    wanted: (type) => targetOf(webhooks(), type) !== undefined,
    append(event) {
      const eventId = ids.next()
      const key = keys.outboxEvent(instanceId, eventId)
      const settings = webhooks()
      options.onAppend?.(event.type)
      const { at, ops } = momments.next(event)
      const body: Op = [key, sealer.seal(key, eventBytes(instanceId, eventId, { ...event, at }, settings))]
      return {
        eventId,
        ops: [...ops, body, rows.encode(keys.logEntry(instanceId, eventId), firstRow(event.type, settings, clock.now()))],
      }
    },
    committed() {
      backlog.changed(1)
      pruning.added()
      wake()
    },
    async start() {
      for (const prefix of [keys.log(instanceId), keys.outbox(instanceId)]) {
        for await (const [key] of store.range(prefix, { reverse: true, limit: 1 })) ids.continueAfter(key.slice(prefix.length))
      }
      await Promise.all([backlog.load(), momments.load()])
      state = 'running'
      wake()
    },
    // Delivered faster than whoever committed it came to say so.
    backlog: () => Math.max(0, backlog.size()),
    async stop(deadlineMs) {
      state = 'stopped'
      alarm?.cancel()
      await within(running, deadlineMs)
      stopping.abort(new Failure('engine_unavailable'))
      await within(running, ABORT_GRACE)
      for (const task of front.splice(0)) task.refuse()
    },
    resend: (eventId) => inFront(() => attempts.byHand(eventId)),
    resendMany: (eventIds) =>
      inFront(async () => {
        const wanted = new Set(eventIds)
        let queued = 0
        for (const eventId of wanted) if (await attempts.again(eventId)) queued++
        return { queued, notFound: wanted.size - queued }
      }),
  }
}
