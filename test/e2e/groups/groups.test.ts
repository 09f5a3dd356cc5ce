import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { Json } from '../../harness/stage.ts'
import { ANA, detailsOf, EVA, ME, parameters, startGround } from './ground.ts'

const ground = await startGround()
after(() => ground.stop())

/**
 * `ours`: a group that the account owns. `theirs`: a group that somebody else owns and in which the account is a
 * member.
 */
let ours: { id: string; chat: string }
let theirs: { id: string; chat: string }
beforeEach(async () => {
  ours = await ground.group()
  theirs = await ground.group({ owner: ANA })
})

test('a group is shown with its people, its settings and, to an administrator, its link', async () => {
  await ground.people(ours.id, 'promote', [EVA], ME)
  await ground.change(ours.id, { by: ME, description: 'Daily notes', announce: true, ephemeral_seconds: 86_400 })
  const group = await ground.must('groups.metadata', { group_id: ours.chat })
  const { created_at, name_changed_at, participants, invitation_link, ...rest } = group
  assert.deepEqual(rest, {
    phone: ours.chat,
    name: 'Team',
    description: 'Daily notes',
    owner: ME,
    name_changed_by: ME,
    community_id: null,
    is_community: false,
    is_group_announcement: false,
    admin_only_message: true,
    admin_only_settings: false,
    admin_only_add_member: false,
    require_admin_approval: false,
    ephemeral_seconds: 86_400,
    participants_count: 3,
    invitation_link_error: null,
  })
  for (const at of [created_at, name_changed_at]) assert.ok(Math.abs(Date.parse(String(at)) - Date.now()) < 60_000)
  assert.match(String(invitation_link), /^https:\/\/chat\.whatsapp\.com\/[\w-]{22}$/)
  const shown = (participants as Json[]).map(({ phone, is_admin, is_super_admin }) => [phone, is_admin, is_super_admin])
  assert.deepEqual(shown, [
    [ME, true, true],
    [EVA, true, false],
    [ANA, false, false],
  ])
  assert.ok((participants as Json[]).every(({ lid }) => String(lid).endsWith('@lid')))
  const light = await ground.must('groups.lightMetadata', { group_id: ours.id })
  assert.deepEqual(light, { ...group, invitation_link: null, invitation_link_error: null })
})

test('who is no administrator reads the group without its link, and a link that fails is told beside the group', async () => {
  const { invitation_link, invitation_link_error } = await ground.must('groups.metadata', { group_id: theirs.chat })
  assert.deepEqual([invitation_link, invitation_link_error], [null, 'not_allowed'])
  await ground.refuses('invite', 500)
  assert.equal((await ground.must('groups.metadata', { group_id: ours.chat })).invitation_link_error, 'action_failed')
})

test('approval is on only where the network says that it is', async () => {
  const approval = async () => (await ground.must('groups.lightMetadata', { group_id: ours.chat })).require_admin_approval
  await ground.change(ours.id, { by: ME, join_approval: true })
  assert.equal(await approval(), true)
  await ground.change(ours.id, { by: ME, join_approval: false })
  assert.equal(await approval(), false)
})

test('a new name and a new description are heard by the others, and read at once', async () => {
  assert.deepEqual(await ground.must('groups.updateName', { group_id: ours.chat, value: ' New name ' }), { value: true })
  assert.equal(parameters(await ground.heard(ours.chat, 'group_change_subject'))[0], 'New name')
  for (const value of ['Daily notes', 'Weekly notes']) {
    await ground.must('groups.updateDescription', { group_id: ours.chat, value })
    const { name, description } = await ground.must('groups.lightMetadata', { group_id: ours.chat })
    assert.deepEqual([name, description], ['New name', value])
  }
  assert.equal(parameters(await ground.heard(ours.chat, 'group_change_description'))[0], 'Daily notes')
  await ground.must('groups.updateDescription', { group_id: ours.chat, value: '' })
  assert.equal((await ground.must('groups.lightMetadata', { group_id: ours.chat })).description, null)
})

