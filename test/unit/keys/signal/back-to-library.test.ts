import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  addTransactionCapability,
  BufferJSON,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from '@whiskeysockets/baileys'
import { makeLibSignalRepository } from '@whiskeysockets/baileys/lib/Signal/libsignal.js'
import { createSignalDevice } from '../../../../packages/sandbox/src/testing.ts'
import { senderKeyJson } from '../../../../workers/portability/export/sender-key-json.ts'
import { jsonFromRecord, recordFromJson } from '../../../../workers/shard/keys/signal/session-json.ts'
import { GATEWAY, type Gateway, log, openDisk, openGateway, said, session, text } from './gateway.ts'

const disk = await openDisk()
after(() => disk.close())

const JID = '4915700000006@s.whatsapp.net'
const SESSION = '4915700000006.0'
const GROUP = '120363000000000003@g.us'
const ME = '4915700000009:3@s.whatsapp.net'
const NOW = 1_700_000_000_000

/** Opens the library with stored keys, which are first converted to the JSON of the library's files and back. */
function libraryWith({ creds }: Gateway, stored: Record<string, unknown>) {
  const map = new Map(Object.entries(JSON.parse(JSON.stringify(stored, BufferJSON.replacer), BufferJSON.reviver)))
  const state: SignalKeyStore = {
    get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) =>
      Object.fromEntries(ids.map((id) => [id, map.get(`${type} ${id}`) as SignalDataTypeMap[T]]).filter(([, value]) => value)),
    async set(data: SignalDataSet) {
      for (const [type, values] of Object.entries(data))
        for (const [id, value] of Object.entries(values ?? {})) map.set(`${type} ${id}`, value)
    },
  }
  const keys = addTransactionCapability(state, log, { maxCommitRetries: 1, delayBetweenTriesMs: 1 })
  return makeLibSignalRepository({ creds, keys }, log)
}

const storedSession = async ({ keys }: Gateway) => (await keys.get('session', SESSION))!

test('a session goes on in the library, in both directions', async () => {
  const gateway = await openGateway({ store: disk.store, instanceId: 'back' })
  const device = createSignalDevice()
  const { repository } = gateway
  await repository.injectE2ESession({ jid: JID, session: session(device) })
  for (const words of ['1', '3']) {
    const out = await repository.encryptMessage({ jid: JID, data: said(words) })
    await device.decrypt(GATEWAY, out.type, out.ciphertext)
    await repository.decryptMessage({ jid: JID, ...(await device.encrypt(GATEWAY, said('2'))) })
  }
  const { json, lostMessageKeys } = jsonFromRecord(await storedSession(gateway), NOW)!
  assert.equal(lostMessageKeys, 0)

  const library = libraryWith(gateway, { [`session ${SESSION}`]: json })
  assert.equal(text(await library.decryptMessage({ jid: JID, ...(await device.encrypt(GATEWAY, said('4'))) })), '4')
  const out = await library.encryptMessage({ jid: JID, data: said('5') })
  assert.equal(text(await device.decrypt(GATEWAY, out.type, out.ciphertext)), '5')
  assert.equal(text(await library.decryptMessage({ jid: JID, ...(await device.encrypt(GATEWAY, said('6'))) })), '6')
})

test('a first message that nobody has answered is sent again with its pre-key by the library', async () => {
  const gateway = await openGateway({ store: disk.store, instanceId: 'back-pending' })
  const device = createSignalDevice()
  await gateway.repository.injectE2ESession({ jid: JID, session: session(device) })
  await gateway.repository.encryptMessage({ jid: JID, data: said('lost on the way') })
  const { json } = jsonFromRecord(await storedSession(gateway), NOW)!
  const library = libraryWith(gateway, { [`session ${SESSION}`]: json })
  const out = await library.encryptMessage({ jid: JID, data: said('1') })
  assert.equal(out.type, 'pkmsg')
  assert.equal(text(await device.decrypt(GATEWAY, out.type, out.ciphertext)), '1')
  assert.equal(text(await library.decryptMessage({ jid: JID, ...(await device.encrypt(GATEWAY, said('2'))) })), '2')
})

