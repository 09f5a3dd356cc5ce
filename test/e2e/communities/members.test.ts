import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { codeOf, detailsOf } from '../../harness/operations.ts'
import { chatOf } from '../../harness/places.ts'
import type { Json } from '../../harness/stage.ts'
import { ANA, BEN, EVA, ME, NOBODY, parameters, startGround } from '../groups/ground.ts'

/** Phone number of a person whose privacy settings let nobody add her to groups. */
const CAROL = '5511988880003'

const ground = await startGround()
await ground.me.world.sandbox.createContact(CAROL, { name: 'Carol', group_add: 'none' })
after(() => ground.stop())

interface Shown {
  id: string
  invite: string
  participants: { phone: string; role: string }[]
}
async function onNetwork(chat: string): Promise<Shown> {
  const { groups } = await ground.me.world.sandbox.get<{ groups: Shown[] }>('/state')
  const found = groups.find(({ id }) => chatOf(id) === chat)
  assert.ok(found, `${chat} is not on the network`)
  return found
}
const rolesIn = async (chat: string) =>
  Object.fromEntries((await onNetwork(chat)).participants.map(({ phone, role }) => [phone, role]))
const membersOf = async (chat: string) => Object.keys(await rolesIn(chat))
const parentOf = async (chat: string) => (await ground.must('groups.lightMetadata', { group_id: chat })).community_id

const person = (phone: string, code = 200, invited = false) => ({ phone, success: code === 200, code, invited })
const group = (phone: string, code = 200) => ({ phone, success: code === 200, code })

test('groups are put into a community, each with a result, and taken out again', async () => {
  const { chat } = await ground.community()
  const mine = await ground.group({ participants: [ME, BEN], subject: 'Mine' })
  const theirs = await ground.group({ owner: ANA, subject: 'Theirs' })
  const elsewhere = await ground.community()
  const groups = [mine.chat, theirs.chat, elsewhere.general, '120363000000000000-group']
  const link = await ground.must('communities.linkGroups', { community_id: chat, groups })
  assert.deepEqual(link, {
    value: false,
    groups: [group(mine.chat), group(theirs.chat, 403), group(elsewhere.general, 409), group('120363000000000000-group', 404)],
  })
  assert.equal(await parentOf(mine.chat), chat)
  assert.equal(await parentOf(theirs.chat), null)
  assert.ok((await membersOf(chat)).includes(BEN), 'who is in the group is in the community')
  const { sub_groups } = await ground.must('communities.metadata', { community_id: chat })
  assert.ok((sub_groups as Json[]).some(({ phone }) => phone === mine.chat))
  const listed = async () =>
    ((await ground.must('groups.list', {})) as { data: Json[] }).data.find(({ phone }) => phone === mine.chat)
  assert.equal((await listed())?.community_id, chat)

  const unlink = await ground.must('communities.unlinkGroups', { community_id: chat, groups: [mine.chat, theirs.chat] })
  assert.deepEqual(unlink, { value: false, groups: [group(mine.chat), group(theirs.chat, 404)] })
  assert.equal(await parentOf(mine.chat), null)
  assert.equal((await listed())?.community_id, null)
  assert.ok((await membersOf(chat)).includes(BEN), 'nobody leaves with a group unless that is wanted')
})

test('with a group those go who are in no other of the community, where that is wanted', async () => {
  const { chat, announcement } = await ground.community()
  const mine = await ground.group({ participants: [ME, EVA, BEN], subject: 'Mine' })
  await ground.must('communities.linkGroups', { community_id: chat, groups: [mine.id] })
  assert.ok((await membersOf(announcement)).includes(BEN))
  const input = { community_id: chat, groups: [mine.id], remove_orphaned_members: true }
  assert.deepEqual(await ground.must('communities.unlinkGroups', input), { value: true, groups: [group(mine.chat)] })
  for (const each of [chat, announcement]) {
    const members = await membersOf(each)
    assert.deepEqual([members.includes(BEN), members.includes(EVA)], [false, true])
  }
})

test('a refusal that stands inside of the answered group is one, too', async () => {
  const { chat } = await ground.community()
  const { chat: mine, id } = await ground.group()
  const { sandbox } = ground.me.world
  const answered = [['links', {}, [['link', { link_type: 'sub_group' }, [['group', { jid: id }, [['error', { code: '419' }]]]]]]]]
  await sandbox.post('/answers', { match: { account: ME, tag: 'iq', child: 'links' }, do: { result: answered }, times: 1 })
  const answer = await ground.must('communities.linkGroups', { community_id: chat, groups: [mine] })
  assert.deepEqual(answer, { value: false, groups: [group(mine, 419)] })
})

