/** Messages that the account's phone sent only to this device before a kill must be processed after the next login. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { type BinaryNode, proto, writeRandomPadMax16 } from '@whiskeysockets/baileys'
import { keys } from '../../src/storage/record-keys.ts'
import { createInstance } from '../../workers/shard/instance.ts'
import { createKeyCache, createKeyStore } from '../../workers/shard/keys/key-store.ts'
import { messageMark } from '../../workers/shard/messages/seen-marks.ts'
import { createJournal, nodeText } from '../../workers/shard/receive/inbox/journal.ts'
import { ME } from '../e2e/received/story.ts'
import { INSTANCE, recordingLog } from '../unit/storage/fixtures.ts'
import { until } from './ground.ts'
import { KEY, startHosted } from './hosted.ts'

const world = await startHosted(ME)
after(() => world.stop())

/** Leaves some messages decrypted and acknowledged, but not processed, as after a kill. */
async function leaveUnsettled(keyId: Buffer) {
  const { store, sealer } = world
  const journal = createJournal({ instance: INSTANCE, store, sealer, clock: Date, log: recordingLog() })
  const id = `LEFT${keyId.toString('hex')}`
  const node: BinaryNode = {
    tag: 'message',
    attrs: { id, from: `${ME}@s.whatsapp.net`, category: 'peer', type: 'text', t: String(Math.floor(Date.now() / 1_000)) },
    content: [{ tag: 'enc', attrs: { type: 'msg', v: '2' }, content: randomBytes(60) }],
  }
  const message = proto.Message.encode({
    protocolMessage: {
      type: proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_SHARE,
      appStateSyncKeyShare: { keys: [{ keyId: { keyId }, keyData: { keyData: randomBytes(32) } }] },
    },
  }).finish()
  const parts = { 0: Buffer.from(writeRandomPadMax16(message)).toString('base64') }
  const mark = messageMark({ id, chat: node.attrs.from!, author: '' })
  await store.commit({ ops: [journal.put(mark, { node: nodeText(node), parts, isPeer: true, attempts: 0, at: Date.now() })] })
}

async function isTaken(keyId: Buffer) {
  const kept = createKeyStore(INSTANCE, world.store, world.sealer, createKeyCache({ maxEntries: 10 }))
  if (!(await kept.get('app-state-sync-key', keyId.toString('base64')))) return false
  for await (const _ of world.store.range(keys.journals(INSTANCE))) return false
  return true
}

async function restart() {
  world.instance = createInstance(world.deps, world.config, KEY)
  await world.instance.start('boot')
  await until('connected', () => world.state().status === 'connected')
}

for (const left of ['nothing', 'the preview', 'both'] as const)
  test(`peer messages of before are taken at login where the network leaves out ${left} of its announcements`, async () => {
    const children = left === 'nothing' ? [] : left === 'both' ? ['offline_preview', 'offline'] : ['offline_preview']
    await until('all of before is settled', async () => {
      for await (const _ of world.store.range(keys.journals(INSTANCE))) return false
      return true
    })
    await world.instance.stop('keep')
    for (const child of children) await world.sandbox.fault({ on: 'ib', match: { child }, do: 'drop', times: 1 })
    const keyId = randomBytes(6)
    await leaveUnsettled(keyId)
    assert.equal(await isTaken(keyId), false)
    await restart()
    await until('it is taken and settled', () => isTaken(keyId))
  })
