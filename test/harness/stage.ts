/**
 * Starts a network, a service and a receiver with one connected instance, for tests that send a message and look at it.
 */
import assert from 'node:assert/strict'
import type { Ack, Instance } from './gateway.ts'
import type { InboxItem } from './sandbox.ts'
import { startWorld, type World, type WorldOptions } from './world.ts'

export type Json = Record<string, unknown>

export const field = (message: Json, name: string) => message[name] as Json
export const bytes = (value: unknown) => Buffer.from(String(value), 'base64')
/** Returns the secret in a poll or an event. Votes and answers are encrypted with it. */
export const secretOf = (message: Json) => bytes(field(message, 'messageContextInfo').messageSecret)
export const metaOf = (nodes: { tag: string; attrs: Record<string, string> }[] | undefined) =>
  nodes?.find(({ tag }) => tag === 'meta')?.attrs

export interface Stage {
  world: World
  instance: Instance
  shown(path: string, input: Json & { phone: string }, contact?: string): Promise<InboxItem>
  /** Sends a message, and resolves with the reported result, without reading the contact's inbox. */
  outcome(path: string, input: Json & { phone: string }): Promise<Json>
  /**
   * Sends a request that is refused at once, and returns the issues (wrong fields and their messages) of the refusal.
   */
  refused(path: string, input: Json): Promise<{ path: string; message: string }[]>
  deliveryOf(messageId: string): Promise<Json>
  next(contact: string): Promise<InboxItem>
  /** Waits until the account has its name. The name arrives together with its saved contacts, in one sync. */
  named(): Promise<void>
}

export const startStage = async (phone: string, more: Json = {}, options: WorldOptions = {}): Promise<Stage> =>
  joinStage(await startWorld(options), phone, more)

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
