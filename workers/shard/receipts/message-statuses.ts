/**
 * Receipts of the network become `message_status` events, each status once per message and participant. A higher status
 * implies lower ones (`impliedBy`), so these are reported too. The status is in the commit of its event, so that none
 * is lost or reported twice.
 */

import type { EventOf } from '../../../src/features/webhook-payloads.ts'
import { type Deferred, deferred } from '../../../src/lib/deferred.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { within } from '../../../src/storage/timer.ts'
import type { Identity } from '../connection/identity.ts'
import type { Context } from '../context/instance-context.ts'
import type { ReceiptLevels } from '../messages/receipt-levels.ts'
import { LEVEL, MAX_IDS, type Receipt } from '../translate/inbound/receipt.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import { peopleOf, statusEvent, subjectsOf } from './status-people.ts'
import { type Ahead, createStatusRises, type Rise } from './status-rises.ts'

/**
 * Maximum time in ms for which a receipt waits for `release`. A status post to many people consists of many stanzas,
 * and the first receipts arrive before the last stanza is sent.
 */
const HOLD_DEADLINE = 10_000
/** Maximum number of receipts in one commit. */
const MOST_TOGETHER = 32

export interface MessageStatusDeps {
  outbox: Pick<Outbox, 'wanted' | 'append' | 'committed' | 'noted'>
  levels: ReceiptLevels
}

export interface Acked {
  chat: string
  id: string
  /** Time at which the network's ack arrived, in epoch ms. */
  at: number
  requestId: string | undefined
  /**
   * True for the first attempt to send the message. Only then is it certain that no receipt arrived before `hold` was
   * called.
   */
  isNew: boolean
}

/** The status `sent` of a message, for the commit that ends its queue item. */
export interface FirstStatus {
  /**
   * Empty if a receipt has already led to the status `sent`. Must be called right before each attempt of the commit.
   */
  ops(): Op[]
  applied(): void
}

export interface MessageStatuses {
  /** Makes receipts of this message wait until `release` is called, each at most `HOLD_DEADLINE`. */
  hold(id: string): void
  release(id: string): void
  /**
   * Returns a promise that resolves when receipts of this message may be handled; undefined if they may be handled now.
   */
  settled(id: string): Promise<void> | undefined
  /** Resolves when the effect of the receipt is on disk. Rejects if it cannot be written. */
  take(identity: Identity, receipt: Receipt): Promise<void>
  /**
   * Prepares the status `sent`. Resolves with null if no webhook or stream wants the event, or if a receipt has already
   * led to this status.
   */
  sent(identity: Identity, sent: Acked): Promise<FirstStatus | null>
  stop(): Promise<void>
}

