import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unsealAbout } from '../../../../packages/sandbox/src/testing.ts'
import { sealAbout } from '../../../../workers/shard/translate/outbound/secret.ts'

const about = { secret: Buffer.alloc(32, 1), messageId: '3EB0AA', author: '1@lid', sender: '2@lid' }
const plain = Buffer.from('chosen')

for (const purpose of ['Poll Vote', 'Event Response', 'Event Edit'] as const)
  test(`a ${purpose} opens with the names and the secret it was sealed with, and with no other`, () => {
    const { encPayload, encIv } = sealAbout(about, purpose, plain)
    assert.equal(encIv.length, 12)
    assert.deepEqual(unsealAbout(about, purpose, encPayload, encIv), plain)
    const others = [
      { ...about, sender: '3@lid' },
      { ...about, author: '1@s.whatsapp.net' },
      { ...about, messageId: '3EB0AB' },
      { ...about, secret: Buffer.alloc(32, 2) },
    ]
    for (const other of others) assert.throws(() => unsealAbout(other, purpose, encPayload, encIv))
    assert.throws(() => unsealAbout(about, purpose === 'Poll Vote' ? 'Event Response' : 'Poll Vote', encPayload, encIv))
  })

test('the same vote twice looks different', () => {
  const [one, two] = [sealAbout(about, 'Poll Vote', plain), sealAbout(about, 'Poll Vote', plain)]
  assert.notDeepEqual(one.encPayload, two.encPayload)
})
