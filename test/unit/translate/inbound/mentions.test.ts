import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receivedEvent } from '../../../../workers/shard/translate/inbound/message.ts'
import { ANA, ANA_LID, testContext } from './context.ts'

async function mentionsOf(mentionedJid: string[]) {
  const message = { extendedTextMessage: { text: 'hi', contextInfo: { mentionedJid } } }
  const event = await receivedEvent(testContext(), { key: { id: 'A', remoteJid: ANA }, message, messageTimestamp: 1 })
  return event?.body.mentions
}

test('mentions that are nobody’s address are left out, those of people stay in their order', async () => {
  const people = [ANA_LID, '5511977770001:3@s.whatsapp.net', '81896604199999@lid', '5511977770002@hosted']
  const hostile = [
    '',
    '@lid',
    'abc',
    '@s.whatsapp.net',
    'abc@lid',
    '120363019502650977@g.us',
    'status@broadcast',
    '12 3@lid',
    '1@evil',
  ]
  const mixed = hostile.flatMap((jid, index) => [jid, ...people.slice(index, index + 1)])
  assert.deepEqual(await mentionsOf(mixed), ['5511988880001', '5511977770001', '81896604199999@lid', '5511977770002'])
})

test('hostile mentions take no place of real ones', async () => {
  const mentions = await mentionsOf([...Array.from({ length: 600 }, () => ''), ANA])
  assert.deepEqual(mentions, ['5511988880001'])
})

// An earlier bug: a message with a hundred thousand mentions blocked the thread, because each one was checked.
test('a message that mentions everybody mentions the first of them', async () => {
  const everybody = Array.from({ length: 100_000 }, (_, index) => `${81_896_604_000_000 + index}@lid`)
  const mentions = await mentionsOf(everybody)
  assert.deepEqual(mentions, everybody.slice(0, 500))
})
