import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { MEX } from '../../../workers/shard/wire/mex.ts'
import { column } from '../../harness/columns.ts'
import type { Json } from '../../harness/stage.ts'
import { ANA, detailsOf, EVA, ME, startGround } from './ground.ts'

const ground = await startGround()
after(() => ground.stop())

/** Creates a group of which the account is not a member. */
async function foreign(settings?: Json): Promise<{ id: string; chat: string; url: string }> {
  const made = await ground.group({ owner: ANA, participants: [ANA, EVA], ...(settings ? { settings } : {}) })
  const { gateway, sandbox } = ground.me.world
  await sandbox.post(`/groups/${made.id}/participants`, { by: ANA, action: 'promote', phones: [EVA] })
  const path = `/groups/${made.chat}/invitation-link`
  const { invitation_link } = await gateway.must(ground.eva.instance, 'GET', path)
  return { ...made, url: String(invitation_link) }
}

test('a link is read by an administrator, and the one before is worth nothing once it is reset', async () => {
  const { id, chat } = await ground.group()
  const before = await ground.must('groups.invitationLink', { group_id: id })
  assert.equal(before.phone, chat)
  assert.match(String(before.invitation_link), /^https:\/\/chat\.whatsapp\.com\/[\w-]{22}$/)
  const renewed = await ground.must('groups.resetInvitationLink', { group_id: chat })
  assert.notEqual(renewed.invitation_link, before.invitation_link)
  const { notification_parameters } = await ground.heard(chat, 'group_change_invite_link')
  assert.equal(`https://chat.whatsapp.com/${(notification_parameters as string[])[0]}`, renewed.invitation_link)
  assert.equal((await ground.must('groups.invitationLink', { group_id: chat })).invitation_link, renewed.invitation_link)
  assert.equal(await ground.refused('groups.invitationMetadata', { url: before.invitation_link }), 'invite_link_invalid')
  assert.equal(await ground.refused('groups.acceptInvitation', { url: before.invitation_link }), 'invite_link_invalid')
})

test('where the network does not take the form, or tells no code, the link is asked for by GraphQL', async () => {
  const { chat } = await ground.group()
  const { invitation_link } = await ground.must('groups.invitationLink', { group_id: chat })
  const match = { account: ME, xmlns: 'w:g2', type: 'get', child: 'invite' }
  const instead = (action: unknown) => ground.me.world.sandbox.post('/answers', { match, do: action, times: 1 })
  for (const action of [
    { error: [400, 'bad-request'] },
    { error: [501, 'feature-not-implemented'] },
    { result: [['invite', {}, []]] },
  ]) {
    await instead(action)
    assert.equal((await ground.must('groups.invitationLink', { group_id: chat })).invitation_link, invitation_link)
  }
  // The service has two kinds of query for an invitation code. If both are refused, it must report the refusal of the
  // first one.
  const mex = { account: ME, xmlns: 'w:mex', child: 'query', child_attrs: { query_id: MEX.FetchGroupInviteCode.id } }
  const refusal = { errors: [{ extensions: { error_code: 403 }, path: [MEX.FetchGroupInviteCode.field] }], data: null }
  await instead({ error: [400, 'bad-request'] })
  await ground.me.world.sandbox.post('/answers', {
    match: mex,
    do: { result: [['result', {}, JSON.stringify(refusal)]] },
    times: 1,
  })
  const answer = await ground.ask('groups.invitationLink', { group_id: chat })
  assert.deepEqual([answer.status, detailsOf(answer)], [502, { network_code: 400 }])
  // If the answer contains no code, the service must not build a link from it.
  await ground.me.world.sandbox.post('/answers', { match: { ...match, type: 'set' }, do: { result: [] }, times: 1 })
  assert.equal(await ground.refused('groups.resetInvitationLink', { group_id: chat }), 'action_failed')
})