test('keys of late messages are counted, and the messages behind them can be read', async () => {
  const gateway = await openGateway({ store: disk.store, instanceId: 'back-late' })
  const device = createSignalDevice()
  const { repository } = gateway
  await repository.injectE2ESession({ jid: JID, session: session(device) })
  const out = await repository.encryptMessage({ jid: JID, data: said('1') })
  await device.decrypt(GATEWAY, out.type, out.ciphertext)
  await device.encrypt(GATEWAY, said('late'))
  await device.encrypt(GATEWAY, said('later'))
  await repository.decryptMessage({ jid: JID, ...(await device.encrypt(GATEWAY, said('in time'))) })
  const { json, lostMessageKeys } = jsonFromRecord(await storedSession(gateway), NOW)!
  assert.equal(lostMessageKeys, 2)
  const library = libraryWith(gateway, { [`session ${SESSION}`]: json })
  assert.equal(text(await library.decryptMessage({ jid: JID, ...(await device.encrypt(GATEWAY, said('next'))) })), 'next')
})

test('there and back again is the same record, but for what JSON does not have', async () => {
  const gateway = await openGateway({ store: disk.store, instanceId: 'back-twice' })
  const device = createSignalDevice()
  const { repository, creds } = gateway
  await repository.injectE2ESession({ jid: JID, session: session(device) })
  const out = await repository.encryptMessage({ jid: JID, data: said('1') })
  await device.decrypt(GATEWAY, out.type, out.ciphertext)
  await repository.decryptMessage({ jid: JID, ...(await device.encrypt(GATEWAY, said('2'))) })
  const own = {
    identityKey: Buffer.concat([Buffer.of(5), creds.signedIdentityKey.public]),
    registrationId: creds.registrationId,
  }
  const once = jsonFromRecord(await storedSession(gateway), NOW)!.json
  const record = recordFromJson(said(JSON.stringify(once)), own)!
  assert.deepEqual(jsonFromRecord(record, NOW)!.json, once)
})

test('what is no record is refused as a whole', () => {
  assert.equal(jsonFromRecord(Buffer.alloc(0), NOW), undefined)
  assert.equal(jsonFromRecord(Buffer.from('0a03080312', 'hex'), NOW), undefined)
  assert.equal(senderKeyJson(Buffer.alloc(0)), undefined)
})

test('sender keys go on: our own, and those of others with keys of late messages', async () => {
  const gateway = await openGateway({ store: disk.store, instanceId: 'back-group' })
  const author = createSignalDevice()
  const { repository, keys } = gateway
  const item = { groupId: GROUP, axolotlSenderKeyDistributionMessage: await author.senderKey(GROUP) }
  await repository.processSenderKeyDistributionMessage({ authorJid: JID, item })
  const theirs = async (words: string) => ({ group: GROUP, authorJid: JID, msg: await author.encryptGroup(GROUP, said(words)) })
  await repository.decryptGroupMessage(await theirs('1'))
  const late = await theirs('late')
  await repository.decryptGroupMessage(await theirs('3'))
  const ours = await repository.encryptGroupMessage({ group: GROUP, meId: ME, data: said('one') })
  await author.acceptSenderKey(GROUP, GATEWAY, ours.senderKeyDistributionMessage)
  await author.decryptGroup(GROUP, GATEWAY, ours.ciphertext)

  const converted = async (id: string) => [`sender-key ${id}`, senderKeyJson((await keys.get('sender-key', id))!)!] as const
  const library = libraryWith(
    gateway,
    Object.fromEntries([await converted(`${GROUP}::4915700000006::0`), await converted(`${GROUP}::4915700000009::3`)]),
  )
  assert.equal(text(await library.decryptGroupMessage(late)), 'late')
  assert.equal(text(await library.decryptGroupMessage(await theirs('4'))), '4')
  const next = await library.encryptGroupMessage({ group: GROUP, meId: ME, data: said('two') })
  assert.equal(text(await author.decryptGroup(GROUP, GATEWAY, next.ciphertext)), 'two')
})
