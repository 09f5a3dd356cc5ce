/** Stores written by the library's own repository (JSON records) are taken over. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  addTransactionCapability,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from '@whiskeysockets/baileys'
import { makeLibSignalRepository } from '@whiskeysockets/baileys/lib/Signal/libsignal.js'
import type { KeyChange, KeyType } from '../../../../workers/shard/keys/key-store.ts'
import { keyBytes } from '../../../../workers/shard/keys/signal/codec.ts'
import { createSignalDevice } from '../../../../workers/simulator/people/signal-device.ts'
import { type Disk, GATEWAY, type Gateway, log, openDisk, openGateway, session, text } from './gateway.ts'

let disk: Disk
before(async () => {
  disk = await openDisk()
})
after(() => disk.close())

const JID = '4915700000006@s.whatsapp.net'
const GROUP = '120363000000000003@g.us'
const said = (words: string) => Buffer.from(words)

/** The library's repository with the gateway's credentials, over a plain map; `carryOver` puts what it stored into the gateway's store. */
function libraryOf({ creds, keys: ours }: Gateway) {
  const map = new Map<string, unknown>()
  const state: SignalKeyStore = {
    get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) =>
      Object.fromEntries(ids.map((id) => [id, map.get(`${type} ${id}`) as SignalDataTypeMap[T]]).filter(([, value]) => value)),
    async set(data: SignalDataSet) {
      for (const [type, values] of Object.entries(data)) {
        for (const [id, value] of Object.entries(values ?? {})) {
          if (value == null) map.delete(`${type} ${id}`)
          else map.set(`${type} ${id}`, value)
        }
      }
    },
  }
  const keys = addTransactionCapability(state, log, { maxCommitRetries: 1, delayBetweenTriesMs: 1 })
  return {
    repository: makeLibSignalRepository({ creds, keys }, log),
    async carryOver() {
      const changes = [...map].map(([key, value]): KeyChange => {
        const [type, id] = key.split(' ') as [KeyType, string]
        return [
          type,
          id,
          value instanceof Uint8Array ? value : type === 'session' ? said(JSON.stringify(value)) : keyBytes(type, value),
        ]
      })
      await ours.commit(changes)
    },
  }
}

test('a session of the JavaScript library goes on', async () => {
  const gateway = await openGateway({ store: disk.store, instanceId: 'js-session' })
  const library = libraryOf(gateway)
  const device = createSignalDevice()
  await library.repository.injectE2ESession({ jid: JID, session: session(device) })
  const first = await library.repository.encryptMessage({ jid: JID, data: said('1') })
  await device.decrypt(GATEWAY, first.type, first.ciphertext)
  await library.repository.decryptMessage({ jid: JID, ...(await device.encrypt(GATEWAY, said('2'))) })
  const info = await library.repository.getSessionInfo(JID)
  await library.carryOver()

  const { repository } = gateway
  assert.deepEqual(await repository.validateSession(JID), { exists: true })
  const taken = await repository.getSessionInfo(JID)
  assert.equal(taken?.registrationId, info?.registrationId)
  assert.deepEqual(Buffer.from(taken!.baseKey), Buffer.from(info!.baseKey))
  for (let turn = 0; turn < 5; turn++) {
    const out = await repository.encryptMessage({ jid: JID, data: said(`out ${turn}`) })
    assert.equal(text(await device.decrypt(GATEWAY, out.type, out.ciphertext)), `out ${turn}`)
    assert.equal(
      text(await repository.decryptMessage({ jid: JID, ...(await device.encrypt(GATEWAY, said(`in ${turn}`))) })),
      `in ${turn}`,
    )
  }
})

test('one that still waits for its first answer counts as none', async () => {
  const gateway = await openGateway({ store: disk.store, instanceId: 'js-pending' })
  const library = libraryOf(gateway)
  const device = createSignalDevice()
  await library.repository.injectE2ESession({ jid: JID, session: session(device) })
  await library.repository.encryptMessage({ jid: JID, data: said('unheard') })
  await library.carryOver()
  assert.deepEqual(await gateway.repository.validateSession(JID), { exists: false, reason: 'no session' })
})

test('sender keys of the JavaScript library go on, own and received', async () => {
  const gateway = await openGateway({ store: disk.store, instanceId: 'js-group' })
  const library = libraryOf(gateway)
  const device = createSignalDevice()
  const meId = '4915700000009@s.whatsapp.net'
  const own = await library.repository.encryptGroupMessage({ group: GROUP, meId, data: said('1') })
  await device.acceptSenderKey(GROUP, GATEWAY, own.senderKeyDistributionMessage)
  await device.decryptGroup(GROUP, GATEWAY, own.ciphertext)
  await library.repository.processSenderKeyDistributionMessage({
    authorJid: JID,
    item: { groupId: GROUP, axolotlSenderKeyDistributionMessage: await device.senderKey(GROUP) },
  })
  await library.repository.decryptGroupMessage({ group: GROUP, authorJid: JID, msg: await device.encryptGroup(GROUP, said('2')) })
  await library.carryOver()

  const { repository } = gateway
  assert.equal(await repository.hasSenderKey({ group: GROUP, meId }), true)
  const { ciphertext } = await repository.encryptGroupMessage({ group: GROUP, meId, data: said('3') })
  assert.equal(text(await device.decryptGroup(GROUP, GATEWAY, ciphertext)), '3')
  const msg = await device.encryptGroup(GROUP, said('4'))
  assert.equal(text(await repository.decryptGroupMessage({ group: GROUP, authorJid: JID, msg })), '4')
})
