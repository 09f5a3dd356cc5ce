import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createSignalDevice } from '../../../../packages/sandbox/src/testing.ts'
import { GATEWAY, openDisk, openGateway, said, session, text } from './gateway.ts'

const disk = await openDisk()
after(() => disk.close())

const JID = '4915700000001@s.whatsapp.net'
let count = 0
const gateway = (options = {}) => openGateway({ store: disk.store, instanceId: `i${++count}`, ...options })

test('a session we start is read by the JavaScript library, and its answer by us', async () => {
  const { repository } = await gateway()
  const device = createSignalDevice()
  await repository.injectE2ESession({ jid: JID, session: session(device) })
  const first = await repository.encryptMessage({ jid: JID, data: said('hello') })
  assert.equal(first.type, 'pkmsg')
  assert.equal(text(await device.decrypt(GATEWAY, 'pkmsg', first.ciphertext)), 'hello')
  const answer = await device.encrypt(GATEWAY, said('hi'))
  assert.equal(answer.type, 'msg')
  assert.equal(text(await repository.decryptMessage({ jid: JID, ...answer })), 'hi')
  assert.equal((await repository.encryptMessage({ jid: JID, data: said('on') })).type, 'msg')
})

test('a session somebody starts with us takes its one-time key, and the key is gone with the message', async () => {
  const { repository, bundle, keys } = await gateway()
  const device = createSignalDevice()
  await device.openSession(GATEWAY, bundle(7))
  const { type, ciphertext } = await device.encrypt(GATEWAY, said('first'))
  assert.equal(type, 'pkmsg')
  assert.equal(text(await repository.decryptMessage({ jid: JID, type, ciphertext })), 'first')
  assert.equal(await keys.get('pre-key', '7'), undefined)
  assert.ok(await keys.get('pre-key', '8'))
})

test('a hundred turns of the ratchet are read on both sides', async () => {
  const { repository } = await gateway()
  const device = createSignalDevice()
  await repository.injectE2ESession({ jid: JID, session: session(device) })
  for (let turn = 0; turn < 100; turn++) {
    const out = await repository.encryptMessage({ jid: JID, data: said(`out ${turn}`) })
    assert.equal(text(await device.decrypt(GATEWAY, out.type, out.ciphertext)), `out ${turn}`)
    const back = await device.encrypt(GATEWAY, said(`in ${turn}`))
    assert.equal(text(await repository.decryptMessage({ jid: JID, ...back })), `in ${turn}`)
  }
})

test('the same ciphertext twice has the text that makes the library answer 487', async () => {
  const { repository, bundle } = await gateway()
  const device = createSignalDevice()
  await device.openSession(GATEWAY, bundle(1))
  const message = await device.encrypt(GATEWAY, said('once'))
  await repository.decryptMessage({ jid: JID, ...message })
  await assert.rejects(repository.decryptMessage({ jid: JID, ...message }), {
    name: 'SignalError',
    message: 'Key used already or never filled',
    problem: 'duplicate',
  })
})

test('without a session both directions fail with the texts of the JavaScript library', async () => {
  const { repository } = await gateway()
  const other = await gateway()
  const device = createSignalDevice()
  await other.repository.injectE2ESession({ jid: JID, session: session(device) })
  const out = await other.repository.encryptMessage({ jid: JID, data: said('x') })
  await device.decrypt(GATEWAY, out.type, out.ciphertext)
  const answer = await device.encrypt(GATEWAY, said('y'))
  await assert.rejects(repository.decryptMessage({ jid: JID, ...answer }), { message: 'No session record' })
  await assert.rejects(repository.encryptMessage({ jid: JID, data: said('z') }), { message: 'No sessions' })
  await assert.rejects(repository.decryptMessage({ jid: JID, type: 'msg', ciphertext: Buffer.from('garbage') }), Error)
})

test('a peer that lost its session starts over and both go on', async () => {
  const { repository, bundle } = await gateway()
  const device = createSignalDevice()
  await repository.injectE2ESession({ jid: JID, session: session(device) })
  const first = await repository.encryptMessage({ jid: JID, data: said('a') })
  await device.decrypt(GATEWAY, first.type, first.ciphertext)
  device.dropSession(GATEWAY)
  await device.openSession(GATEWAY, bundle(3))
  const again = await device.encrypt(GATEWAY, said('b'))
  assert.equal(again.type, 'pkmsg')
  assert.equal(text(await repository.decryptMessage({ jid: JID, ...again })), 'b')
  const out = await repository.encryptMessage({ jid: JID, data: said('c') })
  assert.equal(text(await device.decrypt(GATEWAY, out.type, out.ciphertext)), 'c')
})

