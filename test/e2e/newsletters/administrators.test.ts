import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { detailsOf } from '../../harness/operations.ts'
import type { Json, Stage } from '../../harness/stage.ts'
import { ANA, BEN, EVA, ME, NOBODY, startGround } from './ground.ts'

const ground = await startGround()
after(() => ground.stop())
afterEach(() => ground.asUsual())

const DONE = { value: true }

const heard = (id: string, notification: string) =>
  ground.me.world.receiver.waitFor(
    `${notification} of ${id}`,
    (event) => event.instance_id === ground.eva.instance.id && event.phone === id && event.notification === notification,
  ) as Promise<Json>

async function invite(newsletter_id: string, phone: string, by: Pick<Stage, 'outcome'> = ground.eva) {
  const { status } = await by.outcome('/send-newsletter-admin-invite', { phone, newsletter_id, caption: 'Join us' })
  assert.equal(status, 'sent')
}

test('who accepts an invitation runs the channel, which the others hear of', async () => {
  const { id } = await ground.channel({ owner: EVA, subscribers: [ME] })
  await invite(id, ME)
  assert.deepEqual((await ground.inNetwork(id))?.invited, [ME])
  assert.deepEqual(await ground.must('newsletters.acceptAdminInvite', { newsletter_id: id }), DONE)
  assert.ok((await ground.noticesOf(ME)).includes('20610101'))
  assert.deepEqual((await heard(id, 'newsletter_admin_promote')).notification_parameters, [ME, 'admin'])
  const { role } = await ground.must('newsletters.metadata', { newsletter_id: id })
  assert.equal(role, 'admin')
  await ground.must('newsletters.updateName', { newsletter_id: id, value: 'By an administrator' })
  assert.equal(await ground.refused('newsletters.acceptAdminInvite', { newsletter_id: id }), 'newsletter_not_found', 'once only')
})

test('an invitation that was taken back cannot be accepted', async () => {
  const { id } = await ground.channel()
  await invite(id, EVA, ground.me)
  assert.deepEqual(await ground.must('newsletters.revokeAdminInvite', { newsletter_id: id, phone: EVA }), DONE)
  assert.deepEqual((await ground.inNetwork(id))?.invited, [])
  assert.equal(await ground.eva.refused('newsletters.acceptAdminInvite', { newsletter_id: id }), 'newsletter_not_found')
  assert.equal(
    await ground.refused('newsletters.revokeAdminInvite', { newsletter_id: id, phone: ANA }),
    'newsletter_not_found',
    'nobody invited her',
  )
})

test('who is removed as administrator follows like others, and hears of it', async () => {
  const { id } = await ground.channel({ admins: [EVA] })
  assert.deepEqual(await ground.must('newsletters.removeAdmin', { newsletter_id: id, phone: EVA }), DONE)
  assert.deepEqual((await heard(id, 'newsletter_admin_demote')).notification_parameters, [EVA, 'subscriber'])
  assert.equal((await ground.eva.must('newsletters.metadata', { newsletter_id: id })).role, 'subscriber')
  assert.equal(await ground.eva.refused('newsletters.updateName', { newsletter_id: id, value: 'No' }), 'not_allowed')
})

test('a channel that is handed over has another owner; who hands it over stays an administrator, or does not', async () => {
  const kept = await ground.channel({ admins: [EVA] })
  assert.deepEqual(await ground.must('newsletters.transferOwnership', { newsletter_id: kept.id, phone: EVA }), DONE)
  assert.equal((await ground.eva.must('newsletters.metadata', { newsletter_id: kept.id })).role, 'owner')
  assert.equal((await ground.must('newsletters.metadata', { newsletter_id: kept.id })).role, 'admin')
  const left = await ground.channel({ admins: [EVA] })
  const input = { newsletter_id: left.id, phone: EVA, quit_admin: true }
  assert.deepEqual(await ground.must('newsletters.transferOwnership', input), DONE)
  assert.deepEqual((await ground.inNetwork(left.id))?.subscribers, { [ME]: 'SUBSCRIBER', [EVA]: 'OWNER' })
})

test('when only giving up the own role fails, it is told that the channel has another owner already', async () => {
  const { id } = await ground.channel({ admins: [EVA] })
  await ground.refuses('DemoteNewsletterAdmin', 500)
  const answer = await ground.ask('newsletters.transferOwnership', { newsletter_id: id, phone: EVA, quit_admin: true })
  assert.deepEqual([answer.status, detailsOf(answer)], [502, { network_code: 500, ownership_transferred: true }])
  assert.deepEqual((await ground.inNetwork(id))?.subscribers, { [ME]: 'ADMIN', [EVA]: 'OWNER' })
})

test('a person is named by number in any form, or by LID', async () => {
  const { id } = await ground.channel({ admins: [ANA, BEN] })
  const { contacts } = await ground.me.world.sandbox.get<{ contacts: { phone: string; lid: string }[] }>('/state')
  const { lid } = contacts.find(({ phone }) => phone === ANA)!
  await ground.must('newsletters.removeAdmin', { newsletter_id: id, phone: `${lid}@lid` })
  await ground.must('newsletters.removeAdmin', { newsletter_id: id, phone: BEN.replace('55119', '5511') })
  const { subscribers } = (await ground.inNetwork(id))!
  assert.deepEqual([subscribers[ANA], subscribers[BEN]], ['SUBSCRIBER', 'SUBSCRIBER'])
})

const WRITES = [
  ['newsletters.revokeAdminInvite', 'RevokeNewsletterAdminInvite'],
  ['newsletters.removeAdmin', 'DemoteNewsletterAdmin'],
  ['newsletters.transferOwnership', 'ChangeNewsletterOwner'],
] as const
for (const [operation, name] of WRITES)
  test(`${operation} is for those who run the channel, and about people with an account`, async () => {
    const theirs = await ground.channel({ owner: ANA, subscribers: [ME], admins: [EVA] })
    const ours = await ground.channel({ admins: [EVA] })
    const ask = (newsletter_id: string, phone: unknown = EVA) => ground.refused(operation, { newsletter_id, phone })
    assert.equal(await ask(theirs.id), 'not_allowed')
    const nobody = await ground.ask(operation, { newsletter_id: ours.id, phone: NOBODY })
    assert.equal((nobody.body.error as Json).code, 'invalid_phone')
    assert.deepEqual(detailsOf(nobody).issues, [{ path: 'phone', message: 'has no WhatsApp account' }])
    assert.equal(await ask(ours.id, `${ANA}-group`), 'invalid_phone')
    await ground.refuses(name, 403)
    assert.equal(await ask(ours.id), 'not_allowed')
    assert.deepEqual((await ground.inNetwork(ours.id))?.subscribers, { [ME]: 'OWNER', [EVA]: 'ADMIN' })
  })

test('without an invitation nobody becomes an administrator', async () => {
  const { id } = await ground.channel({ owner: ANA, subscribers: [ME] })
  assert.equal(await ground.refused('newsletters.acceptAdminInvite', { newsletter_id: id }), 'newsletter_not_found')
  await ground.refuses('AcceptNewsletterAdminInvite', 403)
  assert.equal(await ground.refused('newsletters.acceptAdminInvite', { newsletter_id: id }), 'not_allowed')
})
