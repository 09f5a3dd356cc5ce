/**
 * Tests the stanzas that change a picture. The stanza for a group's picture names the group; the one for the account's
 * own picture names no target.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { removePictureQuery, setPictureQuery } from '../../../workers/shard/wire/picture.ts'

const GROUP = '120363019502650977@g.us'
const JPEG = Uint8Array.of(0xff, 0xd8)
const attrs = { to: '@s.whatsapp.net', type: 'set', xmlns: 'w:profile:picture' }

test('a picture is written as an image, and taken away by a query with nothing in it', () => {
  const picture = { tag: 'picture', attrs: { type: 'image' }, content: JPEG }
  assert.deepEqual(setPictureQuery(JPEG, GROUP), { tag: 'iq', attrs: { ...attrs, target: GROUP }, content: [picture] })
  assert.deepEqual(setPictureQuery(JPEG), { tag: 'iq', attrs, content: [picture] })
  assert.deepEqual(removePictureQuery(GROUP), { tag: 'iq', attrs: { ...attrs, target: GROUP } })
  assert.deepEqual(removePictureQuery(), { tag: 'iq', attrs })
})