test('a session tells its base key and registration id, and ends when it is deleted', async () => {
  const { repository } = await gateway()
  const device = createSignalDevice()
  assert.equal(await repository.getSessionInfo(JID), null)
  assert.deepEqual(await repository.validateSession(JID), { exists: false, reason: 'no session' })
  await repository.injectE2ESession({ jid: JID, session: session(device) })
  const info = await repository.getSessionInfo(JID)
  assert.equal(info?.registrationId, device.registrationId)
  assert.equal(info?.baseKey.length, 33)
  assert.deepEqual(await repository.validateSession(JID), { exists: true })
  await repository.deleteSession([JID])
  assert.equal(await repository.getSessionInfo(JID), null)
})

test('a changed identity starts from nothing, and only when its message can be opened', async () => {
  const { repository, bundle, keys } = await gateway()
  const old = createSignalDevice()
  await old.openSession(GATEWAY, bundle(1))
  await repository.decryptMessage({ jid: JID, ...(await old.encrypt(GATEWAY, said('old'))) })
  const before = await keys.get('session', '4915700000001.0')

  const renewed = createSignalDevice()
  await renewed.openSession(GATEWAY, bundle(2))
  const message = await renewed.encrypt(GATEWAY, said('new'))
  const broken = Buffer.from(message.ciphertext)
  broken[broken.length - 1]! ^= 1
  await assert.rejects(repository.decryptMessage({ jid: JID, type: 'pkmsg', ciphertext: broken }))
  assert.deepEqual(await keys.get('session', '4915700000001.0'), before)
  assert.equal(text(await repository.decryptMessage({ jid: JID, ...(await old.encrypt(GATEWAY, said('still'))) })), 'still')

  assert.equal(text(await repository.decryptMessage({ jid: JID, ...message })), 'new')
  assert.deepEqual(Buffer.from((await keys.get('identity-key', '4915700000001.0'))!.subarray(1)), Buffer.from(renewed.identity))
  await assert.rejects(repository.decryptMessage({ jid: JID, ...(await old.encrypt(GATEWAY, said('late'))) }))
})

test('a bundle whose signed pre-key is not signed by its identity is refused', async () => {
  const { repository } = await gateway()
  const bundle = session(createSignalDevice())
  await assert.rejects(
    repository.injectE2ESession({ jid: JID, session: { ...bundle, identityKey: session(createSignalDevice()).identityKey } }),
    /signature/,
  )
  assert.deepEqual(await repository.validateSession(JID), { exists: false, reason: 'no session' })
})

test('a truncated session counts as none', async () => {
  const { repository, keys } = await gateway()
  const device = createSignalDevice()
  await repository.injectE2ESession({ jid: JID, session: session(device) })
  const record = (await keys.get('session', '4915700000001.0'))!
  await keys.commit([['session', '4915700000001.0', record.subarray(0, record.length - 20)]])
  assert.deepEqual(await repository.validateSession(JID), { exists: false, reason: 'no session' })
  assert.equal(await repository.getSessionInfo(JID), null)
  await assert.rejects(repository.encryptMessage({ jid: JID, data: said('x') }), { message: 'No sessions' })
  await repository.injectE2ESession({ jid: JID, session: session(device) })
  const out = await repository.encryptMessage({ jid: JID, data: said('x') })
  assert.equal(text(await device.decrypt(GATEWAY, out.type, out.ciphertext)), 'x')
})

test('after close nothing is encrypted or decrypted, and the next repository goes on', async () => {
  const { repository, openRepository, bundle } = await gateway()
  const device = createSignalDevice()
  await device.openSession(GATEWAY, bundle(1))
  const message = await device.encrypt(GATEWAY, said('late'))
  repository.close?.()
  await assert.rejects(repository.decryptMessage({ jid: JID, ...message }), { message: 'session closed' })
  await assert.rejects(repository.encryptMessage({ jid: JID, data: said('x') }), { message: 'session closed' })
  assert.equal(text(await openRepository().decryptMessage({ jid: JID, ...message })), 'late')
})
