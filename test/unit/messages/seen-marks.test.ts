import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { keys } from '../../../src/storage/record-keys.ts'
import { ciphertextMark, createSeenMarks, messageMarks } from '../../../workers/shard/messages/seen-marks.ts'
import { INSTANCE, sealer, tempStore } from '../storage/fixtures.ts'

const PN = '5511988880001@s.whatsapp.net'
const LID = '81896604190001@lid'
const GROUP = '120363019502650977@g.us'

// An earlier bug: if a message arrived under the LID of its sender and then again under the number, it was reported
// twice, with two event ids.
test('a message that comes again under the other name of its chat or author is the same message', async (t) => {
  const marks = createSeenMarks(INSTANCE, await tempStore(t), sealer)
  await marks.load()
  const isSame = (first: Parameters<typeof messageMarks>[0], again: Parameters<typeof messageMarks>[0]) => {
    marks.applied(messageMarks(first))
    return messageMarks(again).some(marks.has)
  }
  assert.ok(isSame({ id: 'A', remoteJid: LID, remoteJidAlt: PN }, { id: 'A', remoteJid: PN }))
  assert.ok(isSame({ id: 'B', remoteJid: PN }, { id: 'B', remoteJid: LID, remoteJidAlt: PN }))
  assert.ok(
    isSame(
      { id: 'C', remoteJid: GROUP, participant: LID, participantAlt: PN },
      { id: 'C', remoteJid: GROUP, participant: `${PN.replace('@', ':3@')}` },
    ),
  )
  assert.ok(
    isSame(
      { id: 'D', remoteJid: 'status@broadcast', remoteJidAlt: LID, participant: PN },
      { id: 'D', remoteJid: 'status@broadcast', participant: LID },
    ),
  )
})

// An older release stored each mark (which says that a message was processed) in a separate record. Messages with such
// marks may still arrive again.
test('marks that are records of their own are known, beside those of a message that are one record', async (t) => {
  const store = await tempStore(t)
  const [before, ...together] = ['before', 'one', 'two', 'three'].map((text) => ciphertextMark(Buffer.from(text)))
  const name = before![0] + sealer.blindOnce(before!.slice(1))
  await store.commit({ ops: [[keys.mark(INSTANCE, 0, name), Uint8Array.of(1)]] })
  const marks = createSeenMarks(INSTANCE, store, sealer)
  await marks.load()
  assert.equal(marks.ops(together).length, 1)
  assert.deepEqual(marks.ops([]), [])
  await store.commit({ ops: marks.ops(together) })
  const next = createSeenMarks(INSTANCE, store, sealer)
  await next.load()
  assert.ok([before!, ...together].every(next.has))
  await store.commit({ ops: next.ops([ciphertextMark(Buffer.from('four'))]) })
  const last = createSeenMarks(INSTANCE, store, sealer)
  await last.load()
  assert.ok([before!, ...together, ciphertextMark(Buffer.from('four'))].every(last.has))
})

test('the same id in another chat, of another author or of our own is another message', () => {
  const other = '5511988880002@s.whatsapp.net'
  const marks = new Set(messageMarks({ id: 'A', remoteJid: LID, remoteJidAlt: PN }))
  for (const key of [
    { id: 'B', remoteJid: PN },
    { id: 'A', remoteJid: other },
    { id: 'A', remoteJid: GROUP, participant: PN },
    { id: 'A', remoteJid: PN, fromMe: true },
  ])
    assert.ok(!messageMarks(key).some((mark) => marks.has(mark)))
})

// An earlier bug: old marks of processed messages were removed in a single commit, which made the file of the store up
// to 150 MB larger.
test('marks give way to newer ones, the older first, and the store does not grow by it', async (t) => {
  const store = await tempStore(t)
  const marks = createSeenMarks(INSTANCE, store, sealer)
  await marks.load()
  const size = () => statSync(join(store.dir, 'data.mdb')).size
  const generation = async (name: string) => {
    const all = Array.from({ length: 3_072 }, (_, i) => ciphertextMark(Buffer.from(`${name} ${i}`)))
    for (let from = 0; from < all.length; from += 64) {
      const some = all.slice(from, from + 64)
      await store.commit({ ops: marks.ops(some) })
      marks.applied(some)
    }
    await marks.rotate()
    return all
  }
  const first = await generation('first')
  const before = size()
  const second = await generation('second')
  assert.ok(size() < before + 16 * 2 ** 20, `${size() - before} bytes more`)
  assert.deepEqual([first.some(marks.has), second.every(marks.has)], [false, true])
  const next = createSeenMarks(INSTANCE, store, sealer)
  await next.load()
  assert.deepEqual([first.some(next.has), second.every(next.has)], [false, true])
  await next.forget()
  const last = createSeenMarks(INSTANCE, store, sealer)
  await last.load()
  assert.deepEqual(
    [next, last].map((each) => second.some(each.has)),
    [false, false],
  )
})
