import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresHomes } from '../../../src/storage/drivers/postgres/homes.ts'

const INSTANCE = '11111111-1111-4111-8111-111111111111'

test('an instance whose release is refused is still own, unless the homes cannot be read either', async () => {
  let refuses = false
  let canRead = true
  const homes = postgresHomes({
    service: '22222222-2222-4222-8222-222222222222',
    async commit() {
      if (refuses) throw new Error('the disk is full')
    },
    async ask() {
      if (!canRead) throw new Error('the database does not answer')
      return [[INSTANCE]]
    },
  })
  await homes.claim([INSTANCE])
  refuses = true
  await assert.rejects(homes.release([INSTANCE]), /full/)
  assert.equal(homes.isOwn(INSTANCE), true)
  canRead = false
  await assert.rejects(homes.release([INSTANCE]), /full/)
  assert.equal(homes.isOwn(INSTANCE), false)
  refuses = false
  canRead = true
  await homes.claim([INSTANCE])
  await homes.release([INSTANCE])
  assert.equal(homes.isOwn(INSTANCE), false)
})

test('homes are read again if a change of this service was answered during the read', async () => {
  const answers: (() => void)[] = []
  const homes = postgresHomes({
    service: '22222222-2222-4222-8222-222222222222',
    commit: async () => undefined,
    async ask({ name, text }) {
      if (name === 'homes') return [[INSTANCE]]
      const number = answers.length
      if (name === 'homes-digest') await new Promise<void>((resolve) => answers.push(resolve))
      return name === 'homes-digest' ? [[number]] : [[INSTANCE, text.length > 0 ? `read ${number}` : null, null, false, false]]
    },
  })
  await homes.claim([INSTANCE])
  const all = homes.all()
  await homes.release([INSTANCE])
  answers[0]!()
  await new Promise(setImmediate)
  assert.equal(answers.length, 2)
  answers[1]!()
  assert.deepEqual(
    (await all).map(({ writer }) => writer),
    ['read 2'],
  )
})

test('an instance whose claim may have been granted without an answer is neither own nor certainly elsewhere', async () => {
  let canRead = false
  let answer = () => {}
  const homes = postgresHomes({
    service: '22222222-2222-4222-8222-222222222222',
    commit: () => new Promise<void>((resolve) => (answer = resolve)),
    async ask() {
      if (!canRead) throw new Error('the database does not answer')
      return [[INSTANCE]]
    },
  })
  const claim = homes.claim([INSTANCE])
  assert.equal(homes.isSettledElsewhere(INSTANCE), false)
  answer()
  await assert.rejects(claim)
  assert.deepEqual([homes.isOwn(INSTANCE), homes.isSettledElsewhere(INSTANCE), homes.own()], [false, true, []])
  canRead = true
  const again = homes.claim([INSTANCE])
  answer()
  await again
  assert.deepEqual([homes.isSettledElsewhere(INSTANCE), homes.own()], [false, [INSTANCE]])
})
