import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { columns } from '../../harness/columns.ts'
import type { Json } from '../../harness/stage.ts'
import { ANA, BEN, EVA, ME, NOBODY, parameters, startGround } from './ground.ts'

const ground = await startGround()
after(() => ground.stop())

const result = (phone: string, code = 200) => ({ phone, success: code === 200, code, invited: false })

test('people are made administrators, are none again, and are removed; the others hear of each', async () => {
  const { chat } = await ground.group()
  const admins = async () =>
    ((await ground.must('groups.lightMetadata', { group_id: chat })).participants as Json[])
      .filter(({ is_admin }) => is_admin)
      .map(({ phone }) => phone)
  const change = (verb: string, phones: string[]) => ground.must(`groups.${verb}Participants`, { group_id: chat, phones })
  assert.deepEqual(await change('promote', [ANA]), { value: true, participants: [result(ANA)] })
  assert.deepEqual(parameters(await ground.heard(chat, 'group_participant_promote')), [ANA])
  assert.deepEqual(await admins(), [ME, ANA])
  assert.deepEqual(await change('demote', [ANA]), { value: true, participants: [result(ANA)] })
  assert.deepEqual(parameters(await ground.heard(chat, 'group_participant_demote')), [ANA])
  assert.deepEqual(await admins(), [ME])
  const removed = await change('remove', [ANA, BEN, NOBODY])
  assert.deepEqual(removed, { value: false, participants: [result(ANA), result(BEN, 404), result(NOBODY, 404)] })
  assert.deepEqual(parameters(await ground.heard(chat, 'group_participant_remove')), [ANA])
})

test('who made the group cannot be removed from it', async () => {
  const { id, chat } = await ground.group({ owner: ANA })
  await ground.people(id, 'promote', [ME])
  const answer = await ground.must('groups.removeParticipants', { group_id: chat, phones: [ANA] })
  assert.deepEqual(answer, { value: false, participants: [result(ANA, 406)] })
})

test('requests are listed, accepted and refused, each once', async () => {
  const { id, chat } = await ground.group({ participants: [ME, EVA], settings: { join_approval: true } })
  await ground.people(id, 'request', [ANA], ANA)
  await ground.people(id, 'request', [BEN], BEN)
  const { data } = await ground.must('groups.participantRequests', { group_id: chat })
  assert.deepEqual(columns(data as Json[], 'phone', 'method'), [
    [ANA, 'invite_link'],
    [BEN, 'invite_link'],
  ])
  assert.ok((data as Json[]).every(({ requested_at }) => Math.abs(Date.parse(String(requested_at)) - Date.now()) < 60_000))
  const decide = (verb: string, phones: string[]) => ground.must(`groups.${verb}Participants`, { group_id: chat, phones })
  assert.deepEqual(await decide('approve', [ANA]), { value: true, participants: [result(ANA)] })
  assert.deepEqual(parameters(await ground.heard(chat, 'group_participant_add')), [ANA])
  assert.deepEqual(await decide('reject', [BEN, ANA]), { value: false, participants: [result(BEN), result(ANA, 404)] })
  assert.deepEqual((await ground.must('groups.participantRequests', { group_id: chat })).data, [])
})

for (const verb of ['remove', 'promote', 'demote', 'approve', 'reject'])
  test(`who may not ${verb}, or whose group is suspended, is told so`, async () => {
    const operation = `groups.${verb}Participants`
    const theirs = await ground.group({ owner: ANA })
    const suspended = await ground.group({ settings: { suspended: true } })
    const ask = (group_id: string) => ground.refused(operation, { group_id, phones: [EVA] })
    assert.equal(await ask(theirs.chat), 'not_allowed')
    assert.equal(await ask(suspended.chat), 'group_suspended')
  })

test('requests are for administrators of a group that is not suspended', async () => {
  const theirs = await ground.group({ owner: ANA })
  const suspended = await ground.group({ settings: { suspended: true } })
  const ask = (group_id: string) => ground.refused('groups.participantRequests', { group_id })
  assert.deepEqual([await ask(theirs.chat), await ask(suspended.chat)], ['not_allowed', 'group_suspended'])
})
