import assert from 'node:assert/strict'
import { text } from './contents.ts'
import { ANA, ME, type Tell } from './story.ts'

/** A time in ms. It is longer than the 10 s for which the service waits for a readable copy. */
const LATE = 11_000

/**
 * Neither the sender nor the phone sends a readable copy in time, so the message is reported as waiting. Later the
 * sender sends one, and the message is reported again, with its content.
 */
export const waiting_message: Tell = async (story) => {
  const { sandbox } = story.world
  await story.fromAna({ text: 'hello' }, { message_type: 'text', text: text('hello') })
  await sandbox.fault({ on: 'message', match: { direction: 'to_client' }, do: { corrupt: true }, times: 1 })
  await sandbox.fault({ on: 'receipt', match: { type: 'retry' }, do: { delay_ms: LATE }, times: 1 })
  await sandbox.fault({ on: 'message', match: { direction: 'from_client', category: 'peer' }, do: 'drop', times: 1 })
  const { id } = await sandbox.send(ANA, ME, { text: 'late' })
  const waiting = await story.received(id)
  story.compare(waiting, { message_id: id, message_type: 'waiting_message', waiting_message: true })
  const readable = await story.received(id, ({ waiting_message }) => !waiting_message)
  story.compare(readable, { message_id: id, message_type: 'text', text: text('late') })
  assert.notEqual(readable.event_id, waiting.event_id)
  // Senders do not encrypt view-once messages for linked devices. So the service does not request this message again,
  // and reports it immediately.
  const once = await sandbox.send(ANA, ME, { text: 'once' }, { unavailable: 'view_once' })
  story.compare(await story.received(once.id), {
    message_id: once.id,
    message_type: 'waiting_message',
    waiting_message: true,
    view_once: true,
  })
}