for (const operation of ['groups.invitationLink', 'groups.resetInvitationLink'])
  test(`${operation} is for administrators of a group that is not suspended`, async () => {
    const theirs = await ground.group({ owner: ANA })
    const suspended = await ground.group({ settings: { suspended: true } })
    const ask = ({ chat }: { chat: string }) => ground.refused(operation, { group_id: chat })
    assert.deepEqual([await ask(theirs), await ask(suspended)], ['not_allowed', 'group_suspended'])
  })

test('a link shows its group before one joins, with those people whom the network shows and how many there are', async () => {
  const { chat, url } = await foreign({ description: 'Come in' })
  for (const form of [url, `${url}?mode=ac_t`, `${url}/`, url.split('/').at(-1)]) {
    const group = await ground.must('groups.invitationMetadata', { url: form })
    assert.deepEqual([group.phone, group.name, group.description], [chat, 'Team', 'Come in'])
    assert.deepEqual([group.invitation_link, group.invitation_link_error], [url, null])
    assert.equal(group.participants_count, 2)
    assert.deepEqual(column(group.participants as Json[], 'phone'), [ANA, EVA])
  }
})

test('who follows a link is in, and following it again changes nothing', async () => {
  const { chat, url } = await foreign()
  const joined = { value: true, phone: chat, pending_approval: false }
  assert.deepEqual(await ground.must('groups.acceptInvitation', { url }), joined)
  assert.deepEqual((await ground.heard(chat, 'group_participant_add')).notification_parameters, [ME])
  assert.equal((await ground.must('groups.metadata', { group_id: chat })).participants_count, 3)
  assert.deepEqual(await ground.must('groups.acceptInvitation', { url }), joined)
})

test('where an administrator decides, following a link is a request', async () => {
  const { chat, url } = await foreign({ join_approval: true })
  const answer = await ground.must('groups.acceptInvitation', { url })
  assert.deepEqual(answer, { value: true, phone: chat, pending_approval: true })
  assert.deepEqual((await ground.heard(chat, 'membership_approval_request')).notification_parameters, [ME])
  assert.equal(await ground.refused('groups.metadata', { group_id: chat }), 'group_not_found')
})

test('a link to a full group, a group that removed us and a suspended group is refused with the reason', async () => {
  const full = await foreign()
  await ground.change(full.id, { capacity: 2 })
  const answer = await ground.ask('groups.acceptInvitation', { url: full.url })
  assert.deepEqual([answer.status, detailsOf(answer)], [403, { network_code: 419 }])

  const removed = await foreign()
  await ground.must('groups.acceptInvitation', { url: removed.url })
  await ground.people(removed.id, 'remove', [ME])
  for (const operation of ['groups.invitationMetadata', 'groups.acceptInvitation']) {
    const refusal = await ground.ask(operation, { url: removed.url })
    assert.deepEqual([refusal.status, detailsOf(refusal)], [403, { network_code: 401 }])
  }

  const suspended = await foreign()
  await ground.change(suspended.id, { suspended: true })
  for (const operation of ['groups.invitationMetadata', 'groups.acceptInvitation'])
    assert.equal(await ground.refused(operation, { url: suspended.url }), 'group_suspended')
})

for (const operation of ['groups.invitationMetadata', 'groups.acceptInvitation'])
  test(`${operation} refuses what is no link, what leads nowhere, and what may not be followed for now`, async () => {
    const nowhere = 'AAAAAAAAAAAAAAAAAAAAAA'
    for (const url of ['https://example.com/AAAAAAAAAAAAAAAAAAAAAA', 'a b', 'https://chat.whatsapp.com/', nowhere])
      assert.equal(await ground.refused(operation, { url }), 'invite_link_invalid', url)
    for (const [code, wanted] of [
      [410, 'invite_link_invalid'],
      [436, 'invite_link_invalid'],
    ] as const) {
      await ground.refuses('invite', code)
      assert.equal(await ground.refused(operation, { url: nowhere }), wanted, String(code))
    }
  })
