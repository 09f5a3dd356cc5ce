import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { column, columns } from '../../harness/columns.ts'
import { startStage } from '../../harness/stage.ts'

const ME = '5511999990160'
const ANA = '5511988880161'
const BEN = '5511988880162'

const stage = await startStage(ME)
await stage.world.sandbox.createContact(ANA, { name: 'Ana', receipts: 'read' })
await stage.world.sandbox.createContact(BEN, { name: 'Ben', receipts: 'none' })
after(() => stage.world.stop())

interface Status {
  status: string
  participant_phone: string | null
  ids: string[]
  momment: number
}

async function statusesOf(id: string, last: string): Promise<Status[]> {
  const { receiver } = stage.world
  const isOf = (event: unknown) => (event as Status).ids?.includes(id)
  await receiver.waitFor(`${last} of ${id}`, (event) => event.type === 'message_status' && isOf(event) && event.status === last)
  return receiver.events('message_status').filter(isOf) as unknown as Status[]
}

// An earlier bug: if receipts arrived before the second attempt was acknowledged, `sent` was missing, because it is
// never reported after `read`.
test('`sent` is told although the ack was lost and the contact was faster than the second try', async () => {
  await stage.world.sandbox.fault({ on: 'message', match: { phone: ME }, do: 'unanswered', times: 1 })
  const { message_id: id } = await stage.outcome('/send-text', { phone: ANA, message: 'lost ack' })
  const told = await statusesOf(String(id), 'read')
  assert.deepEqual(column(told, 'status'), ['sent', 'delivered', 'read'])
})

// The network sends times in seconds, and the service uses milliseconds. An earlier bug: receipts had earlier times
// than their message, so receivers that compare times dropped them.
test('momment rises from sent to read, and along the events of the chat', async () => {
  const ids: string[] = []
  for (const message of ['one', 'two', 'three'])
    ids.push(String((await stage.outcome('/send-text', { phone: ANA, message })).message_id))
  for (const id of ids) {
    const told = await statusesOf(id, 'read')
    assert.deepEqual(column(told, 'status'), ['sent', 'delivered', 'read'])
  }
  const ofChat = stage.world.receiver.events().filter(({ phone, type }) => phone === ANA && type !== 'instance_status')
  const times = ofChat.map(({ momment }) => Number(momment))
  assert.ok(times.length >= 12, String(times.length))
  assert.deepEqual(
    times,
    [...new Set(times)].toSorted((one, other) => one - other),
  )
})

// An earlier bug: only `read` was reported, so programs that waited for `delivered` waited forever.
test('a read that comes before its delivery reports both, the delivery first, in a chat and in a group', async () => {
  const { sandbox } = stage.world
  const { id: group } = await sandbox.createGroup({ subject: 'Team', owner: ME, participants: [BEN] })
  const chats = [
    [ME, BEN, null],
    [group, `${group.split('@')[0]}-group`, BEN],
  ] as const
  for (const [to, phone, participant] of chats) {
    const id = String((await stage.outcome('/send-text', { phone, message: 'read at once' })).message_id)
    for (const each of ['read', 'delivered', 'read'] as const) await sandbox.receipt(BEN, to, [id], each)
    await sandbox.receipt(BEN, to, [id], 'played')
    const told = await statusesOf(id, 'played')
    assert.deepEqual(columns(told, 'status', 'participant_phone'), [
      ['sent', null],
      ['delivered', participant],
      ['read', participant],
      ['played', participant],
    ])
    const times = told.map(({ momment }) => momment)
    assert.deepEqual(
      times,
      [...new Set(times)].toSorted((one, other) => one - other),
    )
  }
})
