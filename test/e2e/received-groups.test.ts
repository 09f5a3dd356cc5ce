/**
 * Tests events about groups: which are ignored, and in which order they come. `received/group-notices.ts` tests the
 * payload of each notification.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ANA, BEN, chatOf, ME, startStory } from './received/story.ts'

const story = await startStory({ webhooks: { notify_sent_by_me: true } })
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

test('changes of a group are reported in the order in which they happened', async () => {
  const { sandbox, receiver } = story.world
  const { id: group } = await sandbox.createGroup({ subject: 'Order', owner: ANA, participants: [ANA, BEN, ME] })
  const expected: unknown[] = []
  for (let round = 0; round < 10; round++) {
    await sandbox.post(`/groups/${group}/participants`, { by: ANA, action: 'remove', phones: [BEN] })
    await sandbox.put(`/groups/${group}`, { by: ANA, subject: `Subject ${round}` })
    await sandbox.post(`/groups/${group}/participants`, { by: ANA, action: 'add', phones: [BEN] })
    await sandbox.put(`/groups/${group}`, { by: ANA, description: `Description ${round}` })
    await sandbox.send(ANA, group, { text: `Text ${round}` })
    expected.push(
      'group_participant_remove',
      `Subject ${round}`,
      'group_participant_add',
      `Description ${round}`,
      `Text ${round}`,
    )
  }
  const told = () =>
    receiver
      .events('received')
      .filter(({ phone, notification }) => phone === chatOf(group) && notification !== 'group_create')
      .map(({ notification, notification_parameters: what, text }) => {
        if (notification === undefined) return (text as { message: string }).message
        return String(notification).includes('participant') ? notification : (what as string[])[0]
      })
  await receiver.waitFor('the last', () => told().length === expected.length)
  assert.deepEqual(told(), expected)
})
