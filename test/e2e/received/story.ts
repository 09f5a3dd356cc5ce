/**
 * Starts an instance and three contacts, for the tests of received messages. Each event is checked against the fields
 * of its declaration, and `compare` also compares its values.
 */
import assert from 'node:assert/strict'
import { z } from 'zod'
import type { MESSAGE_TYPES } from '../../../src/features/received/blocks.ts'
import type { NOTIFICATIONS } from '../../../src/features/received/notifications.ts'
import { webhookPayloads } from '../../../src/features/webhook-payloads.ts'
import type { Instance } from '../../harness/gateway.ts'
import { startWorld, type World, type WorldOptions } from '../../harness/world.ts'

export { chatOf } from '../../harness/places.ts'

export const ME = '5511999990000'
export const ANA = '5511988880001'
export const BEN = '5511988880002'
export const CAROL = '5511988880003'
export const ANA_LID = '81896604190001@lid'
export const BEN_LID = '81896604190002@lid'
export const CAROL_LID = '81896604190003@lid'

export type Event = Record<string, unknown>
export type Kind = (typeof MESSAGE_TYPES)[number]
export type Notification = (typeof NOTIFICATIONS)[number]

/**
 * A test function, also called a story. It makes something happen on the network, and compares the whole event that the
 * webhook receiver gets.
 */
export type Tell = (story: Story) => Promise<unknown>

/** A schema that accepts only the declared fields, so that an additional field is an error. */
const strict = z.strictObject(webhookPayloads.received.shape)

export interface Story {
  world: World
  instance: Instance
  /**
   * Makes Ana send a message, and compares the whole event. `expected` need not contain the fields that every message
   * has.
   */
  fromAna(message: unknown, expected: Event, to?: string): Promise<Event>
  /**
   * Compares the event except `event_id`, `momment` and `instance_id`. A field that is not in `expected` must have the
   * value of Ana's private chat (`FULL`).
   */
  compare(event: Event, expected: Event): void
  /** The kinds of messages and the notifications whose events were compared since `began`. */
  compared(): ReadonlySet<unknown>
  began(): void
  /**
   * Makes every person send a message, so that the service knows both JIDs of each person: the phone-number JID and the
   * LID JID.
   */
  meetEverybody(): Promise<void>
  received(id: string, fits?: (event: Event) => boolean): Promise<Event>
  notified(name: string, fits?: (event: Event) => boolean): Promise<Event>
  full(overrides: Event): Event
}

/** The fields that every event in Ana's private chat has besides its content. */
const FULL = {
  type: 'received',
  single_url: true,
  phone: ANA,
  chat_lid: ANA_LID,
  is_group: false,
  is_newsletter: false,
  broadcast: false,
  from_me: false,
  from_api: false,
  status: 'received',
  chat_name: 'Ana',
  sender_name: 'Ana',
  photo: null,
  sender_photo: null,
  participant_phone: null,
  participant_lid: null,
  connected_phone: ME,
  reference_message_id: null,
  is_status_reply: false,
  is_edit: false,
  forwarded: false,
  view_once: false,
  waiting_message: false,
  message_expiration_seconds: null,
  mentions: [],
}

export function checked(event: Event): Event {
  const result = strict.safeParse(event)
  assert.ok(result.success, `${JSON.stringify(event)} is not as declared: ${JSON.stringify(result.error?.issues)}`)
  const block = event.message_type as string
  if (block !== 'waiting_message') assert.ok(block in event, `${block} has no block`)
  return event
}

export function content({ event_id, momment, instance_id, ...rest }: Event): Event {
  assert.match(String(event_id), /^[0-9A-HJKMNP-TV-Z]{26}$/)
  assert.ok(Number(momment) > 1_600_000_000_000, `momment ${momment}`)
  assert.match(String(instance_id), /^[0-9a-f-]{36}$/)
  return rest
}

/** A function in the expected values of an event. It checks a value that is not known before the test runs. */
export type Fits = (value: unknown) => boolean
export const isTime: Fits = (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value))
export const isId: Fits = (value) => typeof value === 'string' && value.length > 0
/** Accepts a name or null. The name is queried after the first event, so that event does not contain it. */
export const nothingOr =
  (name: string): Fits =>
  (value) =>
    value === null || value === name

/**
 * Replaces each function in `expected` that accepts the actual value by this value. So a comparison shows only the
 * wrong values.
 */
function settled(expected: unknown, actual: unknown): unknown {
  if (typeof expected === 'function') return (expected as Fits)(actual) ? actual : `what fits ${expected}`
  if (Array.isArray(expected)) return expected.map((each, index) => settled(each, (actual as unknown[] | undefined)?.[index]))
  if (typeof expected !== 'object' || expected === null) return expected
  const fields = Object.entries(expected).map(([name, value]) => [name, settled(value, (actual as Event | undefined)?.[name])])
  return Object.fromEntries(fields)
}

export async function startStory(
  more: { settings?: object; webhooks?: object } = {},
  options: WorldOptions = {},
): Promise<Story> {
  const world = await startWorld(options)
  const { sandbox, gateway, receiver } = world
  await sandbox.createContact(ANA, { name: 'Ana', lid: ANA_LID })
  await sandbox.createContact(BEN, { name: 'Ben', lid: BEN_LID })
  await sandbox.createContact(CAROL, { name: 'Carol', lid: CAROL_LID })
  const instance = await gateway.connected(sandbox, ME, receiver, more)
  const seen = new Set<unknown>()
  const compared = new Set<unknown>()

  const story: Story = {
    world,
    instance,
    compare(event, expected) {
      assert.deepEqual(content(event), settled(story.full(expected), event))
      compared.add(event.message_type).add(event.notification)
    },
    compared: () => compared,
    began: () => compared.clear(),
    full: (overrides) => ({ ...FULL, ...overrides }),
    async meetEverybody() {
      for (const person of [ANA, BEN, CAROL]) {
        const { id } = await sandbox.send(person, ME, { text: 'hello' })
        await story.received(id)
      }
    },
    async received(id, fits = () => true) {
      const found = await receiver.waitFor(
        `received ${id}`,
        (event) =>
          event.type === 'received' &&
          (event.message_id === id || event.edit_message_id === id) &&
          fits(event as unknown as Event),
      )
      return checked(found)
    },
    async notified(name, fits = () => true) {
      const found = await receiver.waitFor(
        name,
        (event) => event.notification === name && !seen.has(event.event_id) && fits(event as unknown as Event),
      )
      seen.add(found.event_id)
      return checked(found)
    },
    async fromAna(message, expected, to = ME) {
      const { id } = await sandbox.send(ANA, to, message)
      const event = await story.received(id)
      story.compare(event, { message_id: id, ...expected })
      return event
    },
  }
  return story
}
