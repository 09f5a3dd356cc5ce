/** Received events, whole: made for tests of what carries them, and read for tests of what makes them. */
import assert from 'node:assert/strict'
import type { BlockName, ReceivedBlocks, ReceivedContent } from '../../src/features/received-blocks.ts'
import type { Received, ReceivedEvent, ReceivedFields } from '../../src/features/webhook-payloads.ts'

const textBlock = (message: string): ReceivedContent => ({
  message_type: 'text',
  text: { message, title: null, description: null, url: null },
})

/** A text of a private chat, whose id and words are `text`. */
export const textEvent = (text: string, at: number, fields: Partial<ReceivedFields> = {}): ReceivedEvent => ({
  type: 'received',
  at,
  body: { ...FIELDS, message_id: text, ...fields, ...textBlock(text) },
})

const FIELDS = {
  phone: '5511988880001',
  chat_lid: null,
  is_group: false,
  is_newsletter: false,
  broadcast: false,
  from_me: false,
  from_api: false,
  status: 'received',
  chat_name: null,
  sender_name: null,
  photo: null,
  sender_photo: null,
  participant_phone: null,
  participant_lid: null,
  connected_phone: null,
  reference_message_id: null,
  is_status_reply: false,
  is_edit: false,
  forwarded: false,
  view_once: false,
  waiting_message: false,
  message_expiration_seconds: null,
  mentions: [],
} satisfies Omit<ReceivedFields, 'message_id'>

/** The block of that name, which is the only one. */
export function blockOf<Name extends BlockName>(body: Received | undefined, name: Name): ReceivedBlocks[Name] {
  assert.equal(body?.message_type, name)
  return (body as unknown as ReceivedBlocks)[name]
}
