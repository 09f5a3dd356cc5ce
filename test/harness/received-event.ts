/**
 * Builds complete `received` events, for tests of the code that delivers events. Also reads such events, for tests of
 * the code that builds them.
 */
import assert from 'node:assert/strict'
import type { BlockName, ReceivedBlocks, ReceivedContent } from '../../src/features/received/blocks.ts'
import type { Received, ReceivedEvent, ReceivedFields } from '../../src/features/webhook-payloads.ts'
import { sampleEvent } from '../../workers/shard/webhooks/sample.ts'

const textBlock = (message: string): ReceivedContent => ({
  message_type: 'text',
  text: { message, title: null, description: null, url: null },
})

/** Builds a `received` event. `text` is both the message id and the content; `fields` replaces other fields. */
export function textEvent(text: string, at: number, fields: Partial<ReceivedFields> = {}): ReceivedEvent {
  const sample = sampleEvent('received', at) as ReceivedEvent
  const nameless = { phone: '5511988880001', chat_name: null, sender_name: null }
  return { ...sample, body: { ...sample.body, ...nameless, message_id: text, ...fields, ...textBlock(text) } }
}

/**
 * Returns the content of a message by its type. Throws if the message has another type than `name` (such as `image`).
 */
export function blockOf<Name extends BlockName>(body: Received | undefined, name: Name): ReceivedBlocks[Name] {
  assert.equal(body?.message_type, name)
  return (body as unknown as ReceivedBlocks)[name]
}
