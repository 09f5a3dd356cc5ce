import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  addTransactionCapability,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from '@whiskeysockets/baileys'
import { makeLibSignalRepository } from '@whiskeysockets/baileys/lib/Signal/libsignal.js'
import { createSignalDevice } from '../../../../packages/sandbox/src/testing.ts'
import type { KeyChange, KeyType } from '../../../../workers/shard/keys/key-store.ts'
import { keyBytes } from '../../../../workers/shard/keys/signal/codec.ts'
import { GATEWAY, type Gateway, log, openDisk, openGateway, said, session, text } from './gateway.ts'

const disk = await openDisk()
after(() => disk.close())

const JID = '4915700000006@s.whatsapp.net'
const GROUP = '120363000000000003@g.us'

/**
 * Opens the library's own Signal code, with its records in a map. `carryOver` copies these records to the gateway's
 * store.
 */
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

test('a session that still waits for its first answer goes on, and its first message can still be opened', async () => {
  const gateway = await openGateway({ store: disk.store, instanceId: 'js-pending' })
  const library = libraryOf(gateway)
  const device = createSignalDevice()
  await library.repository.injectE2ESession({ jid: JID, session: session(device) })
  await library.repository.encryptMessage({ jid: JID, data: said('unheard') })
  await library.carryOver()
  const { repository } = gateway
  assert.deepEqual(await repository.validateSession(JID), { exists: true })
  const { type, ciphertext } = await repository.encryptMessage({ jid: JID, data: said('heard') })
  assert.equal(type, 'pkmsg')
  assert.equal(text(await device.decrypt(GATEWAY, type, ciphertext)), 'heard')
  assert.equal(text(await repository.decryptMessage({ jid: JID, ...(await device.encrypt(GATEWAY, said('answer'))) })), 'answer')
})

/**
 * Returns a session in which both sides have already sent messages. So the next messages of the other side belong to a
 * chain of which the library has decrypted a part.
 */
async function conversation(instanceId: string) {
  const gateway = await openGateway({ store: disk.store, instanceId })
  const library = libraryOf(gateway)
  const device = createSignalDevice()
  await library.repository.injectE2ESession({ jid: JID, session: session(device) })
  const out = await library.repository.encryptMessage({ jid: JID, data: said('out') })
  await device.decrypt(GATEWAY, out.type, out.ciphertext)
  const next = (words: string) => device.encrypt(GATEWAY, said(words))
  const read = async (repository: typeof library.repository, message: Awaited<ReturnType<typeof next>>) =>
    text(await repository.decryptMessage({ jid: JID, ...message }))
  assert.equal(await read(library.repository, await next('in 0')), 'in 0')
  return { gateway, library, device, next, read }
}

test("the peer's next message in a chain that was read from is opened", async () => {
  const { gateway, library, next, read } = await conversation('js-chain')
  await library.carryOver()
  for (const words of ['in 1', 'in 2']) assert.equal(await read(gateway.repository, await next(words)), words)
})

test('skipped messages stay readable, and the contact stays reachable in both directions', async () => {
  const { gateway, library, device, next, read } = await conversation('js-skipped')
  const [late, later, now] = [await next('late'), await next('later'), await next('now')]
  assert.equal(await read(library.repository, now), 'now')
  await library.carryOver()
  const { repository } = gateway
  const answer = await repository.encryptMessage({ jid: JID, data: said('answer') })
  assert.equal(text(await device.decrypt(GATEWAY, answer.type, answer.ciphertext)), 'answer')
  assert.equal(await read(repository, later), 'later')
  assert.equal(await read(repository, late), 'late')
  assert.equal(await read(repository, await next('after')), 'after')
})

test('a message skipped in a closed chain is opened after the ratchet has turned', async () => {
  const { gateway, library, device, next, read } = await conversation('js-closed')
  const late = await next('late')
  assert.equal(await read(library.repository, await next('now')), 'now')
  const turn = await library.repository.encryptMessage({ jid: JID, data: said('turn') })
  await device.decrypt(GATEWAY, turn.type, turn.ciphertext)
  assert.equal(await read(library.repository, await next('turned')), 'turned')
  await library.carryOver()
  assert.equal(await read(gateway.repository, late), 'late')
  assert.equal(await read(gateway.repository, await next('after')), 'after')
})

test('an archived session is opened, and the session in use goes on', async () => {
  const { gateway, library, device, next, read } = await conversation('js-archived')
  const old = await next('in the old session')
  await library.repository.injectE2ESession({ jid: JID, session: session(device) })
  const fresh = await library.repository.encryptMessage({ jid: JID, data: said('fresh') })
  await library.carryOver()
  assert.equal(await read(gateway.repository, old), 'in the old session')
  assert.equal(text(await device.decrypt(GATEWAY, fresh.type, fresh.ciphertext)), 'fresh')
})

test('the first operation stores the session in the form of the module', async () => {
  const { gateway, library, next, read } = await conversation('js-stored')
  await library.carryOver()
  const stored = async () => (await gateway.keys.get('session', '4915700000006.0'))![0]
  assert.equal(await stored(), '{'.charCodeAt(0))
  assert.equal(await read(gateway.repository, await next('in 1')), 'in 1')
  assert.notEqual(await stored(), '{'.charCodeAt(0))
})

test('JSON that is no session, and one with a key of the wrong length, count as no session', async () => {
  const { gateway, library } = await conversation('js-broken')
  await library.carryOver()
  const stored = Buffer.from((await gateway.keys.get('session', '4915700000006.0'))!).toString()
  const broken = stored.replace(/"rootKey":"[^"]+"/, '"rootKey":"AAAA"')
  for (const json of ['{', '{}', '{"_sessions":{}}', '{"_sessions":{"x":{}}}', stored.slice(0, -20), broken]) {
    await gateway.keys.commit([['session', '4915700000006.0', said(json)]])
    assert.deepEqual(await gateway.repository.validateSession(JID), { exists: false, reason: 'no session' }, json.slice(0, 40))
  }
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
