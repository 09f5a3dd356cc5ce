import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startStage } from '../harness/stage.ts'

const ME = '5511999990000'
const ANA = '5511988880001'

const stage = await startStage(ME)
await stage.world.sandbox.createContact(ANA, { name: 'Ana' })
after(() => stage.world.stop())

// An earlier bug: the library ignores that a group is suspended, so a send ended with the error code of the network's
// refusal.
test('a send to a suspended group ends in group_suspended until it is suspended no more', async () => {
  const { sandbox, gateway } = stage.world
  const { id } = await sandbox.createGroup({ subject: 'Trip', owner: ANA, participants: [ME] })
  const suspend = (suspended: boolean) => sandbox.put(`/groups/${id}`, { by: ANA, suspended })
  assert.equal((await stage.outcome('/send-text', { phone: id, message: 'before' })).status, 'sent')
  await stage.next(ANA)

  await suspend(true)
  for (const [path, input] of [
    ['/send-text', { message: 'during' }],
    ['/send-poll', { question: 'when?', options: ['now', 'later'] }],
    ['/send-reaction', { reaction: '👍', message_id: '3EB0000000000000000001', participant: ANA }],
  ] as const) {
    const { status, error_code } = await stage.outcome(path, { phone: id, ...input })
    assert.deepEqual([status, error_code], ['failed', 'group_suspended'], path)
  }
  // A typing indicator is not a message, so it succeeds although the group is suspended.
  assert.deepEqual(await gateway.must(stage.instance, 'POST', '/send-presence', { phone: id, presence: 'paused' }), {
    value: true,
  })

  await suspend(false)
  assert.equal((await stage.outcome('/send-text', { phone: id, message: 'after' })).status, 'sent')
  assert.equal((await stage.next(ANA)).text, 'after')
})
