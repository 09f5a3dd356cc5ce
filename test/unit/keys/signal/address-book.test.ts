import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { LIDMapping } from '@whiskeysockets/baileys'
import { createSignalDevice } from '../../../../packages/sandbox/src/testing.ts'
import { GATEWAY, openDisk, openGateway, said, session, text } from './gateway.ts'

const disk = await openDisk()
after(() => disk.close())

const PN = '4915700000003@s.whatsapp.net'
const LID = '99900000003@lid'
let count = 0
const gateway = (options = {}) => openGateway({ store: disk.store, instanceId: `a${++count}`, ...options })

test('phone number and LID of one person are one session, as soon as the mapping is known', async () => {
  const { repository, keys } = await gateway()
  const device = createSignalDevice()
  await repository.lidMapping.storeLIDPNMappings([{ pn: PN, lid: LID }])
  await repository.injectE2ESession({ jid: PN, session: session(device) })
  assert.ok(await keys.get('session', '99900000003_1.0'))
  assert.equal(await keys.get('session', '4915700000003.0'), undefined)
  const byNumber = await repository.encryptMessage({ jid: PN, data: said('a') })
  const byLid = await repository.encryptMessage({ jid: LID, data: said('b') })
  assert.equal(text(await device.decrypt(GATEWAY, byNumber.type, byNumber.ciphertext)), 'a')
  assert.equal(text(await device.decrypt(GATEWAY, byLid.type, byLid.ciphertext)), 'b')
  assert.equal(repository.jidToSignalProtocolAddress(PN), '99900000003_1.0')
})

test('looking for an address never asks the network', async () => {
  const asked: string[][] = []
  const pnToLid = async (jids: string[]): Promise<LIDMapping[]> => {
    asked.push(jids)
    return []
  }
  const { repository } = await gateway({ pnToLid })
  await repository.validateSession(PN)
  await repository.getSessionInfo(PN)
  await repository.injectE2ESession({ jid: PN, session: session(createSignalDevice()) })
  await repository.encryptMessage({ jid: PN, data: said('x') })
  assert.deepEqual(asked, [])
})

test('sessions and identities of all devices move to the LID', async () => {
  const { repository, keys } = await gateway()
  const phone = createSignalDevice()
  const tablet = createSignalDevice()
  const tabletJid = '4915700000003:5@s.whatsapp.net'
  await repository.injectE2ESession({ jid: PN, session: session(phone) })
  await repository.injectE2ESession({ jid: tabletJid, session: session(tablet) })
  await keys.commit([['device-list', '4915700000003', Buffer.from('["0","5","9"]')]])
  await repository.lidMapping.storeLIDPNMappings([{ pn: PN, lid: LID }])
  assert.deepEqual(await repository.migrateSession(PN, LID), { migrated: 2, skipped: 0, total: 2 })
  assert.deepEqual(await repository.migrateSession(PN, LID), { migrated: 0, skipped: 0, total: 0 })
  assert.equal(await keys.get('session', '4915700000003.5'), undefined)
  assert.ok(await keys.get('identity-key', '99900000003_1.5'))
  const out = await repository.encryptMessage({ jid: tabletJid, data: said('moved') })
  assert.equal(text(await tablet.decrypt(GATEWAY, out.type, out.ciphertext)), 'moved')
})

test('the session of a phone moves to the LID if no devices of the person are known, as after an import', async () => {
  const { repository, keys } = await gateway()
  const phone = createSignalDevice()
  await repository.injectE2ESession({ jid: PN, session: session(phone) })
  await repository.lidMapping.storeLIDPNMappings([{ pn: PN, lid: LID }])
  assert.deepEqual(await repository.migrateSession(PN, LID), { migrated: 1, skipped: 0, total: 1 })
  assert.equal(await keys.get('session', '4915700000003.0'), undefined)
  const out = await repository.encryptMessage({ jid: PN, data: said('moved') })
  assert.equal(text(await phone.decrypt(GATEWAY, out.type, out.ciphertext)), 'moved')
})

test('when both addresses have a session, what is under way in either is still read', async () => {
  const { repository, keys, bundle } = await gateway()
  const device = createSignalDevice()
  await device.openSession(GATEWAY, bundle(1))
  await repository.decryptMessage({ jid: PN, ...(await device.encrypt(GATEWAY, said('1'))) })
  const underWay = await device.encrypt(GATEWAY, said('in the old session'))
  device.dropSession(GATEWAY)
  await device.openSession(GATEWAY, bundle(2))
  await repository.decryptMessage({ jid: LID, ...(await device.encrypt(GATEWAY, said('2'))) })

  await keys.commit([['device-list', '4915700000003', Buffer.from('["0"]')]])
  await repository.lidMapping.storeLIDPNMappings([{ pn: PN, lid: LID }])
  assert.deepEqual(await repository.migrateSession(PN, LID), { migrated: 1, skipped: 0, total: 1 })
  assert.equal(text(await repository.decryptMessage({ jid: LID, ...(await device.encrypt(GATEWAY, said('3'))) })), '3')
  assert.equal(text(await repository.decryptMessage({ jid: PN, ...underWay })), 'in the old session')
})

test('what waits in line while its session moves follows it', async () => {
  const { repository, keys, locks } = await gateway()
  const device = createSignalDevice()
  await repository.injectE2ESession({ jid: PN, session: session(device) })
  await keys.commit([['device-list', '4915700000003', Buffer.from('["0"]')]])
  let leave = () => {}
  const held = locks.run('4915700000003.0', () => new Promise<void>((resolve) => (leave = resolve)))
  const moving = repository.migrateSession(PN, LID)
  const sending = repository.encryptMessage({ jid: PN, data: said('x') })
  await repository.lidMapping.storeLIDPNMappings([{ pn: PN, lid: LID }])
  leave()
  await held
  assert.equal((await moving).migrated, 1)
  const { type, ciphertext } = await sending
  assert.equal(text(await device.decrypt(GATEWAY, type, ciphertext)), 'x')
  assert.equal(await keys.get('session', '4915700000003.0'), undefined)
})

test('addresses that cannot exist are refused as the library does', async () => {
  const { repository } = await gateway()
  assert.throws(() => repository.jidToSignalProtocolAddress('@s.whatsapp.net'), /user is empty/)
  assert.throws(() => repository.jidToSignalProtocolAddress('1:99@s.whatsapp.net'), /device 99/)
  assert.equal(repository.jidToSignalProtocolAddress('1:99@hosted.lid'), '1_129.99')
})