test('a description that was changed from elsewhere meanwhile is written on the second try, and not on a third', async () => {
  await ground.refuses('description', 409)
  await ground.must('groups.updateDescription', { group_id: ours.chat, value: 'second' })
  assert.equal((await ground.must('groups.lightMetadata', { group_id: ours.chat })).description, 'second')
  await ground.refuses('description', 409, 2)
  const answer = await ground.ask('groups.updateDescription', { group_id: ours.chat, value: 'third' })
  assert.deepEqual([answer.status, detailsOf(answer)], [502, { network_code: 409 }])
})

test('each of several descriptions at once is taken', async () => {
  const values = ['one', 'two', 'three', 'four', 'five']
  await Promise.all(values.map((value) => ground.must('groups.updateDescription', { group_id: ours.chat, value })))
  const { description } = await ground.must('groups.lightMetadata', { group_id: ours.chat })
  assert.ok(values.includes(String(description)), String(description))
})

test('a name that the network does not accept is told by its field', async () => {
  await ground.refuses('subject', 406)
  const answer = await ground.ask('groups.updateName', { group_id: ours.chat, value: 'No' })
  assert.equal(answer.status, 400)
  assert.equal((detailsOf(answer).issues as Json[])[0]?.path, 'value')
})

test('settings are applied one by one, and answered as they are then', async () => {
  const wanted = {
    admin_only_message: true,
    admin_only_settings: true,
    admin_only_add_member: true,
    require_admin_approval: true,
    ephemeral_seconds: 604_800,
  }
  assert.deepEqual(await ground.must('groups.updateSettings', { group_id: ours.chat, ...wanted }), wanted)
  for (const name of ['group_change_announce', 'group_change_restrict']) await ground.heard(ours.chat, name)
  const off = { admin_only_message: false, ephemeral_seconds: 0 }
  assert.deepEqual(await ground.must('groups.updateSettings', { group_id: ours.chat, ...off }), { ...wanted, ...off })
  const rest = { admin_only_settings: false, admin_only_add_member: false, require_admin_approval: false }
  assert.deepEqual(await ground.must('groups.updateSettings', { group_id: ours.chat, ...rest }), { ...off, ...rest })
})

test('settings that were applied before one that failed stay, and are named', async () => {
  await ground.refuses('member_add_mode', 500)
  const answer = await ground.ask('groups.updateSettings', {
    group_id: ours.chat,
    require_admin_approval: true,
    admin_only_add_member: true,
    admin_only_message: true,
  })
  assert.equal(answer.status, 502)
  assert.deepEqual(detailsOf(answer), { network_code: 500, applied: ['admin_only_message'] })
  const { admin_only_message, require_admin_approval } = await ground.must('groups.lightMetadata', { group_id: ours.chat })
  assert.deepEqual([admin_only_message, require_admin_approval], [true, false])
  assert.equal(await ground.refused('groups.updateSettings', { group_id: ours.chat }), 'invalid_request')
})

test('who leaves is gone for the others, and the group for them', async () => {
  assert.deepEqual(await ground.must('groups.leave', { group_id: theirs.chat }), { value: true })
  assert.deepEqual(parameters(await ground.heard(theirs.chat, 'group_participant_leave')), [ME])
  assert.equal(await ground.refused('groups.leave', { group_id: theirs.chat }), 'group_not_found')
})

const WRITES: [string, Json][] = [
  ['groups.updateName', { value: 'Mine' }],
  ['groups.updateDescription', { value: 'Mine' }],
  ['groups.updateSettings', { admin_only_message: true }],
]
const READS: [string, Json][] = [
  ['groups.metadata', {}],
  ['groups.lightMetadata', {}],
]

for (const [operation, input] of WRITES)
  test(`${operation} is for administrators of a group that only they may change`, async () => {
    await ground.change(theirs.id, { restrict: true })
    assert.equal(await ground.refused(operation, { group_id: theirs.chat, ...input }), 'not_allowed')
  })

for (const [operation, input] of [...WRITES, ...READS])
  test(`${operation} of a group that the network suspended is group_suspended`, async () => {
    await ground.change(ours.id, { by: ME, suspended: true })
    assert.equal(await ground.refused(operation, { group_id: ours.chat, ...input }), 'group_suspended')
  })
