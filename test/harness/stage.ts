/** A world with one connected instance, and what stories about single messages ask of it. */
import assert from 'node:assert/strict'
import type { Ack, Instance } from './gateway.ts'
import type { InboxItem } from './sandbox.ts'
import { startWorld, type World, type WorldOptions } from './world.ts'

/** Instances of the network for the raw parts of a message, as JSON. */
export type Json = Record<string, unknown>

export interface Stage {
  world: World
  instance: Instance
  /** Sends, and resolves with what the contact got. */
  shown(path: string, input: Json & { phone: string }, contact?: string): Promise<InboxItem>
  /** Sends, and resolves with the outcome; the inbox is not looked at. */
  outcome(path: string, input: Json & { phone: string }): Promise<Json>
  /** The issues of a request that is refused at once. */
  refused(path: string, input: Json): Promise<{ path: string; message: string }[]>
  deliveryOf(messageId: string): Promise<Json>
  next(contact: string): Promise<InboxItem>
  /** Until the account has its name, which comes with its saved contacts, in one sync. */
  named(): Promise<void>
}

export const startStage = async (phone: string, more: Json = {}, options: WorldOptions = {}): Promise<Stage> =>
  joinStage(await startWorld(options), phone, more)

/** One more instance in the same world, for stories that are told at the same time. */
export async function joinStage(world: World, phone: string, more: Json = {}): Promise<Stage> {
  await world.sandbox.createPhone(phone, { name: 'Me', ...more })
  const instance = await world.gateway.createInstance(world.receiver)
  await world.gateway.pair(instance, world.sandbox, phone)
  const lastSeq = new Map<string, number>()

  const deliveryOf = (messageId: string) =>
    world.receiver.waitFor(
      `delivery of ${messageId}`,
      ({ type, message_id }) => type === 'delivery' && message_id === messageId,
    ) as Promise<Json>

  async function next(contact: string): Promise<InboxItem> {
    const [item] = await world.sandbox.inbox(contact, lastSeq.get(contact) ?? 0, 10_000)
    assert.ok(item, `nothing reached ${contact}`)
    lastSeq.set(contact, item.seq)
    return item
  }

  const post = async (path: string, input: Json) => (await world.gateway.must(instance, 'POST', path, input)) as unknown as Ack

  return {
    world,
    instance,
    deliveryOf,
    next,
    async named() {
      for (;;) {
        const { status } = await world.gateway.ask(instance, 'POST', '/send-presence', { presence: 'unavailable' })
        if (status === 200) return
      }
    },
    async shown(path, input, contact = input.phone) {
      const { message_id } = await post(path, input)
      const delivery = await deliveryOf(message_id)
      assert.equal(delivery.status, 'sent', JSON.stringify(delivery))
      const item = await next(contact)
      assert.equal(item.id, message_id)
      return item
    },
    async outcome(path, input) {
      return deliveryOf((await post(path, input)).message_id)
    },
    async refused(path, input) {
      const { status, body } = await world.gateway.ask(instance, 'POST', path, input)
      assert.equal(status, 400, JSON.stringify(body))
      const { code, details } = body.error as { code: string; details: { issues: { path: string; message: string }[] } }
      assert.equal(code, 'invalid_request')
      return details.issues
    },
  }
}
