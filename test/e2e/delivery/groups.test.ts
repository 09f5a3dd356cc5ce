import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addressesOf, chatOf } from '../../harness/places.ts'
import { startStage } from '../../harness/stage.ts'

const ME = '5511999990150'
const BEN = '5511988880151'
const CARL = '5511988880152'

const stage = await startStage(ME)
await stage.world.sandbox.settings({ receipts: 'none' })
await stage.world.sandbox.createContact(BEN, { name: 'Ben' })
await stage.world.sandbox.createContact(CARL, { name: 'Carl' })
after(() => stage.world.stop())

async function createGroup(participants: readonly string[]): Promise<{ id: string; phone: string }> {
  const { id } = await stage.world.sandbox.createGroup({ subject: 'Team', owner: BEN, participants, addressing: 'lid' })
  return { id, phone: chatOf(id) }
}
/** Resolves when the service has handled the removal of the account, and no longer has stored data about the group. */
async function removed(id: string): Promise<void> {
  await stage.world.sandbox.post(`/groups/${id}/participants`, { by: BEN, action: 'remove', phones: [ME] })
  await stage.world.receiver.waitFor(
    'the removal',
    (event) => event.notification === 'group_participant_remove' && event.phone === chatOf(id),
  )
}
const text = (phone: string) => stage.outcome('/send-text', { phone, message: 'are you there?' })

test('a group the account was removed from is not found, and one it never was in neither', async () => {
  const { id, phone } = await createGroup([BEN, ME])
  assert.equal((await text(phone)).status, 'sent')
  await removed(id)
  assert.equal((await text(phone)).error_code, 'group_not_found')
  assert.equal((await text((await createGroup([BEN, CARL])).phone)).error_code, 'group_not_found')
})

test('a removal that was not told is found out by the refusal of the message', async () => {
  const { id, phone } = await createGroup([BEN, ME])
  await removed(id)
  const { [BEN]: ben } = await addressesOf(stage.world.sandbox)
  const members = [['participant', { jid: ben!.lid, phone_number: ben!.pn }]]
  const group = ['group', { id: id.split('@')[0], subject: 'Team', creation: 1, s_t: 1, addressing_mode: 'lid' }, members]
  // The first query is answered with an outdated list of members. After the network has refused the message, the
  // service queries again and gets the real list.
  await stage.world.sandbox.post('/answers', { match: { xmlns: 'w:g2', type: 'get' }, do: { result: [group] }, times: 1 })
  assert.equal((await text(phone)).error_code, 'group_not_found')
})

test('a refusal in a group the account is in says that it is not allowed', async () => {
  const { phone } = await createGroup([BEN, ME])
  // The members already have the sender key, because the refused message contained it.
  assert.equal((await text(phone)).status, 'sent')
  await stage.world.sandbox.fault({ on: 'message', match: { type: 'text' }, do: { ack_error: 403 }, times: 1 })
  assert.equal((await text(phone)).error_code, 'not_allowed')
  assert.equal((await text(phone)).status, 'sent')
})

test('a member who is known by number from the group alone is digits in receipts, also after a restart', async () => {
  const { phone, id } = await createGroup([BEN, CARL, ME])
  const { message_id: message } = await text(phone)
  const receiptOf = async (status: string, type: string) => {
    await stage.world.sandbox.receipt(CARL, id, [String(message)], type)
    return (await stage.world.receiver.waitFor(
      `${status} by Carl`,
      (event) => event.type === 'message_status' && event.status === status && (event.ids as string[]).includes(String(message)),
    )) as Record<string, unknown>
  }
  const { [CARL]: carl } = await addressesOf(stage.world.sandbox)
  const named = { participant_phone: CARL, participant_lid: carl!.lid }
  const { participant_phone, participant_lid } = await receiptOf('delivered', 'delivered')
  assert.deepEqual({ participant_phone, participant_lid }, named)
  await stage.world.restartService()
  await stage.world.gateway.waitForStatus(stage.instance, 'connected')
  const read = await receiptOf('read', 'read')
  assert.deepEqual({ participant_phone: read.participant_phone, participant_lid: read.participant_lid }, named)
})
