import { Failure } from '../../../src/domain/failures.ts'
import { QUEUE_CAPACITY } from '../../../src/domain/queue-capacity.ts'
import type { AscendingIds } from '../../../src/storage/ascending-ids.ts'
import type { Op } from '../../../src/storage/contract.ts'
import type { AttemptCounter } from './attempt-counter.ts'
import type { Enqueue, Queue, QueueOptions } from './contract.ts'
import type { Drain } from './drain.ts'
import { previewOf, type QueueItem, type Waiting, waitingOf } from './item.ts'
import type { ItemStore } from './item-store.ts'
import type { Holds } from './line/holds.ts'
import type { QueueLine } from './line/queue-line.ts'
import type { Schedule } from './line/schedule.ts'
import type { SendAt } from './line/send-at.ts'
import type { Modes } from './modes.ts'

/** Text of the error for a full queue. It contains the limit, so that the caller learns it. */
const FULL = `The queue of this instance is full: it holds ${QUEUE_CAPACITY} messages.`

export interface EnteringDeps extends Pick<QueueOptions, 'clock' | 'settings'> {
  ids: AscendingIds
  items: ItemStore
  line: QueueLine
  modes: Modes
  schedule: Schedule
  holds: Holds
  sendAt: Pick<SendAt, 'arrivalOf'>
  counter: AttemptCounter
  drain: Drain
  isRunning(): boolean
}

export function createEntering(deps: EnteringDeps): Queue['enqueue'] {
  const { clock, settings, ids, items, line, modes, schedule, holds, sendAt, counter, drain } = deps
  let entering = 0

  /**
   * Whether a new item is the next to be sent, so that one commit can store it and record it as in flight. False for an
   * item with media, because other items would wait for the media to be written.
   */
  const isNext = (item: Waiting) =>
    !item.hasBytes &&
    holds.next() === undefined &&
    modes.now.name === 'idle' &&
    entering === 1 &&
    !holds.of(item) &&
    schedule.waitOf(item) <= 0

  /**
   * Stores an item together with its in-flight record. The mode `naming` prevents other attempts during this commit,
   * because an attempt would overwrite the record.
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

  const itemOf = (request: Enqueue, svcId: string): QueueItem => ({
    svcId,
    messageId: request.messageId(svcId),
    operation: request.operation,
    phone: request.phone,
    referenceMessageId: request.referenceMessageId ?? null,
    input: request.input,
    preview: previewOf(request.preview),
    delayMessage: request.delayMessage,
    delayTyping: request.delayTyping,
    queuedAt: clock.now(),
    sendAt: request.sendAt ?? undefined,
    hasBytes: request.bytes !== undefined,
    requestId: request.requestId,
  })

  return async function enqueue(request) {
    const { bytes, also } = request
    if (!deps.isRunning()) throw new Failure('engine_unavailable')
    if (settings().disable_enqueue_when_disconnected && !schedule.isConnected)
      throw new Failure('queue_disabled_while_disconnected')
    if (line.rows.length + entering >= QUEUE_CAPACITY) throw new Failure('queue_full', { message: FULL })
    entering++
    try {
      // No item waits, so the order of items stays right if the next id begins at the present time again.
      if (ids.ahead() > 0 && line.rows.length === 0 && entering === 1 && modes.now.name === 'idle') ids.startOver()
      const item = itemOf(request, ids.next())
      const waiting = waitingOf(item, sendAt.arrivalOf(item))
      const more = also?.({ svcId: item.svcId, messageId: item.messageId }) ?? []
      if (isNext(waiting)) await putAndName(item, more)
      else await items.put(item, bytes, more)
      line.add(waiting)
      drain.pump()
      await drain.release()
      return { svcId: item.svcId, messageId: item.messageId }
    } finally {
      entering--
      drain.pump()
    }
  }
}
