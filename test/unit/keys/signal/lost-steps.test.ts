/**
 * Tests that the gateway's Signal code loses no ratchet step while both sides write and the store takes 0 to 6 ms. The
 * library's own code loses most of them, so the gateway does not use it.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createSignalDevice } from '../../../../packages/sandbox/src/testing.ts'
import { GATEWAY, openDisk, openGateway, said, session, slowly, text } from './gateway.ts'

const disk = await openDisk()
after(() => disk.close())

const PN = '4915700000004@s.whatsapp.net'
const LID = '99900000004@lid'
const MESSAGES = 80

for (const maxEntries of [1_000, 1]) {
  test(`80 of 80 are read on each side with traffic both ways at once, cache of ${maxEntries}`, async () => {
    const { repository } = await openGateway({ store: slowly(disk.store), instanceId: `slow${maxEntries}`, maxEntries })
    const device = createSignalDevice()
    await repository.lidMapping.storeLIDPNMappings([{ pn: PN, lid: LID }])
    await repository.injectE2ESession({ jid: PN, session: session(device) })
    const opening = await repository.encryptMessage({ jid: PN, data: said('start') })
    await device.decrypt(GATEWAY, opening.type, opening.ciphertext)

    const out = Array.from({ length: MESSAGES }, async (_, n) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 200))
      const { type, ciphertext } = await repository.encryptMessage({ jid: n % 2 ? PN : LID, data: said(`out ${n}`) })
      return text(await device.decrypt(GATEWAY, type, ciphertext))
    })
    const back = Array.from({ length: MESSAGES }, async (_, n) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 200))
      const message = await device.encrypt(GATEWAY, said(`in ${n}`))
      return text(await repository.decryptMessage({ jid: n % 2 ? LID : PN, ...message }))
    })
    assert.deepEqual(
      await Promise.all(out),
      Array.from({ length: MESSAGES }, (_, n) => `out ${n}`),
    )
    assert.deepEqual(
      await Promise.all(back),
      Array.from({ length: MESSAGES }, (_, n) => `in ${n}`),
    )
  })
}

test('two sockets of one instance do not lose each other’s steps', async () => {
  const { repository, openRepository } = await openGateway({ store: slowly(disk.store), instanceId: 'two' })
  const second = openRepository()
  const device = createSignalDevice()
  await repository.injectE2ESession({ jid: PN, session: session(device) })
  const sent = await Promise.all(
    Array.from({ length: 40 }, (_, n) => (n % 2 ? repository : second).encryptMessage({ jid: PN, data: said(`${n}`) })),
  )
  const read = []
  for (const { type, ciphertext } of sent) read.push(text(await device.decrypt(GATEWAY, type, ciphertext)))
  assert.deepEqual(
    read,
    sent.map((_, n) => `${n}`),
  )
})

test('group messages that arrive at once are all read, each once', async () => {
  const { repository } = await openGateway({ store: slowly(disk.store), instanceId: 'many' })
  const group = '120363000000000002@g.us'
  const device = createSignalDevice()
  await repository.processSenderKeyDistributionMessage({
    authorJid: PN,
    item: { groupId: group, axolotlSenderKeyDistributionMessage: await device.senderKey(group) },
  })
  const sent = []
  for (let n = 0; n < 40; n++) sent.push(await device.encryptGroup(group, said(`${n}`)))
  const read = await Promise.all(sent.map((msg) => repository.decryptGroupMessage({ group, authorJid: PN, msg })))
  assert.deepEqual(
    read.map(text),
    sent.map((_, n) => `${n}`),
  )
  // If a ratchet step were lost, the record would still contain a key that was already used. Then a message could be
  // decrypted twice.
  for (const msg of sent)
    await assert.rejects(repository.decryptGroupMessage({ group, authorJid: PN, msg }), { problem: 'duplicate' })
})
