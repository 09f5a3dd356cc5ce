import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventBytes } from '../../../workers/shard/webhooks/finished-event.ts'
import { START, webhookSettings } from '../storage/fixtures.ts'

test('half of a surrogate pair leaves as U+FFFD, and what only looks like one as it is', () => {
  const body = { text: { message: 'a \ud800 b \u{1f600}' }, path: '\\ud800', mentions: ['\udfff'] }
  const bytes = eventBytes('instance', 'event', { type: 'received', at: START, body }, webhookSettings(null))
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  assert.ok(!/(?<!\\)(\\\\)*\\ud[89a-f]/.test(text), text)
  const { text: said, path, mentions } = JSON.parse(text)
  assert.deepEqual([said, path, mentions], [{ message: 'a \ufffd b \u{1f600}' }, '\\ud800', ['\ufffd']])
})
