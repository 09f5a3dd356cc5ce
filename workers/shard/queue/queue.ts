/**
 * The durable queue of one instance: first in, first out, one item in flight. An item is committed before it is acknowledged, recorded as in flight
 * before the network is contacted, and removed in the same commit that records its `delivery`. So a kill at any point repeats at most the item in
 * flight, with the same message id, which the network and the apps drop as a duplicate. No item blocks the others forever: attempts that ended the
 * thread are counted, and those that found no connection although there is one (`attempt-counter.ts`).
 */

import { HOUR, MINUTE, SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { onPage } from '../../../src/domain/page.ts'
import type { SendOutcome } from '../../../src/domain/send-outcome.ts'
import { ascendingIds } from '../../../src/storage/ascending-ids.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { systemTimer, within } from '../../../src/storage/timer.ts'
import { createAttempt } from './attempt.ts'
import { createAttemptCounter } from './attempt-counter.ts'
import type { Enqueue, Queue, QueueList, QueueOptions } from './contract.ts'
import { createHolds } from './holds.ts'
import { previewOf, type QueueEntry, type QueueItem, toEntry, type Waiting, waitingOf } from './item.ts'
import { createItemStore } from './item-store.ts'
import { places } from './listing.ts'
import { createLookAhead } from './look-ahead.ts'
import { createModes, inFlight } from './mode.ts'
import { drawWait, RESUME_DELAY, sendAt } from './pacing.ts'
import { createRestricted } from './restricted.ts'
import { createSettle } from './settle.ts'

export const QUEUE_CAPACITY = 1_000

/** `setTimeout` fires immediately for a longer delay (24.8 days); a restriction can be longer. */
const LONGEST_TIMER = 2 ** 31 - 1

const EXPIRY_CHECK = MINUTE
/** Number of expired items that are removed in one commit. */
const EXPIRY_BATCH = 50
/** Time in ms that a removal waits for an item in flight whose connection has ended. */
const COMING_BACK = SECOND
/** Pause in ms before a retry after storage failed or a blob could not be read. */
const STORAGE_PAUSE = 5 * SECOND

export function createQueue(options: QueueOptions): Queue {
  const { instanceId, store, sealer, clock, steady, random, settings, blobs, log, timer = systemTimer, steps } = options
  const items = createItemStore({ instanceId, store, sealer, blobs, log })
  const ids = ascendingIds(clock)
  const stopping = new AbortController()
  const counter = createAttemptCounter(store, keys.queueInFlight(instanceId))
  const attempt = createAttempt({ ...options, items, counter, signal: stopping.signal })
  const settle = createSettle({ ...options, items, timer, signal: stopping.signal })
  const restricted = createRestricted({
    hasWritten: options.hasWritten,
    onChange: () => pump(),
    onError: (error) =>
      log.warn({ instance_id: instanceId, err: error }, 'queue: the list of people who wrote to this account could not be read'),
  })
  const holds = createHolds(steady.now, restricted)
  const lookAhead = createLookAhead({ ...options, items })

  let state: 'new' | 'running' | 'stopped' = 'new'
  /** In the order of service ids, without the item in flight. Times in this file are of the steady clock. */
  let line: Waiting[] = []
  /** Number of accepted items that are not committed yet; they count against the capacity. */
  let entering = 0
  const modes = createModes()
  let connectedAt: number | null = null
  let previousDoneAt: number | null = null
  /** Earliest next attempt after a failure that the item did not cause. */
  let notBefore = 0
  /**
   * Nothing is prepared beside an item whose earlier try may have ended the thread: another end of the thread would be counted as caused by that
   * item.
   */
  let mayLookAhead = false
  /** Wait that was drawn for the head, so that a second look does not draw again. */
  let drawn: { svcId: string; ms: number } | undefined
  let alarm: { cancel(): void } | undefined
  let expiryAlarm: { cancel(): void } | undefined

  function headSendAt(head: Waiting, connected: number): number {
    if (drawn?.svcId !== head.svcId) drawn = { svcId: head.svcId, ms: drawWait(settings(), random) }
    const { arrivedAt, delayMessage } = head
    return Math.max(notBefore, sendAt({ arrivedAt, delayMessage, drawnMs: drawn.ms, previousDoneAt, connectedAt: connected }))
  }

  /** The next item to send: the first that others need not overtake. */
  const nextUp = () => line.find((item) => holds.of(item) === undefined)

  /** Time in ms that the head still waits; Infinity if it does not wait for a time. */
  function waitOf(head: Waiting | undefined): number {
    if (state !== 'running' || connectedAt === null || head === undefined) return Number.POSITIVE_INFINITY
    return headSendAt(head, connectedAt) - steady.now()
  }

  function pump() {
    alarm?.cancel()
    alarm = undefined
    const mode = modes.now.name
    if (inFlight(modes.now)) prepareNext()
    if ((mode !== 'idle' && mode !== 'named') || state !== 'running' || connectedAt === null) return
    const head = nextUp()
    const wait = waitOf(head)
    if (head === undefined || wait > 0) {
      const end = holds.nextEnd()
      const soonest = Math.min(wait, end === undefined ? Number.POSITIVE_INFINITY : end - steady.now())
      if (soonest < Number.POSITIVE_INFINITY) alarm = timer(Math.min(soonest, LONGEST_TIMER), pump)
      return
    }
    line.splice(line.indexOf(head), 1)
    lookAhead.turnOf(head.svcId)
    mayLookAhead = counter.svcId !== head.svcId || counter.isNamed
    // Begins in a later microtask, so that the mode is `sending` before any of it runs.
    const done = Promise.resolve(head).then(carry)
    modes.enter({ name: 'sending', item: head, since: steady.now(), done })
    prepareNext()
  }

  function prepareNext() {
    if (mayLookAhead && state === 'running' && connectedAt !== null) lookAhead.towards(nextUp())
  }

  /** Never rejects. */
  async function carry(item: Waiting) {
    const next = await sendOne(item)
    modes.enter(next === undefined ? { name: 'idle' } : { name: 'named', svcId: next })
    pump()
    await release()
  }

  /** Sends one item and records its outcome. Resolves with the item that the commit of the outcome has recorded as the next one. */
  async function sendOne(item: Waiting): Promise<string | undefined> {
    try {
      const outcome = await attempt(item)
      // Too late to record it: the next start may already have read the item and sends it again with the same message id.
      if (stopping.signal.aborted) return undefined
      if (outcome === 'back') await putBack(item)
      else if ('laterMs' in outcome) await putAside(item, outcome.laterMs)
      else return await end(item, outcome)
    } catch (error) {
      // Storage failed, or the service is stopping: the item is still in storage and keeps its place. If its message was sent, it is sent again with
      // the same message id.
      log.error(
        { instance_id: instanceId, svc_id: item.svcId, err: error },
        'queue: an item could not be processed because of storage; it keeps its place',
      )
      notBefore = steady.now() + STORAGE_PAUSE
      if (!stopping.signal.aborted && counter.svcId === item.svcId) await uncount(item)
      keep({ ...item, wasTried: true })
    }
    return undefined
  }

  /** The outcome of the item and the record of the item that follows immediately are one commit. */
  async function end(item: Waiting, outcome: SendOutcome): Promise<string | undefined> {
    const sending = inFlight(modes.now)!
    modes.enter({ ...sending, name: 'settling' })
    previousDoneAt = steady.now()
    holds.gone([item])
    await steps('queue:after-send', item.svcId)
    const head = nextUp()
    const next = head && waitOf(head) <= 0 ? counter.next(head.svcId) : undefined
    await settle([[item, outcome]], [next?.op ?? counter.endOp])
    counter.ended()
    next?.written()
    await steps('queue:settled', item.svcId)
    return next?.svcId
  }

  /** Releases a recorded item that was not sent immediately, because it was removed or the connection is gone. */
  async function release() {
    const mode = modes.now
    if (mode.name !== 'named') return
    modes.enter({ name: 'idle' })
    await unname(mode.svcId)
  }

  /** Its attempt never began. */
  async function unname(svcId: string | undefined) {
    await counter.unname().catch((error: unknown) => {
      log.warn(
        { instance_id: instanceId, svc_id: svcId, err: error },
        'queue: the attempt counter of an item could not be reset; it counts one attempt that did not begin',
      )
    })
  }

  /** It stays recorded, so that a restart knows it is sent again; this attempt did not harm the thread. */
  async function putBack(item: Waiting) {
    notBefore = steady.now() + RESUME_DELAY
    await uncount(item)
    keep({ ...item, wasTried: true })
  }

  async function putAside(item: Waiting, ms: number) {
    await counter.withdraw()
    holds.later(item, steady.now() + ms)
    keep(item)
  }

  async function uncount({ svcId }: Waiting) {
    await counter.uncount().catch((error: unknown) => {
      log.warn(
        { instance_id: instanceId, svc_id: svcId, err: error },
        'queue: the attempt counter of an item could not be reset; it counts one attempt that was interrupted',
      )
    })
  }

  async function expire() {
    const oldest = steady.now() - settings().queue_max_age_hours * HOUR
    const message = 'The message waited longer than queue_max_age_hours of the instance allows.'
    for (;;) {
      const expired = line.filter(({ arrivedAt }) => arrivedAt <= oldest).slice(0, EXPIRY_BATCH)
      if (expired.length === 0 || state !== 'running') return
      takeOut(expired)
      await settle(expired.map((item) => [item, { status: 'failed', code: 'send_timeout', message }]))
    }
  }

  function watchExpiry() {
    expiryAlarm = timer(EXPIRY_CHECK, () => {
      expire()
        .catch((error: unknown) =>
          log.error({ instance_id: instanceId, err: error }, 'queue: expired items could not be removed'),
        )
        .finally(() => {
          if (state === 'running') watchExpiry()
        })
    })
  }

  function takeOut(gone: readonly Waiting[]) {
    const set = new Set(gone)
    holds.gone(gone)
    lookAhead.gone(gone)
    line = line.filter((item) => !set.has(item))
    pump()
  }

  /** Inserted by its id: items before it may have been sent in the meantime, or wait aside. */
  function keep(...items: Waiting[]) {
    for (const item of items) {
      // Nearly always at the end.
      let at = line.length
      while (at > 0 && line[at - 1]!.svcId > item.svcId) at--
      line.splice(at, 0, item)
    }
  }

  function insert(...back: Waiting[]) {
    keep(...back)
    pump()
  }

  async function drop(gone: Waiting[]): Promise<number> {
    if (gone.length === 0) return 0
    // Removed from the queue first, so that none of them is sent during the commit.
    takeOut(gone)
    try {
      await store.commit({ ops: gone.map(({ svcId }) => [items.itemKey(svcId), null] as const) })
    } catch (error) {
      insert(...gone)
      throw error
    }
    for (const item of gone) options.onRemoved?.(item)
    await items.removeMedia(gone)
    return gone.length
  }

  async function enqueue(request: Enqueue) {
    const { bytes, also } = request
    if (state !== 'running') throw new Failure('engine_unavailable')
    if (settings().disable_enqueue_when_disconnected && connectedAt === null)
      throw new Failure('queue_disabled_while_disconnected')
    if (line.length + entering >= QUEUE_CAPACITY) throw new Failure('queue_full')
    entering++
    try {
      // No waiting item depends on the order of the new id.
      if (ids.ahead() > 0 && line.length === 0 && entering === 1 && modes.now.name === 'idle') ids.startOver()
      const item: QueueItem = {
        svcId: ids.next(),
        messageId: request.messageId,
        operation: request.operation,
        phone: request.phone,
        referenceMessageId: request.referenceMessageId ?? null,
        input: request.input,
        preview: previewOf(request.preview),
        delayMessage: request.delayMessage,
        delayTyping: request.delayTyping,
        queuedAt: clock.now(),
        hasBytes: bytes !== undefined,
        requestId: request.requestId,
      }
      const waiting = waitingOf(item, steady.now())
      const more = also?.({ svcId: item.svcId, messageId: item.messageId }) ?? []
      if (isNext(waiting)) await putAndName(item, more)
      else await items.put(item, bytes, more)
      insert(waiting)
      await release()
      return { svcId: item.svcId, messageId: item.messageId }
    } finally {
      entering--
      // Others may have waited for a record that could not be written.
      pump()
    }
  }

  /** Whether no item comes before it. Media is written first, which takes time, and others need not wait for that. */
  const isNext = (item: Waiting) =>
    !item.hasBytes &&
    nextUp() === undefined &&
    modes.now.name === 'idle' &&
    entering === 1 &&
    !holds.of(item) &&
    waitOf(item) <= 0

  /**
   * The commit that makes the item durable also records it as in flight. Nothing may begin in the meantime, because it would overwrite the in-flight
   * record.
   */
  async function putAndName(item: QueueItem, more: readonly Op[]) {
    const naming = counter.next(item.svcId)
    modes.enter({ name: 'naming', svcId: item.svcId })
    try {
      await items.put(item, undefined, naming ? [naming.op, ...more] : more)
      naming?.written()
    } catch (error) {
      modes.enter({ name: 'idle' })
      throw error
    }
    modes.enter(naming ? { name: 'named', svcId: item.svcId } : { name: 'idle' })
  }

  function standing() {
    const head = connectedAt === null ? undefined : nextUp()
    const headAt = connectedAt === null ? null : head ? headSendAt(head, connectedAt) : steady.now()
    const offset = clock.now() - steady.now()
    return places({
      line,
      inFlight: inFlight(modes.now),
      headAt,
      holdOf: holds.of,
      epoch: (at) => at + offset,
      settings: settings(),
    })
  }

  async function find(id: string): Promise<QueueEntry | undefined> {
    const found = standing().find(({ item }) => item.svcId === id || item.messageId === id)
    const stored = found && (await items.get(found.item.svcId))
    return stored && toEntry(stored, found.place)
  }

  async function list({
    page,
    pageSize,
    phone,
  }: {
    page: number
    pageSize: number
    phone?: string | undefined
  }): Promise<QueueList> {
    const all = standing()
    const found = phone === undefined ? all : all.filter(({ item }) => item.phone === phone)
    const data: QueueEntry[] = []
    for (const { item, place } of onPage(found, { page, page_size: pageSize })) {
      const stored = await items.get(item.svcId)
      // The item was sent or removed while the page was read.
      if (stored !== undefined) data.push(toEntry(stored, place))
    }
    return { data, page, page_size: pageSize, total: found.length }
  }

  async function start() {
    // A clock that was ahead may have written a time in the future, which counts as now.
    const found = await items.all((queuedAt) => steady.now() - Math.max(0, clock.now() - queuedAt))
    line = found.line
    ids.continueAfter(found.newest)
    await counter.load()
    await items.sweep()
    state = 'running'
    watchExpiry()
    pump()
  }

  return {
    enqueue,
    list,
    find,
    start,
    setConnected(connected) {
      if (connected === (connectedAt !== null)) return
      connectedAt = connected ? steady.now() : null
      if (!connected) lookAhead.discard()
      notBefore = 0
      counter.reconnected()
      pump()
    },
    setRestricted(restriction) {
      const until = restriction?.until ?? null
      restricted.set(restriction && { until: until === null ? null : steady.now() + (until - clock.now()) })
      pump()
    },
    reachChanged: restricted.reachChanged,
    clear: (phone) => drop(line.filter((item) => phone === undefined || item.phone === phone)),
    async remove(svcId) {
      const current = inFlight(modes.now)
      // Without a connection the item is about to come back.
      if (current?.item.svcId === svcId && connectedAt === null) await within(current.done, COMING_BACK)
      return (await drop(line.filter((item) => item.svcId === svcId))) === 1
    },
    waiting: () => line.length,
    idsAhead: ids.ahead,
    undecided: () => [inFlight(modes.now)?.item, ...line].find((item) => item && item.svcId === counter.svcId)?.messageId,
    async stop(deadlineMs) {
      state = 'stopped'
      lookAhead.discard()
      alarm?.cancel()
      expiryAlarm?.cancel()
      await within(inFlight(modes.now)?.done, deadlineMs)
      stopping.abort(new Failure('engine_unavailable'))
      // The item did not cause an end that was requested.
      if (counter.isNamed) return unname(counter.svcId)
      const undecided = inFlight(modes.now)?.item
      if (undecided) await uncount(undecided)
    },
  }
}
