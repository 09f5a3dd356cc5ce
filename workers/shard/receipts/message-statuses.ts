/**
 * Receipts of the network become `message_status` events, each status once per message and participant. A higher status
 * implies the lower ones, so both are reported. The status is in the commit of its event, so that none is lost or
 * reported twice.
 */

import type { EventOf } from '../../../src/features/webhook-payloads.ts'
import { type Deferred, deferred } from '../../../src/lib/deferred.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { within } from '../../../src/storage/timer.ts'
import type { Identity, Person } from '../connection/identity.ts'
import type { Context } from '../context/instance-context.ts'
import type { ReceiptLevels, Subject } from '../messages/receipt-levels.ts'
import { impliedBy, LEVEL, MAX_IDS, type MessageStatus, type Receipt } from '../translate/inbound/receipt.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import { bare, chatKind, identifierOf } from '../wire/jid.ts'

/**
 * Time in ms for which receipts wait for the commit of the status `sent`. A status post to many people consists of many
 * stanzas, and the first receipts arrive before the last stanza is sent.
 */
const HOLD_DEADLINE = 10_000
/** The most receipts in one commit. */
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
  /** Whether this is the first attempt to send the message: no receipt can have arrived before `hold` was called. */
  isNew: boolean
}

/** The status `sent` of a message, for the commit that ends its queue item. */
export interface FirstStatus {
  /** Called right before each attempt of the commit. Empty if a receipt has already led to this status. */
  ops(): Op[]
  applied(): void
}

export interface MessageStatuses {
  /** Makes receipts wait until the status `sent` of this message is committed. */
  hold(id: string): void
  release(id: string): void
  /** Resolves when receipts of this message may be handled; undefined if that is already so. */
  settled(id: string): Promise<void> | undefined
  /** Resolves when the effect of the receipt is on disk; rejects if it cannot be written. */
  take(identity: Identity, receipt: Receipt): Promise<void>
  /** Resolves with null if no webhook or stream wants the event. */
  sent(identity: Identity, sent: Acked): Promise<FirstStatus | null>
  stop(): Promise<void>
}

export function createMessageStatuses(
  { store, steps }: Context<'store' | 'steps'>,
  { outbox, levels }: MessageStatusDeps,
): MessageStatuses {
  const held = new Map<string, { until: Deferred<void>; hasReceipts: boolean }>()
  /**
   * Receipts that wait for the commit of earlier ones. They are handled in this order, so that their events have it
   * too.
   */
  const waiting: Taken[] = []
  let writing: Promise<void> | undefined

  /**
   * Returns the statuses to report for a receipt, lowest first: also lower ones that it implies and that were not
   * reported. `ahead` has the levels of the same commit.
   */
  async function risesOf(receipt: Receipt, people: People, isWanted: boolean, ahead: Ahead): Promise<Rise[]> {
    const levelOf = async (names: readonly Subject[]) =>
      Math.max(await levels.of(names), ...names.map((name) => ahead.get(name) ?? 0))
    const statuses = [...impliedBy(receipt.status, people.kind), receipt.status]
    // The timeline of the message already has the network's ack, so an implied `sent` is only needed for a webhook.
    const reported = statuses.filter((status) => isWanted || status !== 'sent' || receipt.status === 'sent')
    const rises = reported.map((status): Rise => ({ status, people: peopleAt(status, people), ids: [], subjects: [] }))
    for (const id of new Set(receipt.ids)) {
      const holder = held.get(id)
      if (holder) holder.hasReceipts = true
      const before = await levelOf(subjectsOf(levels, id, people))
      for (const rise of rises) {
        if (before >= LEVEL[rise.status]) continue
        const names = subjectsOf(levels, id, rise.people)
        // In a group, `sent` is one status for all members, so the status of one member does not show it.
        if (rise.people !== people && (await levelOf(names)) >= LEVEL[rise.status]) continue
        rise.ids.push(id)
        rise.subjects.push(names[0]!)
      }
    }
    return rises.filter(({ ids }) => ids.length > 0)
  }

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
        for (const some of batches(ids)) events.push(event({ status, at: receipt.at }, people, some))
      }
    }
    if (rises.length === 0) return
    const appended = isWanted ? events.map((each) => outbox.append(each)) : []
    const noted = isWanted ? [] : events.flatMap(outbox.noted)
    steps('receipt:before-commit')
    await store.commit({
      // The last operation of a commit with the same key counts, so the highest status comes last.
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

  /** One receipt that cannot be written must not fail the others, so after an error each has a commit of its own. */
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

  /** Never rejects. */
  async function writeWaiting(): Promise<void> {
    // Receipts of one read of the socket arrive here in one run of the microtasks.
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
          appended ??= outbox.append(event({ status: 'sent', at }, people, [id]), requestId)
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

async function peopleOf(identity: Identity, { chat, participant }: Pick<Receipt, 'chat' | 'participant'>) {
  const kind = chatKind(chat)
  return {
    kind,
    chat: kind === 'user' ? await identity.person(bare(chat)) : { phone: identifierOf(chat), lid: null },
    who: participant === null ? null : await identity.person(bare(participant)),
  }
}
type People = Awaited<ReturnType<typeof peopleOf>>

const event = (
  { status, at }: Pick<Receipt, 'status' | 'at'>,
  { kind, chat, who }: People,
  ids: string[],
): EventOf<'message_status'> => ({
  type: 'message_status',
  at,
  body: {
    status,
    ids,
    phone: chat.phone,
    chat_lid: chat.lid,
    is_group: kind === 'group',
    participant_phone: who?.phone ?? null,
    participant_lid: who?.lid ?? null,
  },
})

interface Taken {
  identity: Identity
  receipt: Receipt
  written: Deferred<void>
}

type Ahead = Map<Subject, number>

/**
 * Returns the number of receipts for the next commit: at least one, and otherwise at most as many ids as one event may
 * have.
 */
function together(waiting: readonly Taken[]): number {
  let ids = 0
  const end = waiting.findIndex(({ receipt }, index) => {
    ids += receipt.ids.length
    return index > 0 && (index === MOST_TOGETHER || ids > MAX_IDS)
  })
  return end === -1 ? waiting.length : end
}

interface Rise {
  status: MessageStatus
  people: People
  ids: string[]
  subjects: Subject[]
}

/** `sent` belongs to the whole message and not to one recipient. */
const peopleAt = <P extends { who: Person | null }>(status: MessageStatus, people: P): P =>
  status === 'sent' && people.who ? { ...people, who: null } : people

/**
 * Returns the keys of the stored status: one per jid of the chat or participant. A new status is written under the
 * first key.
 */
function subjectsOf(
  levels: ReceiptLevels,
  id: string,
  { kind, chat, who }: { kind: string; chat: Person; who: Person | null },
): Subject[] {
  const names = ({ phone, lid }: Person) => [...new Set([phone, ...(lid === null ? [] : [lid])])]
  if (kind === 'user') return names(chat).map((name) => levels.subject(id, name, ''))
  return (who ? names(who) : ['']).map((name) => levels.subject(id, chat.phone, name))
}

const batches = (ids: string[]) =>
  Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, index) => ids.slice(index * MAX_IDS, (index + 1) * MAX_IDS))
