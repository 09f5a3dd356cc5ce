import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { participantHash } from '../../../workers/shard/wire/phash.ts'

const hash = (text: string) => `2:${createHash('sha256').update(text).digest().subarray(0, 6).toString('base64')}`

test('the hash is over full addresses, sorted, each once; hosted devices are not in it', () => {
  const whole = hash('1.0:0@lid1.0:3@lid2.0:0@lid')
  assert.equal(participantHash(['2@lid', '1:3@lid', '1@lid']), whole)
  assert.equal(participantHash(['1@lid', '1:0@lid', '1:3@lid', '2@lid', '2:99@hosted.lid', '2:99@lid']), whole)
  assert.notEqual(participantHash(['1@lid', '2@lid']), whole)
  assert.equal(participantHash(['5511999990000:7@s.whatsapp.net']), hash('5511999990000.0:7@s.whatsapp.net'))
  assert.equal(participantHash(['nobody']), null)
})
