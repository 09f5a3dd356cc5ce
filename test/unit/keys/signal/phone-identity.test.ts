/** Tests that only the phone that linked this device may use the address of the phone. Other addresses stay free. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createSignalDevice, type SignalDevice } from '../../../../packages/sandbox/src/testing.ts'
import { GATEWAY, openDisk, openGateway, said, session, text } from './gateway.ts'

const disk = await openDisk()
after(() => disk.close())

const NUMBER = '4915700000001'
const LID = '99900000001'
const PHONE = { number: `${NUMBER}@s.whatsapp.net`, LID: `${LID}@lid` }
const REFUSED = { name: 'SignalError', problem: 'not_the_phone' }
let count = 0

/** Opens an instance that `phone` has linked. Before `link` sets the account, every identity is accepted. */
async function linked(phone: SignalDevice) {
  const gateway = await openGateway({ store: disk.store, instanceId: `phone${++count}` })
  const link = () =>
    Object.assign(gateway.creds, {
      me: { id: `${NUMBER}:7@s.whatsapp.net`, lid: `${LID}:7@lid` },
      account: { accountSignatureKey: phone.identity },
    })
  return { ...gateway, link }
}

for (const [form, jid] of Object.entries(PHONE)) {
  test(`a message from the ${form} of the phone is opened only with the identity of the phone`, async () => {
    const phone = createSignalDevice()
    const { repository, bundle, keys, link } = await linked(phone)
    link()
    const other = createSignalDevice()
    await other.openSession(GATEWAY, bundle(1))
    const forged = await other.encrypt(GATEWAY, said('forged'))
    await assert.rejects(repository.decryptMessage({ jid, ...forged }), REFUSED)
    assert.deepEqual(await repository.validateSession(jid), { exists: false, reason: 'no session' })
    assert.ok(await keys.get('pre-key', '1'), 'a refused message must not use up a key')

    await phone.openSession(GATEWAY, bundle(1))
    assert.equal(text(await repository.decryptMessage({ jid, ...(await phone.encrypt(GATEWAY, said('own'))) })), 'own')
    await assert.rejects(repository.decryptMessage({ jid, ...forged }), REFUSED)
  })

  test(`nothing is encrypted for the ${form} of the phone with keys of another device`, async () => {
    const phone = createSignalDevice()
    const { repository, link } = await linked(phone)
    link()
    await assert.rejects(repository.injectE2ESession({ jid, session: session(createSignalDevice()) }), REFUSED)
    assert.equal(await repository.encryptAll([{ jid, data: said('secret') }]), null)
    await repository.injectE2ESession({ jid, session: session(phone) })
    const { type, ciphertext } = await repository.encryptMessage({ jid, data: said('copy') })
    assert.equal(text(await phone.decrypt(GATEWAY, type, ciphertext)), 'copy')
  })
}

test('a session that another device began before the identity was verified is not used any more', async () => {
  const phone = createSignalDevice()
  const { repository, bundle, link } = await linked(phone)
  const other = createSignalDevice()
  const jid = PHONE.LID
  await other.openSession(GATEWAY, bundle(1))
  await repository.decryptMessage({ jid, ...(await other.encrypt(GATEWAY, said('before'))) })
  const first = await repository.encryptMessage({ jid, data: said('answer') })
  await other.decrypt(GATEWAY, first.type, first.ciphertext)

  link()
  await assert.rejects(repository.encryptMessage({ jid, data: said('secret') }), { message: 'No sessions' })
  await assert.rejects(repository.decryptMessage({ jid, ...(await other.encrypt(GATEWAY, said('forged'))) }))
  await repository.injectE2ESession({ jid, session: session(phone) })
  const { type, ciphertext } = await repository.encryptMessage({ jid, data: said('copy') })
  assert.equal(text(await phone.decrypt(GATEWAY, type, ciphertext)), 'copy')
})

test('other devices of the account, and other people, keep identities of their own', async () => {
  const { repository, bundle, link } = await linked(createSignalDevice())
  link()
  for (const [index, jid] of [`${LID}:3@lid`, `${NUMBER}:3@s.whatsapp.net`, '4915700000002@s.whatsapp.net'].entries()) {
    const device = createSignalDevice()
    await device.openSession(GATEWAY, bundle(index + 1))
    assert.equal(text(await repository.decryptMessage({ jid, ...(await device.encrypt(GATEWAY, said('hello'))) })), 'hello')
  }
})
