import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { createSignalDevice } from '../../../../packages/sandbox/src/testing.ts'
import { GATEWAY, type GatewayOptions, openDisk, openGateway, padded, said, text } from './gateway.ts'

const disk = await openDisk()
after(() => disk.close())

const GROUP = '120363000000000001@g.us'
const AUTHOR = '4915700000002@s.whatsapp.net'
const ME = '4915700000009:3@s.whatsapp.net'
let count = 0
const gateway = (options: Partial<GatewayOptions> = {}) =>
  openGateway({ store: disk.store, instanceId: `g${++count}`, ...options })
const item = (distribution: Uint8Array) => ({ groupId: GROUP, axolotlSenderKeyDistributionMessage: distribution })

test('a group reads what we say, and we read the group', async () => {
  const { repository } = await gateway()
  const device = createSignalDevice()
  assert.equal(await repository.hasSenderKey({ group: GROUP, meId: ME }), false)
  const first = await repository.encryptGroupMessage({ group: GROUP, meId: ME, data: said('one') })
  await device.acceptSenderKey(GROUP, GATEWAY, first.senderKeyDistributionMessage)
  assert.equal(text(await device.decryptGroup(GROUP, GATEWAY, first.ciphertext)), 'one')
  assert.equal(await repository.hasSenderKey({ group: GROUP, meId: ME }), true)
  for (let n = 0; n < 30; n++) {
    const { ciphertext } = await repository.encryptGroupMessage({ group: GROUP, meId: ME, data: said(`more ${n}`) })
    assert.equal(text(await device.decryptGroup(GROUP, GATEWAY, ciphertext)), `more ${n}`)
  }

  await repository.processSenderKeyDistributionMessage({ authorJid: AUTHOR, item: item(await device.senderKey(GROUP)) })
  for (let n = 0; n < 30; n++) {
    const msg = await device.encryptGroup(GROUP, said(`theirs ${n}`))
    assert.equal(text(await repository.decryptGroupMessage({ group: GROUP, authorJid: AUTHOR, msg })), `theirs ${n}`)
  }
})

test('somebody who joins later reads from the distribution they were given on', async () => {
  const { repository } = await gateway()
  const early = await repository.encryptGroupMessage({ group: GROUP, meId: ME, data: said('before') })
  const late = createSignalDevice()
  await late.acceptSenderKey(GROUP, GATEWAY, await repository.getSenderKeyDistributionMessage({ group: GROUP, meId: ME }))
  const next = await repository.encryptGroupMessage({ group: GROUP, meId: ME, data: said('after') })
  assert.equal(text(await late.decryptGroup(GROUP, GATEWAY, next.ciphertext)), 'after')
  await assert.rejects(late.decryptGroup(GROUP, GATEWAY, early.ciphertext))
})

test('a group message without its key, and one that was read before, say so', async () => {
  const { repository } = await gateway()
  const device = createSignalDevice()
  const distribution = await device.senderKey(GROUP)
  const msg = await device.encryptGroup(GROUP, said('x'))
  const read = () => repository.decryptGroupMessage({ group: GROUP, authorJid: AUTHOR, msg })
  await assert.rejects(read(), { name: 'SignalError', problem: 'no_sender_key' })
  await repository.processSenderKeyDistributionMessage({ authorJid: AUTHOR, item: item(distribution) })
  assert.equal(text(await read()), 'x')
  await assert.rejects(read(), { message: 'Key used already or never filled' })
})

test('the same distribution again leaves the chain where it is', async () => {
  const { repository } = await gateway()
  const device = createSignalDevice()
  const distribution = await device.senderKey(GROUP)
  const process = () => repository.processSenderKeyDistributionMessage({ authorJid: AUTHOR, item: item(distribution) })
  await process()
  const first = await device.encryptGroup(GROUP, said('1'))
  await repository.decryptGroupMessage({ group: GROUP, authorJid: AUTHOR, msg: first })
  await process()
  await assert.rejects(repository.decryptGroupMessage({ group: GROUP, authorJid: AUTHOR, msg: first }), { problem: 'duplicate' })
  const second = await device.encryptGroup(GROUP, said('2'))
  assert.equal(text(await repository.decryptGroupMessage({ group: GROUP, authorJid: AUTHOR, msg: second })), '2')
})

test('a sender key is in the commit of the message that brought it', async () => {
  const commits: string[][] = []
  const { repository, bundle } = await gateway({
    keep(changes, keys) {
      commits.push(changes.map(([type]) => type))
      return keys.commit(changes)
    },
  })
  const device = createSignalDevice()
  await device.openSession(GATEWAY, bundle(1))
  const distribution = item(await device.senderKey(GROUP))
  const message = proto.Message.encode({ senderKeyDistributionMessage: distribution }).finish()
  await repository.decryptMessage({ jid: AUTHOR, ...(await device.encrypt(GATEWAY, padded(message))) })
  assert.deepEqual(commits[0]!.toSorted(), ['identity-key', 'pre-key', 'sender-key', 'session'])
  const msg = await device.encryptGroup(GROUP, said('no further word was needed'))
  assert.equal(text(await repository.decryptGroupMessage({ group: GROUP, authorJid: AUTHOR, msg })), 'no further word was needed')
})

test('a key that came under the phone number is found when the author turns out to have a LID', async () => {
  const { repository, keys } = await gateway()
  const device = createSignalDevice()
  await repository.processSenderKeyDistributionMessage({ authorJid: AUTHOR, item: item(await device.senderKey(GROUP)) })
  await repository.lidMapping.storeLIDPNMappings([{ pn: AUTHOR, lid: '99900000002@lid' }])
  const byNumber = await device.encryptGroup(GROUP, said('number'))
  assert.equal(text(await repository.decryptGroupMessage({ group: GROUP, authorJid: AUTHOR, msg: byNumber })), 'number')
  const byLid = await device.encryptGroup(GROUP, said('lid'))
  assert.equal(text(await repository.decryptGroupMessage({ group: GROUP, authorJid: '99900000002@lid', msg: byLid })), 'lid')
  assert.equal(await keys.get('sender-key', `${GROUP}::4915700000002::0`), undefined)
  assert.ok(await keys.get('sender-key', `${GROUP}::99900000002_1::0`))
})

test('a truncated sender key counts as none, and the next distribution replaces it', async () => {
  const { repository, keys } = await gateway()
  const device = createSignalDevice()
  const distribution = await device.senderKey(GROUP)
  const accept = () => repository.processSenderKeyDistributionMessage({ authorJid: AUTHOR, item: item(distribution) })
  await accept()
  const id = `${GROUP}::4915700000002::0`
  await keys.commit([['sender-key', id, (await keys.get('sender-key', id))!.subarray(0, 30)]])
  const msg = await device.encryptGroup(GROUP, said('x'))
  await assert.rejects(repository.decryptGroupMessage({ group: GROUP, authorJid: AUTHOR, msg }), { problem: 'no_sender_key' })
  await accept()
  assert.equal(text(await repository.decryptGroupMessage({ group: GROUP, authorJid: AUTHOR, msg })), 'x')
})
