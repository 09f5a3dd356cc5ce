/**
 * What became of own messages: receipts from the network as `message_status`, each value once per message and participant, never a lower
 * one after a higher. What was reported is remembered for the latest messages.
 */
import type { Logger } from 'pino'
import type { DomainEvent } from '../../src/domain/events.ts'
import type { StateStore } from '../../src/storage/contract.ts'
import type { Outbox } from '../../src/webhooks/outbox.ts'
import type { Identity } from './identity.ts'
import { LEVEL, MAX_IDS, type MessageStatus, type Receipt } from './translate/inbound/receipt.ts'
import { bare, chatKind, identifierOf } from './translate/jid.ts'

/** Messages whose last value is remembered. Receipts come soon; a later repeat would repeat an event, never lose one. */
const REMEMBERED = 20_000

export interface MessageStatusDeps {
  store: StateStore
  outbox: Outbox
  log: Logger
}

export interface MessageStatuses {
  /** Receipts of this message wait from here on: one can be faster than the commit of `sent`, which comes before it. */
  hold(id: string): void
  release(id: string): void
  take(identity: Identity, receipt: Receipt): void
  /** The event of the network's own ack, for the commit that ends the queue item; null when nobody wants it. */
  sent(identity: Identity, chat: string, id: string, at: number): Promise<DomainEvent | null>
  stop(): Promise<void>
}

export function createMessageStatuses({ store, outbox, log }: MessageStatusDeps): MessageStatuses {
  const reported = new Map<string, number>()
  const held = new Map<string, (() => void)[]>()
  /** One after another: the order of the events is the order of the receipts. */
  let line: Promise<unknown> = Promise.resolve()

  function isNew(id: string, participant: string, status: MessageStatus): boolean {
    const key = `${id} ${participant}`
    if ((reported.get(key) ?? 0) >= LEVEL[status]) return false
    reported.delete(key)
    reported.set(key, LEVEL[status])
    for (const oldest of reported.keys()) {
      if (reported.size <= REMEMBERED) break
      reported.delete(oldest)
    }
    return true
  }

  async function event(identity: Identity, { status, ids, chat, participant, at }: Receipt): Promise<DomainEvent> {
    const kind = chatKind(chat)
    const person = kind === 'user' ? await identity.person(bare(chat)) : null
    const who = participant === null ? null : await identity.person(bare(participant))
    return {
      type: 'message_status',
      at,
      body: {
        status,
        ids,
        phone: person?.phone ?? identifierOf(chat),
        chat_lid: person?.lid ?? null,
        is_group: kind === 'group',
        participant_phone: who?.phone ?? null,
        participant_lid: who?.lid ?? null,
      },
    }
  }

  async function report(identity: Identity, receipt: Receipt) {
    const who = receipt.participant === null ? '' : (await identity.person(bare(receipt.participant))).phone
    const fresh = receipt.ids.filter((id) => isNew(id, who, receipt.status))
    if (!outbox.wanted('message_status')) return
    for (let from = 0; from < fresh.length; from += MAX_IDS) {
      const { eventId, ops } = outbox.append(await event(identity, { ...receipt, ids: fresh.slice(from, from + MAX_IDS) }))
      await store.commit({ ops })
      outbox.committed(eventId)
    }
  }

  function take(identity: Identity, receipt: Receipt) {
    const holder = receipt.ids.find((id) => held.has(id))
    if (holder !== undefined) {
      held.get(holder)!.push(() => take(identity, receipt))
      return
    }
    line = line
      .then(() => report(identity, receipt))
      .catch((error) => log.error({ err: error }, 'a receipt could not be reported'))
  }

  return {
    take,
    hold: (id) => void held.set(id, held.get(id) ?? []),
    release(id) {
      const waiting = held.get(id) ?? []
      held.delete(id)
      for (const again of waiting) again()
    },
    async sent(identity, chat, id, at) {
      if (!isNew(id, '', 'sent') || !outbox.wanted('message_status')) return null
      return event(identity, { status: 'sent', ids: [id], chat, participant: null, at })
    },
    async stop() {
      await line
    },
  }
}
