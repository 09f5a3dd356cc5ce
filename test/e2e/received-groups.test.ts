/** Groups whose events nobody wants. shared/api/webhook-payloads.md, 2.6. What each notification says: `received/group-notices.ts`. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ANA, chatOf, ME, type Story, startStory } from './received/story.ts'

let story: Story
before(async () => {
  story = await startStory({ webhooks: { notify_sent_by_me: true } })
})
after(() => story.world.stop())

test('messages in groups can be ignored, and their notifications with them', async () => {
  const { sandbox, gateway, receiver } = story.world
  await gateway.must(story.instance, 'PUT', '/webhooks', { ignore_groups: true })
  const { id: group } = await sandbox.createGroup({ subject: 'Silent', owner: ANA, participants: [ANA, ME] })
  await sandbox.send(ANA, group, { text: 'nobody hears' })
  const { id } = await sandbox.send(ANA, ME, { text: 'somebody does' })
  await story.received(id)
  assert.deepEqual(
    receiver.events('received').filter(({ phone }) => phone === chatOf(group)),
    [],
  )
  await gateway.must(story.instance, 'PUT', '/webhooks', { ignore_groups: false })
})
