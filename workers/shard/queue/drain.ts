/** Sends the waiting items of the queue, one at a time. An item without an outcome waits again. */
import { SECOND } from '../../../src/domain/clock.ts'
import type { Timer } from '../../../src/storage/timer.ts'
import type { Attempt } from './attempt.ts'
import type { AttemptCounter } from './attempt-counter.ts'
import type { QueueOptions, SendResult } from './contract.ts'
import type { Waiting } from './item.ts'
import type { Holds } from './line/holds.ts'
import type { Later } from './line/later.ts'
import { RESUME_DELAY } from './line/pacing.ts'
import type { QueueLine } from './line/queue-line.ts'
import type { Schedule } from './line/schedule.ts'
import type { LookAhead } from './look-ahead.ts'
import { inFlight, type Modes } from './modes.ts'
import type { Settle } from './settle.ts'

const STORAGE_PAUSE = 5 * SECOND

export interface DrainDeps extends Pick<QueueOptions, 'instanceId' | 'steady' | 'log' | 'steps'> {
  timer: Timer
  line: QueueLine
  modes: Modes
  schedule: Schedule
  holds: Holds
  later: Later
  lookAhead: LookAhead
  counter: AttemptCounter
  attempt: Attempt
  settle: Settle
  isRunning(): boolean
  signal: AbortSignal
}

export interface Drain {
  /**
   * Sends the next item, or sets a timer for it. Call this after every change that may affect which item is next or
   * when.
   */
  pump(): void
  release(): Promise<void>
  stopTimer(): void
}

export function createDrain(deps: DrainDeps): Drain {
  const { instanceId, steady, log, steps, timer, line, modes, schedule, holds, later, lookAhead, counter, isRunning, signal } =
    deps
  /**
   * Whether the media of the next item may be prepared. False while an item is sent whose earlier attempt had no
   * outcome: a crash of the preparation would be counted as a crash of that item.
   */
  let mayLookAhead = false
  let alarm: { cancel(): void } | undefined

  function pump() {
    alarm?.cancel()
    alarm = undefined
    const mode = modes.now.name
    if (inFlight(modes.now)) prepareNext()
    if ((mode !== 'idle' && mode !== 'named') || !isRunning() || !schedule.isConnected) return
    const head = holds.next()
    const wait = schedule.waitOf(head)
    if (head === undefined || wait > 0) {
      const soonest = Math.min(wait, holds.nextIn())
      if (soonest < Number.POSITIVE_INFINITY) alarm = timer(soonest, pump)
      return
    }
    line.take(head)
    lookAhead.turnOf(head.svcId)
    mayLookAhead = counter.svcId !== head.svcId || counter.isNamed
    // `carry` runs in a later microtask. By then, the mode is `sending`.
    const done = Promise.resolve(head).then(carry)
    modes.enter({ name: 'sending', item: head, since: steady.now(), done })
    prepareNext()
  }

  function prepareNext() {
    if (mayLookAhead && isRunning() && schedule.isConnected) lookAhead.towards(holds.next())
  }

  async function carry(item: Waiting) {
    const next = await sendOne(item)
    modes.enter(next === undefined ? { name: 'idle' } : { name: 'named', svcId: next })
    pump()
    await release()
  }

  async function sendOne(item: Waiting): Promise<string | undefined> {
    try {
      const result = await deps.attempt(item)
      // The service stops, so the outcome can no longer be recorded. The next start sends the item again, with the
      // same message id.
      if (signal.aborted) return undefined
      if (result === 'back') await putBack(item)
      else if ('laterMs' in result) await putAside(item, result.laterMs)
      else return await end(item, result)
    } catch (error) {
      // The storage failed or the queue stops, so the outcome is unknown and the item waits again. If its message was
      // sent, it is sent again with the same message id.
      log.error(
        { instance_id: instanceId, svc_id: item.svcId, err: error },
        'queue: an item could not be processed because of storage; it keeps its place',
      )
      schedule.pause(STORAGE_PAUSE)
      if (!signal.aborted && counter.svcId === item.svcId) await counter.uncount()
      line.back({ ...item, wasTried: true })
    }
    return undefined
  }

  async function end(item: Waiting, result: SendResult): Promise<string | undefined> {
    const sending = inFlight(modes.now)!
    modes.enter({ ...sending, name: 'settling' })
    schedule.itemDone()
    later.gone([item])
    await steps('queue:after-send', item.svcId)
    const head = holds.next()
    const next = head && schedule.waitOf(head) <= 0 ? counter.next(head.svcId) : undefined
    await deps.settle([[item, result]], [next?.op ?? counter.endOp])
    counter.ended()
    next?.written()
    await steps('queue:settled', item.svcId)
    return next?.svcId
  }

  /**
   * Makes the item the first one again, because there was no connection. Its in-flight record stays, because the
   * network may have the message.
   */
  async function putBack(item: Waiting) {
    schedule.pause(RESUME_DELAY)
    await counter.uncount()
    line.back({ ...item, wasTried: true })
  }

  async function putAside(item: Waiting, ms: number) {
    await counter.withdraw()
    later.until(item, steady.now() + ms)
    line.back(item)
  }

  async function release() {
    const mode = modes.now
    if (mode.name !== 'named') return
    modes.enter({ name: 'idle' })
    await counter.unname()
  }

  return {
    pump,
    release,
    stopTimer: () => alarm?.cancel(),
  }
}
