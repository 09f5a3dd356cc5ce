import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addressesOf, chatOf } from '../../harness/places.ts'
import { startStage } from '../../harness/stage.ts'

const ME = '5511999990140'
const ANA = '5511988880141'
const BEN = '5511988880142'

const stage = await startStage(ME)
await stage.world.sandbox.createContact(ANA, { name: 'Ana' })
await stage.world.sandbox.createContact(BEN, { name: 'Ben' })
after(() => stage.world.stop())

/**
 * Sets the network's answer to the next query of devices. Devices other than 0 get a key index, without which the
 * library ignores them.
 */
async function listed(devices: Record<string, readonly number[]>) {
  const users = Object.entries(devices).map(([jid, ids]) => {
    const list = ids.map((id) => ['device', id === 0 ? { id } : { id, 'key-index': id }])
    return ['user', { jid }, [['devices', {}, [['device-list', {}, list]]]]]
  })
  const usync = ['usync', { sid: '1', index: '0', last: 'true', mode: 'query', context: 'message' }]
  await stage.world.sandbox.post('/answers', {
    match: { xmlns: 'usync', child: 'usync/query/devices' },
    do: { result: [[...usync, [['result'], ['list', {}, users]]]] },
    times: 1,
  })
}

test('a device that Signal cannot address is skipped, and the message reaches the others', async () => {
  const addresses = await addressesOf(stage.world.sandbox)
  await listed({ [addresses[ME]!.lid]: [0], [addresses[ANA]!.lid]: [0, 99, 100, 127, 300] })
  const { text } = await stage.shown('/send-text', { phone: ANA, message: 'whatever you have' })
  assert.equal(text, 'whatever you have')
})

test('in a group it is skipped too, also where it is the only one that has not got the key yet', async () => {
  const { sandbox } = stage.world
  const { id } = await sandbox.createGroup({ subject: 'Team', owner: BEN, participants: [BEN, ME], addressing: 'lid' })
  const phone = chatOf(id)
  const addresses = await addressesOf(sandbox)
  await listed({ [addresses[ME]!.lid]: [0], [addresses[BEN]!.lid]: [0, 99, 200] })
  assert.equal((await stage.outcome('/send-text', { phone, message: 'to all' })).status, 'sent')
  assert.equal((await stage.next(BEN)).text, 'to all')
  // The new member has only an invalid device, so no device is left that can receive the sender key.
  await sandbox.createContact('5511988880143', { name: 'Odd', sink: true })
  await sandbox.post(`/groups/${id}/participants`, { by: BEN, action: 'add', phones: ['5511988880143'] })
  await listed({ [(await addressesOf(sandbox))['5511988880143']!.lid]: [101] })
  assert.equal((await stage.outcome('/send-text', { phone, message: 'and on' })).status, 'sent')
  assert.equal((await stage.next(BEN)).text, 'and on')
})
