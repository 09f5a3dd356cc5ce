/** Values of `message_status` as a receiver compares them: none is left out, none falls behind what was told before. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Stage, startStage } from '../../harness/stage.ts'

const ME = '5511999990160'
const ANA = '5511988880161'

let stage: Stage
before(async () => {
  stage = await startStage(ME)
  await stage.world.sandbox.createContact(ANA, { name: 'Ana', receipts: 'read' })
})
after(() => stage.world.stop())

interface Status {
  status: string
  ids: string[]
  momment: number
}

/** All values of a message, in the order in which they came, once the last of them is there. */
async function statusesOf(id: string, last: string): Promise<Status[]> {
  const { receiver } = stage.world
  const isOf = (event: unknown) => (event as Status).ids?.includes(id)
  await receiver.waitFor(`${last} of ${id}`, (event) => event.type === 'message_status' && isOf(event) && event.status === last)
  return receiver.events('message_status').filter(isOf) as unknown as Status[]
}

// The receipts were there before the second try, and `sent` is not told after `read`.
test('`sent` is told although the ack was lost and the contact was faster than the second try', async () => {
  await stage.world.sandbox.fault({ on: 'message', match: { phone: ME }, do: 'unanswered', times: 1 })
  const { message_id: id } = await stage.outcome('/send-text', { phone: ANA, message: 'lost ack' })
  const told = await statusesOf(String(id), 'read')
  assert.deepEqual(
    told.map(({ status }) => status),
    ['sent', 'delivered', 'read'],
  )
})

// The network counts in whole seconds and the service in milliseconds: receivers that compare dropped the receipts.
test('momment rises from sent to read, and along the events of the chat', async () => {
  const ids: string[] = []
  for (const message of ['one', 'two', 'three'])
    ids.push(String((await stage.outcome('/send-text', { phone: ANA, message })).message_id))
  for (const id of ids) {
    const told = await statusesOf(id, 'read')
    assert.deepEqual(
      told.map(({ status }) => status),
      ['sent', 'delivered', 'read'],
    )
  }
  const ofChat = stage.world.receiver.events().filter(({ phone, type }) => phone === ANA && type !== 'instance_status')
  const times = ofChat.map(({ momment }) => Number(momment))
  assert.ok(times.length >= 12, String(times.length))
  assert.deepEqual(
    times,
    [...new Set(times)].toSorted((one, other) => one - other),
  )
})
