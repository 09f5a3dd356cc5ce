import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ANA, ME, startStory } from './received/story.ts'

const story = await startStory()
after(() => story.world.stop())

test('presence is told only while its URL is set and not ignored', async () => {
  const { sandbox, gateway, receiver } = story.world
  const show = (state: string) => sandbox.post(`/contacts/${ANA}/presence`, { to: ME, state })
  const seen = () => receiver.events('chat_presence').length
  await show('composing')
  await receiver.waitFor('composing', ({ type, status }) => type === 'chat_presence' && status === 'composing')
  await gateway.must(story.instance, 'PUT', '/webhooks', { ignore_chat_presence_callback: true })
  const before = seen()
  await show('recording')
  const { id } = await sandbox.send(ANA, ME, { text: 'after it' })
  await story.received(id)
  assert.equal(seen(), before)
  await gateway.must(story.instance, 'PUT', '/webhooks', { ignore_chat_presence_callback: false })
  await show('paused')
  await receiver.waitFor('paused', ({ type, status }) => type === 'chat_presence' && status === 'paused')
})
