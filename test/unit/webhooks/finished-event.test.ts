import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventBytes } from '../../../workers/shard/webhooks/finished-event.ts'
import { textEvent } from '../../harness/received-event.ts'
import { START, webhookSettings } from '../storage/fixtures.ts'

test('half of a surrogate pair leaves as U+FFFD, and what only looks like one as it is', () => {
  const event = textEvent('a \ud800 b \u{1f600}', START, { chat_name: '\\ud800', mentions: ['\udfff'] })
  const bytes = eventBytes('instance', 'event', event, webhookSettings(null))
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  assert.ok(!/(?<!\\)(\\\\)*\\ud[89a-f]/.test(text), text)
  const { text: said, chat_name, mentions } = JSON.parse(text)
  assert.deepEqual([said.message, chat_name, mentions], ['a \ufffd b \u{1f600}', '\\ud800', ['\ufffd']])
})
