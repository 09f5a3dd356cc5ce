/** Notifications of groups: who acted, what changed, each once. shared/api/webhook-payloads.md, 2.5. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { must } from '../harness/http.ts'
import { ANA, ANA_LID, BEN, CAROL, chatOf, content, type Event, ME, type Story, startStory } from './received/story.ts'

let story: Story
before(async () => {
  story = await startStory({ webhooks: { notify_sent_by_me: true } })
})
after(() => story.world.stop())

for (const addressing of ['lid', 'pn'] as const) {
  test(`every change of a group addressed by ${addressing} is told once, with who acted`, async () => {
    const { sandbox, receiver } = story.world
    const { id: group } = await sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, BEN, ME], addressing })
    const chat = chatOf(group)
    const here = ({ phone }: Event) => phone === chat
    const put = (changes: object) => must('PUT', `${sandbox.url}/groups/${group}`, { by: ANA, ...changes })
    const people = (action: string, by: string, phones: string[]) =>
      sandbox.post(`/groups/${group}/participants`, { by, action, phones })

    const expectChange = async (name: string, parameters: string[], actor = ANA, more: Event = {}) => {
      const event = content(await story.notified(name, here))
      assert.deepEqual(
        { ...event, message_id: '', chat_name: null, sender_name: null, participant_lid: null },
        story.full({
          message_id: '',
          message_type: 'notification',
          phone: chat,
          chat_lid: null,
          is_group: true,
          chat_name: null,
          sender_name: null,
          participant_phone: actor,
          participant_lid: null,
          notification: name,
          notification_parameters: parameters,
          ...more,
        }),
      )
      // A group addressed by number does not say the LID of who acts.
      if (actor === ANA && addressing === 'lid') assert.equal(event.participant_lid, ANA_LID)
    }

    await expectChange('group_create', ['Team'])
    await put({ subject: 'New name' })
    await expectChange('group_change_subject', ['New name'])
    await put({ description: 'About us' })
    await expectChange('group_change_description', ['About us'])
    await put({ description: '' })
    await expectChange('group_change_description', [''])
    await put({ announce: true })
    await expectChange('group_change_announce', ['on'])
    await put({ announce: false })
    await expectChange('group_change_announce', ['off'])
    await put({ restrict: true })
    await expectChange('group_change_restrict', ['on'])
    await put({ ephemeral_seconds: 86_400 })
    await expectChange('ephemeral_setting_changed', ['86400'])
    await put({ ephemeral_seconds: 0 })
    await expectChange('ephemeral_setting_changed', ['0'])
    await put({ join_approval: true })
    await expectChange('group_membership_approval_mode', ['on'])
    await people('request', CAROL, [CAROL])
    await expectChange('membership_approval_request', [CAROL], CAROL, { request_method: 'invite_link' })
    await people('add', ANA, [CAROL])
    await expectChange('group_participant_add', [CAROL])
    await people('promote', ANA, [BEN])
    await expectChange('group_participant_promote', [BEN])
    await people('demote', ANA, [BEN])
    await expectChange('group_participant_demote', [BEN])
    await people('remove', ANA, [CAROL])
    await expectChange('group_participant_remove', [CAROL])
    await people('leave', BEN, [BEN])
    await expectChange('group_participant_leave', [BEN], BEN)

    const told = receiver.events('received').filter((event) => event.message_type === 'notification' && here(event))
    assert.equal(told.length, new Set(told.map(({ event_id }) => event_id)).size)
    assert.equal(told.length, 16)
  })
}

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
