import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Json } from '../../harness/stage.ts'
import { ANA, BEN, detailsOf, EVA, ME, NOBODY, parameters, startGround } from './ground.ts'

/** Phone number of a person whose privacy settings let nobody add her to groups. */
const CAROL = '5511988880003'
/** Phone number of a person whose privacy settings let only people whom he trusts add him to groups. */
const DAN = '5511988880004'

const ground = await startGround()
const { sandbox } = ground.me.world
await sandbox.createContact(CAROL, { name: 'Carol', group_add: 'none' })
await sandbox.createContact(DAN, { name: 'Dan', group_add: 'contacts' })
after(() => ground.stop())

const result = (phone: string, code = 200, invited = false) => ({ phone, success: code === 200, code, invited })

interface Shown {
  id: string
  invite: string
  participants: { phone: string; role: string }[]
}
async function onNetwork(chat: unknown): Promise<Shown> {
  const { groups } = await ground.me.world.sandbox.get<{ groups: Shown[] }>('/state')
  const found = groups.find(({ id }) => `${id.split('@')[0]}-group` === chat)
  assert.ok(found, `${chat} is not on the network`)
  return found
}
const membersOf = async (chat: unknown) => (await onNetwork(chat)).participants.map(({ phone }) => phone)

const deliveryTo = (operation: string, phone: string, after = 0) =>
  ground.me.world.receiver.waitFor(
    `${operation} to ${phone}`,
    (event) => event.type === 'delivery' && event.operation === operation && event.phone === phone && sentAfter(event, after),
  ) as Promise<Json>
const sentAfter = ({ queued_at }: Json, after: number) => Date.parse(String(queued_at)) >= after

test('a new group has those who can be added, hears of itself, and invites who does not allow it', async () => {
  const phones = [EVA, ANA, CAROL, NOBODY]
  const { phone, name, invitation_link, participants } = await ground.must('groups.create', { name: ' Launch team ', phones })
  assert.equal(name, 'Launch team')
  assert.deepEqual(participants, [result(EVA), result(ANA), result(CAROL, 403, true), result(NOBODY, 404)])
  const { id, invite } = await onNetwork(phone)
  assert.equal(invitation_link, `https://chat.whatsapp.com/${invite}`)
  assert.deepEqual(await membersOf(phone), [ME, EVA, ANA])
  assert.deepEqual(parameters(await ground.heard(String(phone), 'group_create')), ['Launch team'])

  const delivery = await deliveryTo('groups.create', CAROL)
  assert.equal(delivery.status, 'sent', JSON.stringify(delivery))
  const invitation = await ground.me.next(CAROL)
  assert.equal(invitation.kind, 'group_invite')
  assert.equal(invitation.id, delivery.message_id)
  const { groupJid, groupName, inviteCode, inviteExpiration } = invitation.proto.groupInviteMessage as Json
  assert.deepEqual([groupJid, groupName, inviteCode], [id, 'Launch team', invite])
  assert.ok(Number(inviteExpiration) * 1_000 > Date.now())
})

test('nobody is invited where that is not wanted, in a new group or an old one', async () => {
  const { phone, participants } = await ground.must('groups.create', { name: 'Quiet', phones: [EVA, CAROL], auto_invite: false })
  assert.deepEqual(participants, [result(EVA), result(CAROL, 403)])
  const added = await ground.must('groups.addParticipants', { group_id: phone, phones: [CAROL], auto_invite: false })
  assert.deepEqual(added, { value: false, participants: [result(CAROL, 403)] })
  const { total } = (await ground.me.world.gateway.must(ground.me.instance, 'GET', '/queue')) as unknown as { total: number }
  assert.equal(total, 0)
})

test('people are added; each is told of, the others hear of it, and who is in already, or full, is no error', async () => {
  const { id, chat } = await ground.group({ participants: [ME, EVA] })
  const before = Date.now()
  const phones = [ANA, EVA, CAROL, NOBODY]
  const answer = await ground.must('groups.addParticipants', { group_id: chat, phones })
  const results = [result(ANA), result(EVA, 409), result(CAROL, 403, true), result(NOBODY, 404)]
  assert.deepEqual(answer, { value: false, participants: results })
  assert.deepEqual(parameters(await ground.heard(chat, 'group_participant_add')), [ANA])
  assert.equal((await deliveryTo('groups.addParticipants', CAROL, before)).status, 'sent')
  const { kind, proto } = await ground.me.next(CAROL)
  assert.deepEqual([kind, (proto.groupInviteMessage as Json).groupJid], ['group_invite', id])
  await ground.change(id, { by: ME, capacity: 3 })
  const full = await ground.must('groups.addParticipants', { group_id: chat, phones: [BEN] })
  assert.deepEqual(full, { value: false, participants: [result(BEN, 419)] })
  assert.deepEqual(await membersOf(chat), [ME, EVA, ANA])
})

test('somebody who trusts the account shows so by a token, with which the account may add them', async () => {
  const { chat } = await ground.group({ participants: [ME, EVA] })
  const add = () => ground.must('groups.addParticipants', { group_id: chat, phones: [DAN], auto_invite: false })
  assert.deepEqual((await add()).participants, [result(DAN, 403)])
  await ground.me.shown('/send-text', { phone: DAN, message: 'It is me.' })
  // The trust token (which permits the addition) is sent after the message, and no event reports it. So the test
  // repeats the request for up to 10 s.
  const until = Date.now() + 10_000
  for (;;) {
    const { participants } = await add()
    if ((participants as Json[])[0]?.success === true) break
    assert.ok(Date.now() < until, JSON.stringify(participants))
  }
  assert.ok((await membersOf(chat)).includes(DAN))
})

