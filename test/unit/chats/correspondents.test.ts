import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createCorrespondents } from '../../../workers/shard/chats/correspondents.ts'
import { INSTANCE, recordingLog, sealer, tempStore } from '../storage/fixtures.ts'

const BEN = '5511988887777@s.whatsapp.net'
const BEN_LID = '123456789012345@lid'

async function bench(t: TestContext) {
  const context = { id: INSTANCE, store: await tempStore(t), sealer, log: recordingLog() }
  let firsts = 0
  const create = () => createCorrespondents(context, { otherName: async () => null, onNew: () => firsts++ })
  return { ...context, create, firsts: () => firsts }
}
const from = (remoteJid: string, remoteJidAlt?: string) => ({ key: { remoteJid, remoteJidAlt, fromMe: false } })

test('a person whose first message could not be committed is written down with the next one', async (t) => {
  const { store, create, firsts } = await bench(t)
  const correspondents = create()
  await correspondents.ops(from(BEN))
  // The operations of the first message are dropped, as if their commit had failed.
  await store.commit({ ops: await correspondents.ops(from(BEN)) })
  assert.equal(firsts(), 1)
  assert.equal(await create().hasWritten('5511988887777'), true)
})

test('a person whose row is in the store costs no write', async (t) => {
  const { store, create, firsts } = await bench(t)
  await store.commit({ ops: await create().ops(from(BEN, BEN_LID)) })
  const correspondents = create()
  assert.deepEqual(await correspondents.ops(from(BEN, BEN_LID)), [])
  assert.deepEqual(await correspondents.ops(from(BEN_LID)), [])
  assert.equal(firsts(), 1)
  // The second address of a known person must be stored, but must not count as a first message.
  const other = await correspondents.ops(from(BEN, '999@lid'))
  assert.equal(other.length, 2)
  assert.equal(firsts(), 1)
})
