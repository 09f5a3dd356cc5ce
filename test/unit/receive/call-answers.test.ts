import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE } from '../../../src/domain/clock.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createCallAnswers } from '../../../workers/shard/receive/call-answers.ts'
import { INSTANCE, START, sealer, tempStore } from '../storage/fixtures.ts'

const ANA = '5511988880001@s.whatsapp.net'
const ANA_LID = '81896604190001@lid'
const BEN = '5511988880002@s.whatsapp.net'

test('thirty calls at once make one text; the next comes ten minutes later, also after a restart and under the other name', async (t) => {
  const store = await tempStore(t)
  let now = START
  const given: string[] = []
  const open = () => createCallAnswers({ id: INSTANCE, store, sealer, clock: { now: () => now } })
  const calls = (names: string[], answers = open()) => answers.answer(names, async () => void given.push(names[0]!))
  const answers = open()
  await Promise.all(Array.from({ length: 30 }, () => calls([ANA_LID, ANA], answers)))
  await calls([BEN], answers)
  assert.deepEqual(given, [ANA_LID, BEN])
  now += 10 * MINUTE - 1
  await calls([ANA])
  await calls([ANA_LID])
  assert.equal(given.length, 2)
  now += 1
  await calls([ANA])
  assert.deepEqual(given, [ANA_LID, BEN, ANA])
  // The record of a text is removed when it is older than ten minutes, so that the records do not accumulate.
  let left = 0
  for await (const _ of store.range(keys.callAnswers(INSTANCE))) left++
  assert.equal(left, 1)
})

test('one that could not be given does not count, and a clock that was set back holds nothing up', async (t) => {
  const store = await tempStore(t)
  let now = START
  const answers = createCallAnswers({ id: INSTANCE, store, sealer, clock: { now: () => now } })
  await assert.rejects(
    answers.answer([ANA], async () => {
      throw new Error('the queue is full')
    }),
    /full/,
  )
  let given = 0
  const give = async () => void ++given
  await answers.answer([ANA], give)
  now -= 60 * MINUTE
  await answers.answer([ANA], give)
  await answers.answer([ANA], give)
  assert.equal(given, 2)
})