export function createMessageStatuses(
  { store, steps }: Context<'store' | 'steps'>,
  { outbox, levels }: MessageStatusDeps,
): MessageStatuses {
  const held = new Map<string, { until: Deferred<void>; hasReceipts: boolean }>()
  /**
   * Receipts that wait for the commit of earlier receipts. They are handled in the order of this list, so that their
   * events are in the same order.
   */
  const waiting: Taken[] = []
  let writing: Promise<void> | undefined
  const risesOf = createStatusRises(levels, (id) => {
    const holder = held.get(id)
    if (holder) holder.hasReceipts = true
  })

  async function report(batch: readonly Taken[]) {
    const isWanted = outbox.wanted('message_status')
    const ahead: Ahead = new Map()
    const rises: Rise[] = []
    const events: EventOf<'message_status'>[] = []
    for (const { identity, receipt } of batch) {
      for (const rise of await risesOf(receipt, await peopleOf(identity, receipt), isWanted, ahead)) {
        const { status, people, ids, subjects } = rise
        rises.push(rise)
        for (const subject of subjects) ahead.set(subject, LEVEL[status])
        for (const some of batches(ids)) events.push(statusEvent({ status, at: receipt.at }, people, some))
      }
    }
    if (rises.length === 0) return
    const appended = isWanted ? events.map((each) => outbox.append(each)) : []
    const noted = isWanted ? [] : events.flatMap(outbox.noted)
    steps('receipt:before-commit')
    await store.commit({
      // If operations of a commit have the same key, the last one counts. So the highest status comes last.
      ops: [
        ...rises.flatMap(({ subjects, status }) => levels.ops(subjects, LEVEL[status])),
        ...appended.flatMap(({ ops }) => ops),
        ...noted,
      ],
    })
    steps('receipt:after-commit')
    for (const { subjects, status } of rises) levels.applied(subjects, LEVEL[status])
    for (const { eventId } of appended) outbox.committed(eventId)
  }

  /**
   * Writes receipts in one commit. After an error each has a commit of its own, so that one receipt that cannot be
   * written does not fail the others.
   */
  async function write(batch: readonly Taken[]): Promise<void> {
    try {
      await report(batch)
    } catch (error) {
      const [only] = batch
      if (batch.length === 1) return only?.written.reject(error)
      for (const each of batch) await write([each])
      return
    }
    for (const { written } of batch) written.resolve()
  }

  /** Writes the waiting receipts, until none is left. Never rejects. */
  async function writeWaiting(): Promise<void> {
    // This pause of a microtask lets further receipts of the same read of the socket arrive, so that they share
    // commits.
    await Promise.resolve()
    while (waiting.length > 0) await write(waiting.splice(0, together(waiting)))
    writing = undefined
  }

  return {
    hold(id) {
      if (!held.has(id)) held.set(id, { until: deferred(), hasReceipts: false })
    },
    release(id) {
      held.get(id)?.until.resolve()
      held.delete(id)
    },
    settled(id) {
      const holder = held.get(id)
      return holder && within(holder.until.promise, HOLD_DEADLINE).then(() => {})
    },
    async take(identity, receipt) {
      const holders = receipt.ids.flatMap((id) => held.get(id)?.until.promise ?? [])
      if (holders.length > 0) await within(Promise.all(holders), HOLD_DEADLINE)
      const taken: Taken = { identity, receipt, written: deferred() }
      waiting.push(taken)
      writing ??= writeWaiting()
      await taken.written.promise
    },
    async sent(identity, { chat, id, at, requestId, isNew }) {
      if (!outbox.wanted('message_status')) return null
      const people = await peopleOf(identity, { chat, participant: null })
      const names = subjectsOf(levels, id, people)
      const hasNone = isNew && held.get(id)?.hasReceipts === false
      if (!hasNone && (await levels.of(names)) >= LEVEL.sent) return null
      const subjects = names.slice(0, 1)
      let appended: ReturnType<Outbox['append']> | undefined
      let isCommitted = false
      return {
        ops() {
          isCommitted = levels.recent(names) < LEVEL.sent
          if (!isCommitted) return []
          appended ??= outbox.append(statusEvent({ status: 'sent', at }, people, [id]), requestId)
          return [...levels.ops(subjects, LEVEL.sent), ...appended.ops]
        },
        applied() {
          if (!isCommitted || !appended) return
          levels.applied(subjects, LEVEL.sent)
          outbox.committed(appended.eventId)
        },
      }
    },
    async stop() {
      for (const { until } of held.values()) until.resolve()
      await writing
    },
  }
}

interface Taken {
  identity: Identity
  receipt: Receipt
  written: Deferred<void>
}

/**
 * Returns the number of receipts for the next commit. Together they have at most as many ids as one event may have,
 * unless the first receipt alone has more.
 */
function together(waiting: readonly Taken[]): number {
  let ids = 0
  const end = waiting.findIndex(({ receipt }, index) => {
    ids += receipt.ids.length
    return index > 0 && (index === MOST_TOGETHER || ids > MAX_IDS)
  })
  return end === -1 ? waiting.length : end
}

const batches = (ids: string[]) =>
  Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, index) => ids.slice(index * MAX_IDS, (index + 1) * MAX_IDS))
