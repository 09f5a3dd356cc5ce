/**
 * Status of own messages: receipts from the network become `message_status`, each value once per message and participant, never a lower one
 * after a higher. A receipt that overtakes another one brings both values: what is read was delivered, and what was delivered was sent, also
 * where the network's ack was lost with a connection. The reported value is written in the commit of its event, so that neither a kill nor a
 * restart repeats or loses one. Where nobody wants the event, the same commit has the receipt for the timeline of the message alone.
 */
import type { Logger } from 'pino'
import type { Clock } from '../../../src/domain/clock.ts'
import type { Steps } from '../../../src/domain/steps.ts'
import type { EventOf } from '../../../src/features/webhook-payloads.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import type { Sealer } from '../../../src/storage/seal.ts'
import { within } from '../../../src/storage/timer.ts'
import type { Identity, Person } from '../connection/identity.ts'
import { impliedBy, LEVEL, MAX_IDS, type MessageStatus, type Receipt } from '../translate/inbound/receipt.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import { bare, chatKind, identifierOf } from '../wire/jid.ts'
import { createReceiptLevels, type ReceiptLevels, type Subject } from './receipt-levels.ts'

/**
 * Longest wait of a receipt for the commit of `sent`, in ms. A status to many people is many stanzas, and those who have it answer while
 * the rest is still being sent; every receipt behind one that waits does so, too.
 */
const HOLD_DEADLINE = 10_000

export interface MessageStatusDeps {
  instance: string
  store: StateStore
  sealer: Sealer
  outbox: Pick<Outbox, 'wanted' | 'append' | 'committed' | 'noted'>
  clock: Clock
  log: Logger
  steps: Steps
}

/** A message that the network has taken. */
export interface Acked {
  chat: string
  id: string
  /** Epoch ms. */
  at: number
  requestId: string | undefined
  /** It was in flight for the first time: no receipt of it can have come before it was held. */
  isNew: boolean
}

/** The first status of a message, for the commit that ends its queue item. */
export interface FirstStatus {
  /** Right before each try of the commit. Empty when a receipt was faster. */
  ops(): Op[]
  /** After it. */
  applied(): void
}

export interface MessageStatuses {
  start(): void
  /** Receipts of this message wait from here on: one can be faster than the commit of `sent`, which comes before it. */
  hold(id: string): void
  release(id: string): void
  /** Resolves when nothing holds it any more; undefined where nothing does. */
  settled(id: string): Promise<void> | undefined
  /** Resolves when its effect is on disk; rejects when it cannot be written. */
  take(identity: Identity, receipt: Receipt): Promise<void>
  /** The network's own ack; null when its event is not wanted. */
  sent(identity: Identity, sent: Acked): Promise<FirstStatus | null>
  stop(): Promise<void>
}

export function createMessageStatuses({
  instance,
  store,
  sealer,
  outbox,
  clock,
  log,
  steps,
}: MessageStatusDeps): MessageStatuses {
  const levels = createReceiptLevels(instance, store, sealer, clock, log)
  const held = new Map<string, { until: Promise<void>; release(): void; hasReceipts: boolean }>()
  /** One after another: the order of the events is the order of the receipts. */
  let tail: Promise<unknown> = Promise.resolve()

  /** The people a receipt is about: the same for all its ids. */
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

  /** A value that was not reported before, with the messages it is reported for now. */
  interface Rise {
    status: MessageStatus
    people: People
    ids: string[]
    subjects: Subject[]
  }

  /** Values to report for a receipt, lowest first: its own, and those it implies whose receipts are late or lost. */
  async function risesOf(receipt: Receipt, people: People, isWanted: boolean): Promise<Rise[]> {
    const statuses = [...impliedBy(receipt.status, people.kind), receipt.status]
    // The timeline has the network's ack; `sent` is for receivers of the event alone.
    const reported = statuses.filter((status) => isWanted || status !== 'sent' || receipt.status === 'sent')
    const rises = reported.map((status): Rise => ({ status, people: peopleAt(status, people), ids: [], subjects: [] }))
    for (const id of new Set(receipt.ids)) {
      const holder = held.get(id)
      if (holder) holder.hasReceipts = true
      const before = await levels.of(subjectsOf(levels, id, people))
      for (const rise of rises) {
        if (before >= LEVEL[rise.status]) continue
        const names = subjectsOf(levels, id, rise.people)
        // `sent` is one for all members of a group; the level of one member does not show it.
        if (rise.people !== people && (await levels.of(names)) >= LEVEL[rise.status]) continue
        rise.ids.push(id)
        rise.subjects.push(names[0]!)
      }
    }
    return rises.filter(({ ids }) => ids.length > 0)
  }

  async function report(identity: Identity, receipt: Receipt) {
    const isWanted = outbox.wanted('message_status')
    const rises = await risesOf(receipt, await peopleOf(identity, receipt), isWanted)
    if (rises.length === 0) return
    const events = rises.flatMap(({ status, people, ids }) =>
      batches(ids).map((some) => event({ status, at: receipt.at }, people, some)),
    )
    const appended = isWanted ? events.map((each) => outbox.append(each)) : []
    const noted = isWanted ? [] : events.flatMap(outbox.noted)
    steps('receipt:before-commit')
    await store.commit({
      // Of one subject the highest value comes last, and stays.
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

  return {
    start: levels.start,
    hold(id) {
      let release!: () => void
      const until = new Promise<void>((resolve) => {
        release = resolve
      })
      if (!held.has(id)) held.set(id, { until, release, hasReceipts: false })
    },
    release(id) {
      held.get(id)?.release()
      held.delete(id)
    },
    settled(id) {
      const holder = held.get(id)
      return holder && within(holder.until, HOLD_DEADLINE).then(() => {})
    },
    async take(identity, receipt) {
      const holders = receipt.ids.flatMap((id) => held.get(id)?.until ?? [])
      if (holders.length > 0) await within(Promise.all(holders), HOLD_DEADLINE)
      const reported = tail.then(() => report(identity, receipt))
      // Only the order is taken from it: the failure is the caller's, who holds `reported`.
      tail = reported.catch(() => {})
      return reported
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
      for (const { release } of held.values()) release()
      await Promise.all([tail, levels.stop()])
    },
  }
}

/** `sent` is a value of the message, whoever received it. */
const peopleAt = <P extends { who: Person | null }>(status: MessageStatus, people: P): P =>
  status === 'sent' && people.who ? { ...people, who: null } : people

/** Under every name of the chat, or of the participant: numbers are learnt later than LIDs, and the other way round. The first is written. */
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