test('people come in by the announcement group, and who does not allow it is invited', async () => {
  const { chat, announcement } = await ground.community(ME, [ME, EVA])
  const phones = [BEN, CAROL, NOBODY, EVA]
  const answer = await ground.must('communities.addParticipants', { community_id: chat, phones })
  assert.deepEqual(answer, {
    value: false,
    participants: [person(BEN), person(CAROL, 403, true), person(NOBODY, 404), person(EVA, 409)],
  })
  assert.deepEqual(parameters(await ground.heard(announcement, 'group_participant_add')), [BEN])
  assert.ok((await membersOf(chat)).includes(BEN))
  const delivery = (await ground.me.world.receiver.waitFor(
    'the invitation',
    ({ type, operation }) => type === 'delivery' && operation === 'communities.addParticipants',
  )) as Json
  assert.deepEqual([delivery.status, delivery.phone], ['sent', CAROL])
  const { kind, proto } = await ground.me.next(CAROL)
  const { groupJid } = proto.groupInviteMessage as Json
  assert.deepEqual([kind, chatOf(String(groupJid))], ['group_invite', announcement])
})

test('people become administrators of the community, are none again, and leave it with all its groups', async () => {
  const { chat, announcement, general } = await ground.community()
  const change = (verb: string, phones: string[]) =>
    ground.must(`communities.${verb}Participants`, { community_id: chat, phones })
  assert.deepEqual(await change('promote', [ANA, BEN]), { value: false, participants: [person(ANA), person(BEN, 404)] })
  assert.deepEqual([(await rolesIn(chat))[ANA], (await rolesIn(announcement))[ANA]], ['admin', 'admin'])
  assert.deepEqual(await change('demote', [ANA]), { value: true, participants: [person(ANA)] })
  assert.deepEqual([(await rolesIn(chat))[ANA], (await rolesIn(announcement))[ANA]], ['member', 'member'])
  assert.deepEqual(await change('remove', [ANA, NOBODY]), { value: false, participants: [person(ANA), person(NOBODY, 404)] })
  for (const each of [chat, announcement, general]) assert.ok(!(await membersOf(each)).includes(ANA), each)
  assert.deepEqual(parameters(await ground.heard(general, 'group_participant_remove')), [ANA])
})

test('where the network knows no administrators of communities, those of the announcement group are meant', async () => {
  const { chat, announcement } = await ground.community()
  await ground.refuses('admin', 400)
  const answer = await ground.must('communities.promoteParticipants', { community_id: chat, phones: [ANA] })
  assert.deepEqual(answer, { value: true, participants: [person(ANA)] })
  assert.equal((await rolesIn(announcement))[ANA], 'admin')
})

test('the link of a community is read and reset; where it has none, it is that of the announcement group', async () => {
  const { chat, announcement } = await ground.community()
  const linkOf = async (of: string) => `https://chat.whatsapp.com/${(await onNetwork(of)).invite}`
  const before = await ground.must('communities.invitationLink', { community_id: chat })
  assert.deepEqual(before, { phone: chat, invitation_link: await linkOf(chat) })
  const renewed = await ground.must('communities.resetInvitationLink', { community_id: chat })
  assert.notEqual(renewed.invitation_link, before.invitation_link)
  assert.equal(renewed.invitation_link, await linkOf(chat))
  for (const code of [400, 404, 405]) {
    await ground.refuses('invite', code)
    const answer = await ground.must('communities.invitationLink', { community_id: chat })
    assert.deepEqual(answer, { phone: chat, invitation_link: await linkOf(announcement) }, String(code))
  }
  await ground.refuses('invite', 400)
  const reset = await ground.must('communities.resetInvitationLink', { community_id: chat })
  assert.equal(reset.invitation_link, await linkOf(announcement))
})

for (const [operation, child, code, told, input] of [
  ['communities.linkGroups', 'links', 419, 'not_allowed', { groups: ['120363000000000001-group'] }],
  ['communities.unlinkGroups', 'unlink', 401, 'not_allowed', { groups: ['120363000000000001-group'] }],
  ['communities.removeParticipants', 'remove', 403, 'not_allowed', { phones: [ANA] }],
  ['communities.promoteParticipants', 'admin', 403, 'not_allowed', { phones: [ANA] }],
  ['communities.demoteParticipants', 'admin', 403, 'not_allowed', { phones: [ANA] }],
  ['communities.addParticipants', 'add', 404, 'group_not_found', { phones: [BEN] }],
  ['communities.deactivate', 'delete_parent', 401, 'not_allowed', {}],
  ['communities.invitationLink', 'invite', 403, 'not_allowed', {}],
  ['communities.resetInvitationLink', 'invite', 423, 'group_suspended', {}],
] as const)
  test(`${operation}: what the network refuses as a whole`, async () => {
    const { chat } = await ground.community()
    await ground.refuses(child, code)
    const answer = await ground.ask(operation, { community_id: chat, ...input })
    assert.deepEqual([codeOf(answer), detailsOf(answer).network_code], [told, code])
  })
