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
