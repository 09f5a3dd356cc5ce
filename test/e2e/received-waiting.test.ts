/** Messages that cannot be read: the sender is asked again, and after 10 s the receiver is told. webhook-payloads.md, 2.7. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ANA, content, ME, type Story, startStory } from './received/story.ts'

let story: Story
before(async () => {
  story = await startStory()
})
after(() => story.world.stop())

const text = (message: string) => ({ message, title: null, description: null, url: null })

test('a message whose retry comes in time is told once, readable', async () => {
  const { sandbox, receiver } = story.world
  await story.fromAna({ text: 'first' }, { message_type: 'text', text: text('first') })
  await sandbox.fault({ on: 'message', match: { direction: 'to_client' }, do: { corrupt: true }, times: 1 })
  const { id } = await sandbox.send(ANA, ME, { text: 'again' })
  const event = await story.received(id)
  assert.equal(event.message_type, 'text')
  assert.equal(event.waiting_message, false)
  assert.equal(receiver.events('received').filter(({ message_id }) => message_id === id).length, 1)
})

test('a message whose retry does not come is told as waiting after 10 s, and readable when it comes', async () => {
  const { sandbox, receiver } = story.world
  await sandbox.fault({ on: 'message', match: { direction: 'to_client' }, do: { corrupt: true }, times: 1 })
  // The sender never hears that it should send again.
  await sandbox.fault({ on: 'receipt', match: { type: 'retry' }, do: 'drop', times: 1 })
  const { id } = await sandbox.send(ANA, ME, { text: 'lost' })
  const startedAt = Date.now()
  const event = await story.received(id)
  assert.ok(Date.now() - startedAt >= 9_000, 'it waited for the retry')
  assert.deepEqual(content(event), story.full({ message_id: id, message_type: 'waiting_message', waiting_message: true }))
  await sandbox.clearFaults()
  assert.equal(receiver.events('received').filter(({ message_id }) => message_id === id).length, 1)
  const next = await story.fromAna({ text: 'after it' }, { message_type: 'text', text: text('after it') })
  assert.equal(next.message_type, 'text')
})