test('a person by their LID is added like one by the number', async () => {
  const { chat } = await ground.group({ participants: [ME, EVA] })
  await ground.must('groups.addParticipants', { group_id: chat, phones: [BEN] })
  const { participants } = await ground.must('groups.lightMetadata', { group_id: chat })
  const lid = String((participants as Json[]).find(({ phone }) => phone === BEN)?.lid)
  await ground.must('groups.removeParticipants', { group_id: chat, phones: [lid] })
  const answer = await ground.must('groups.addParticipants', { group_id: chat, phones: [lid] })
  assert.deepEqual(answer, { value: true, participants: [result(lid)] })
  assert.ok((await membersOf(chat)).includes(BEN))
  // The service does not know the phone number that belongs to this LID.
  const unknown = await ground.must('groups.addParticipants', { group_id: chat, phones: ['1@lid'.padStart(14, '9')] })
  assert.equal(unknown.value, false)
})

test('where administrators decide, who is proposed waits', async () => {
  const { chat } = await ground.group({ owner: ANA, settings: { join_approval: true } })
  const answer = await ground.must('groups.addParticipants', { group_id: chat, phones: [BEN] })
  assert.deepEqual(answer, { value: false, participants: [result(BEN, 202)] })
})

test('more than twenty people are added in several steps, and each has a result', async () => {
  const { sandbox } = ground.me.world
  const { chat } = await ground.group({ participants: [ME, EVA] })
  const phones = Array.from({ length: 23 }, (_, at) => String(5_511_977_770_100 + at))
  for (const phone of phones) await sandbox.createContact(phone, {})
  const answer = await ground.must('groups.addParticipants', { group_id: chat, phones })
  assert.deepEqual(answer, { value: true, participants: phones.map((phone) => result(phone)) })
  assert.equal((await membersOf(chat)).length, 25)
})

test('a step that the network refuses tells so of its people; those of the first one are in', async () => {
  const { chat } = await ground.group({ participants: [ME, EVA] })
  const phones = Array.from({ length: 22 }, (_, at) => String(5_511_977_770_200 + at))
  for (const phone of phones) await ground.me.world.sandbox.createContact(phone, {})
  const match = { account: ME, tag: 'iq', xmlns: 'w:g2', child: 'add' }
  await ground.me.world.sandbox.post('/answers', { match, do: { error: [429, 'rate-overlimit'] }, times: 1, skip: 1 })
  const { value, participants } = await ground.must('groups.addParticipants', { group_id: chat, phones })
  assert.equal(value, false)
  assert.deepEqual(participants, [
    ...phones.slice(0, 20).map((phone) => result(phone)),
    ...phones.slice(20).map((phone) => result(phone, 429)),
  ])
})

test('a group whose answer was lost is made once, and its people are told of all the same', async () => {
  const match = { account: ME, tag: 'iq', xmlns: 'w:g2', child: 'create' }
  await ground.me.world.sandbox.post('/answers', { match, do: 'nothing', times: 1, apply: true })
  const before = Date.now()
  const { phone, participants } = await ground.must('groups.create', { name: 'Once', phones: [EVA, ANA, CAROL] })
  assert.deepEqual(participants, [result(EVA), result(ANA), result(CAROL, 403, true)])
  assert.deepEqual(await membersOf(phone), [ME, EVA, ANA])
  assert.equal((await deliveryTo('groups.create', CAROL, before)).status, 'sent')
  await ground.me.next(CAROL)
  const { groups } = await ground.me.world.sandbox.get<{ groups: { subject: string }[] }>('/state')
  assert.equal(groups.filter(({ subject }) => subject === 'Once').length, 1)
})

test('without anybody who has an account no group is made', async () => {
  const count = async () => (await ground.me.world.sandbox.get<{ groups: unknown[] }>('/state')).groups.length
  const before = await count()
  assert.equal(await ground.refused('groups.create', { name: 'Nobody', phones: [NOBODY] }), 'phone_not_on_whatsapp')
  assert.equal(await count(), before)
})

test('a new group needs a name and people, not the account itself, and a name that the network accepts', async () => {
  const refusal = async (input: Json) => {
    const answer = await ground.ask('groups.create', { name: 'Team', phones: [ANA], ...input })
    return [answer.status, ...((detailsOf(answer)?.issues as Json[]) ?? []).map(({ path }) => path)]
  }
  assert.deepEqual(await refusal({ name: ' ' }), [400, 'name'])
  assert.deepEqual(await refusal({ phones: [ANA, ME] }), [400, 'phones.1'])
  assert.equal(await ground.refused('groups.create', { name: 'Team', phones: ['120363000000000000-group'] }), 'invalid_phone')
  await ground.refuses('create', 406)
  assert.deepEqual(await refusal({}), [400, 'name'])
})

test('who may not add, or whose group is suspended, is told so', async () => {
  const theirs = await ground.group({ owner: ANA, settings: { member_add_mode: 'admin_add' } })
  const suspended = await ground.group({ settings: { suspended: true } })
  const ask = (group_id: string) => ground.refused('groups.addParticipants', { group_id, phones: [BEN] })
  assert.equal(await ask(theirs.chat), 'not_allowed')
  assert.equal(await ask(suspended.chat), 'group_suspended')
})
