/**
 * The durable line of one instance: first in, first out, one item in flight. An item is committed before it is acknowledged, named in
 * flight before the network is asked, and removed in the same commit that records its `delivery`. So a kill at any point repeats at most
 * the item in flight, with the same message id, which the network and the apps drop as a duplicate. No item holds up the others for ever:
 * the tries that ended the thread are counted, and those that found no connection although there is one (`attempt-counter.ts`).
 */
import { HOUR, MINUTE, SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { ascendingIds } from '../../../src/storage/ascending-ids.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/keys.ts'
import { systemTimer, within } from '../../../src/storage/timer.ts'
import { createAttempt } from './attempt.ts'
import { createInFlight } from './attempt-counter.ts'
import type { Enqueue, Queue, QueueList, QueueOptions } from './contract.ts'
import { createHolds } from './holds.ts'
import { previewOf, type QueueEntry, type QueueItem, toEntry, type Waiting, waitingOf } from './item.ts'
import { createShelf } from './item-store.ts'
import { places } from './listing.ts'
import { drawWait, RESUME_DELAY, sendAt } from './pacing.ts'
import { createSettle } from './settle.ts'

export const QUEUE_CAPACITY = 1_000

/** `setTimeout` fires at once when asked to wait longer (24.8 days); a restriction can be longer. */
const LONGEST_TIMER = 2 ** 31 - 1

const EXPIRY_CHECK = MINUTE
/** Expired items removed in one commit. */
const EXPIRY_BATCH = 50
/** Before another try when storage failed or a blob could not be read. */
const STORAGE_PAUSE = 5 * SECOND

export function createQueue(options: QueueOptions): Queue {
  const { instanceId, store, sealer, clock, steady, random, settings, blobs, log, timer = systemTimer, onStep } = options
  const shelf = createShelf({ instanceId, store, sealer, blobs, log })
  const ids = ascendingIds(clock)
  const stopping = new AbortController()
  const mark = createInFlight(store, keys.queueInFlight(instanceId))
  const attempt = createAttempt({ ...options, shelf, mark, signal: stopping.signal })
  const settle = createSettle({ ...options, shelf, timer, signal: stopping.signal })
  const holds = createHolds({
    now: steady.now,
    hasWritten: options.hasWritten,
    onChange: () => pump(),
    onError: (error) => log.warn({ instance_id: instanceId, err: error }, 'queue: who wrote to this account could not be read'),
  })

  let state: 'new' | 'running' | 'stopped' = 'new'
  /** In order of service ids, without the item in flight. Moments of this file are of the clock that does not step. */
  let line: Waiting[] = []
  /** Accepted, not committed yet: they count against the capacity. */
  let entering = 0
  let inFlight: { item: Waiting; since: number } | undefined
  /** An item that is being queued is named in flight by the same commit. */
  let isNaming = false
  let working: Promise<void> | undefined
  let connectedAt: number | null = null
  let previousDoneAt: number | null = null
  /** After a failure that is not the item's: not before this moment. */
  let notBefore = 0
  /** The wait drawn for the head, so that looking twice does not draw twice. */
  let drawn: { svcId: string; ms: number } | undefined
  let alarm: { cancel(): void } | undefined
  let expiryAlarm: { cancel(): void } | undefined

  function headSendAt(head: Waiting, connected: number): number {
    if (drawn?.svcId !== head.svcId) drawn = { svcId: head.svcId, ms: drawWait(settings(), random) }
    const { arrivedAt, delayMessage } = head
    return Math.max(notBefore, sendAt({ arrivedAt, delayMessage, drawnMs: drawn.ms, previousDoneAt, connectedAt: connected }))
  }

  /** The one that leaves next: the first that others need not go past. */
  const nextUp = () => line.find((item) => holds.of(item) === undefined)

  /** How long the head still waits, in ms; Infinity: for something else than time. */
  function waitOf(head: Waiting | undefined): number {
    if (state !== 'running' || connectedAt === null || head === undefined) return Number.POSITIVE_INFINITY
    return headSendAt(head, connectedAt) - steady.now()
  }

  function pump() {
    alarm?.cancel()
    alarm = undefined
    if (inFlight !== undefined || isNaming || state !== 'running' || connectedAt === null) return
    const head = nextUp()
    const wait = waitOf(head)
    if (head === undefined || wait > 0) {
      const end = holds.nextEnd()
      const soonest = Math.min(wait, end === undefined ? Number.POSITIVE_INFINITY : end - steady.now())
      if (soonest < Number.POSITIVE_INFINITY) alarm = timer(Math.min(soonest, LONGEST_TIMER), pump)
      return
    }
    line.splice(line.indexOf(head), 1)
    inFlight = { item: head, since: steady.now() }
    working = carry(head).finally(() => {
      inFlight = undefined
      working = undefined
      pump()
    })
  }

  /** Sends one item and records what came of it. Never rejects. */
  async function carry(item: Waiting) {
    try {
      const outcome = await attempt(item)
      // Too late to record it: a next start may already have read the item, and sends it again with the same message id.
      if (stopping.signal.aborted) return
      if (outcome === 'back') return await putBack(item)
      if ('laterMs' in outcome) return await putAside(item, outcome.laterMs)
      previousDoneAt = steady.now()
      holds.gone([item])
      await onStep?.('after-send', item.svcId)
      const next = nextMark()
      await settle([[item, outcome]], [next?.op ?? mark.endOp])
      mark.ended()
      next?.written()
      await onStep?.('settled', item.svcId)
      await dropMark()
    } catch (error) {
      // Storage failed, or the service stops: the item is still in storage and keeps its place. What it was about to be may have left; it
      // leaves again under the same message id.
      log.error({ instance_id: instanceId, svc_id: item.svcId, err: error }, 'queue: an item could not be carried on')
      notBefore = steady.now() + STORAGE_PAUSE
      if (!stopping.signal.aborted && mark.svcId === item.svcId) await uncount(item)
      keep({ ...item, wasTried: true })
    }
  }

  /** The head's, when it leaves as soon as the item before it has ended: one commit is both. */
  function nextMark() {
    const head = nextUp()
    return head && waitOf(head) <= 0 ? mark.next(head.svcId) : undefined
  }

  /** What was to leave at once does not: it was removed, or the connection is gone. Its try never began. */
  async function dropMark() {
    const { named } = mark
    const head = nextUp()
    if (named === undefined || (head?.svcId === named && waitOf(head) <= 0)) return
    await mark.unname().catch((error: unknown) => {
      log.warn({ instance_id: instanceId, svc_id: named, err: error }, 'queue: a try that did not begin stays counted')
    })
  }

  /** It keeps its mark, so that a restart does not forget that it is sent again; this try did the thread no harm. */
  async function putBack(item: Waiting) {
    notBefore = steady.now() + RESUME_DELAY
    await uncount(item)
    keep({ ...item, wasTried: true })
  }

  async function putAside(item: Waiting, ms: number) {
    await mark.withdraw()
    holds.later(item, steady.now() + ms)
    keep(item)
  }

  async function uncount({ svcId }: Waiting) {
    await mark.uncount().catch((error: unknown) => {
      log.warn({ instance_id: instanceId, svc_id: svcId, err: error }, 'queue: a try that came back stays counted')
    })
  }

  async function expire() {
    const oldest = steady.now() - settings().queue_max_age_hours * HOUR
    const message = 'The message waited longer than the instance allows.'
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
    line = line.filter((item) => !set.has(item))
    pump()
  }

  /** At the place of its id: those before it may have left meanwhile, or wait aside. */
  function keep(...items: Waiting[]) {
    line.push(...items)
    line.sort((a, b) => (a.svcId < b.svcId ? -1 : 1))
  }

  function insert(...back: Waiting[]) {
    keep(...back)
    pump()
  }

  async function drop(gone: Waiting[]): Promise<number> {
    if (gone.length === 0) return 0
    // Out of the line first, so that none of them is sent while the commit is under way.
    takeOut(gone)
    try {
      await store.commit({ ops: gone.map(({ svcId }) => [shelf.itemKey(svcId), null] as const) })
    } catch (error) {
      insert(...gone)
      throw error
    }
    await shelf.removeMedia(gone)
    return gone.length
  }

  async function enqueue({ bytes, also, ...request }: Enqueue) {
    if (state !== 'running') throw new Failure('engine_unavailable')
    if (settings().disable_enqueue_when_disconnected && connectedAt === null)
      throw new Failure('queue_disabled_while_disconnected')
    if (line.length + entering >= QUEUE_CAPACITY) throw new Failure('queue_full')
    entering++
    try {
      const item: QueueItem = {
        svcId: ids.next(),
        ...request,
        preview: previewOf(request.preview),
        referenceMessageId: request.referenceMessageId ?? null,
        queuedAt: clock.now(),
        hasBytes: bytes !== undefined,
      }
      const waiting = waitingOf(item, steady.now())
      const more = also?.({ svcId: item.svcId, messageId: item.messageId }) ?? []
      if (isNext(waiting)) await putAndName(item, more)
      else await shelf.put(item, bytes, more)
      insert(waiting)
      if (inFlight === undefined) await dropMark()
      return { svcId: item.svcId, messageId: item.messageId }
    } finally {
      entering--
      // Others may have waited for the naming of one that could not be written.
      pump()
    }
  }

  /** Nobody is before it. Media is written first, which takes its time: others need not wait for that. */
  const isNext = (item: Waiting) =>
    !item.hasBytes && nextUp() === undefined && inFlight === undefined && entering === 1 && !holds.of(item) && waitOf(item) <= 0

  /** The commit that makes it durable names it in flight, too. Nothing may begin meanwhile: its own mark would be overwritten. */
  async function putAndName(item: QueueItem, more: readonly Op[]) {
    const next = mark.next(item.svcId)
    isNaming = true
    try {
      await shelf.put(item, undefined, next ? [next.op, ...more] : more)
      next?.written()
    } finally {
      isNaming = false
    }
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
    const head = connectedAt === null ? undefined : nextUp()
    const headAt = connectedAt === null ? null : head ? headSendAt(head, connectedAt) : steady.now()
    const offset = clock.now() - steady.now()
    const all = places({ line, inFlight, headAt, holdOf: holds.of, epoch: (at) => at + offset, settings: settings() })
    const found = phone === undefined ? all : all.filter(({ item }) => item.phone === phone)
    const data: QueueEntry[] = []
    for (const { item, place } of found.slice((page - 1) * pageSize, page * pageSize)) {
      const stored = await shelf.get(item.svcId)
      // Sent or removed while the page was read.
      if (stored !== undefined) data.push(toEntry(stored, place))
    }
    return { data, page, page_size: pageSize, total: found.length }
  }

  async function start() {
    // By a clock that was ahead it came in the future, which counts as now.
    const found = await shelf.all((queuedAt) => steady.now() - Math.max(0, clock.now() - queuedAt))
    line = found.line
    ids.continueAfter(found.newest)
    await mark.load()
    await shelf.sweep()
    state = 'running'
    watchExpiry()
    pump()
  }

  return {
    enqueue,
    list,
    start,
    setConnected(connected) {
      if (connected === (connectedAt !== null)) return
      connectedAt = connected ? steady.now() : null
      notBefore = 0
      mark.reconnected()
      pump()
    },
    setRestricted(restriction) {
      const until = restriction?.until ?? null
      holds.restrict(restriction && { until: until === null ? null : steady.now() + (until - clock.now()) })
      pump()
    },
    reachChanged: holds.reachChanged,
    clear: (phone) => drop(line.filter((item) => phone === undefined || item.phone === phone)),
    remove: async (svcId) => (await drop(line.filter((item) => item.svcId === svcId))) === 1,
    waiting: () => line.length,
    undecided: () => [inFlight?.item, ...line].find((item) => item && item.svcId === mark.svcId)?.messageId,
    async stop(deadlineMs) {
      state = 'stopped'
      alarm?.cancel()
      expiryAlarm?.cancel()
      await within(working, deadlineMs)
      stopping.abort(new Failure('engine_unavailable'))
      // An end that was wanted is none of the item's doing.
      if (inFlight && inFlight.item.svcId !== mark.named) await uncount(inFlight.item)
      else await dropMark()
    },
  }
}
