/**
 * Sends texts in both directions between one account and several people, in private chats and in a group, and checks
 * the events that must exist at the end.
 */
import assert from 'node:assert/strict'
import type { Instance } from '../harness/gateway.ts'
import type { InboxItem, Sandbox } from '../harness/sandbox.ts'
import { type Ground, sendUntilAcknowledged, until } from './ground.ts'
import { compare, firstDeliveries, outOfOrder, textOf, texts } from './ledger.ts'

export const PHONE = '5511999990001'
export const CONTACTS = ['5511988880001', '5511988880002', '5511988880003', '5511988880004'] as const
export const MEMBERS = [CONTACTS[0], CONTACTS[1]] as const

/** A send that the service has acknowledged, so its message must arrive. */
export interface Owed {
  svcId: string
  messageId: string
  to: string
  message: string
  /** The `send_at` of the message, in epoch ms. */
  dueAt?: number
}

export const burstIds = ({ first_id, count }: { first_id: string; count: number }) =>
  Array.from({ length: count }, (_, index) => first_id.slice(0, -6) + String(index + 1).padStart(6, '0'))

export function writeBursts(sandbox: Sandbox) {
  const ids: string[] = []
  return {
    ids,
    async burst(from: string, to: string, count: number, prefix: string, perSecond?: number): Promise<void> {
      ids.push(...burstIds(await sandbox.burst(from, to, count, prefix, { per_second: perSecond })))
    },
  }
}

export async function createPeople(sandbox: Sandbox, more: Record<string, unknown> = {}): Promise<{ group: string }> {
  for (const contact of CONTACTS) await sandbox.createContact(contact, more)
  const { id } = await sandbox.createGroup({ subject: 'faults', owner: MEMBERS[0], participants: [MEMBERS[1], PHONE] })
  return { group: id }
}

export async function sendOwed({ gateway }: Ground, instance: Instance, to: string, message: string): Promise<Owed> {
  const ack = await sendUntilAcknowledged(gateway, instance, to, message)
  return { svcId: ack.svc_id, messageId: ack.message_id, to, message }
}

const lineOf = (text: string) => text.replace(/\d+$/, '')
const numberOf = (text: string) => Number(/\d+$/.exec(text)![0])

const readersOf = (to: string): readonly string[] => (/^\d+$/.test(to) ? [to] : MEMBERS)

export interface Outgoing {
  sent: number
  unique: number
  duplicates: number
  /** Sends that have no `delivery` event, or that are missing in the inbox of one of the recipients. */
  lost: string[]
}

export async function readInboxes(sandbox: Sandbox): Promise<Map<string, InboxItem[]>> {
  return new Map(await Promise.all(CONTACTS.map(async (contact) => [contact, await sandbox.inbox(contact)] as const)))
}

export async function settleOutgoing(
  { receiver, sandbox }: Pick<Ground, 'receiver' | 'sandbox'>,
  owed: readonly Owed[],
): Promise<Outgoing> {
  const deliveries = new Map<string, Map<string, Record<string, unknown>>>()
  let duplicates = 0
  for (const event of receiver.events('delivery')) {
    const svcId = String(event.svc_id)
    const seen = deliveries.get(svcId) ?? new Map()
    if (seen.has(event.event_id)) duplicates++
    seen.set(event.event_id, event)
    deliveries.set(svcId, seen)
  }
  const inboxes = await readInboxes(sandbox)
  const isWith = ({ to, messageId }: Owed) =>
    readersOf(to).every((reader) => inboxes.get(reader)!.some(({ id }) => id === messageId))
  const found = owed.filter(({ svcId }) => deliveries.has(svcId))
  for (const { svcId, messageId } of found) {
    const events = [...deliveries.get(svcId)!.values()]
    assert.equal(events.length, 1, `one delivery for ${svcId}`)
    assert.equal(events[0]!.status, 'sent')
    assert.equal(events[0]!.message_id, messageId)
  }
  const lost = owed.filter((each) => !deliveries.has(each.svcId) || !isWith(each))
  return { sent: owed.length, unique: found.length, duplicates, lost: lost.map(({ message }) => message) }
}

export async function waitForAll(ground: Ground, ids: readonly string[], owed: readonly Owed[], ms = 60_000): Promise<void> {
  const isDone = async () =>
    compare(ground.receiver, 'received', ids).lost.length === 0 && (await settleOutgoing(ground, owed)).lost.length === 0
  // At the deadline the wait ends without an error, because the caller counts and prints the messages that are still
  // missing.
  const deadline = Date.now() + ms
  await until('everything', async () => Date.now() > deadline || (await isDone()), ms + 10_000)
}

/** Checks that the first deliveries of events are in the order of sending, for each author in each chat. */
export function assertIncomingOrder({ receiver }: Pick<Ground, 'receiver'>): void {
  const wrong = outOfOrder(
    firstDeliveries(texts(receiver)),
    (event) => `${event.phone} ${event.participant_phone} ${lineOf(textOf(event))}`,
    (event) => numberOf(textOf(event)),
  )
  assert.deepEqual(wrong, [], 'incoming texts out of order')
}

/**
 * Checks that the texts of a phone arrive in the order of their requests, for each contact, chat and sequence of texts.
 */
export async function assertOutgoingOrder({ sandbox }: Pick<Ground, 'sandbox'>, phones = [PHONE]): Promise<void> {
  for (const [contact, items] of await readInboxes(sandbox)) {
    const seen = new Set<string>()
    const ours = items.filter(({ from, id, text }) => phones.includes(from) && text && !seen.has(id) && seen.add(id))
    const wrong = outOfOrder(
      ours,
      ({ from, chat, text }) => `${from} ${chat} ${lineOf(text!)}`,
      ({ text }) => numberOf(text!),
    )
    assert.deepEqual(wrong, [], `texts to ${contact} out of order`)
  }
}
