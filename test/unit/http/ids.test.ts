import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromJid, parseIdentifier, renderIdentifier, toJid } from '../../../src/domain/ids.ts'

const ROWS = [
  ['5511988887777', '5511988887777', '5511988887777@s.whatsapp.net'],
  ['12345', '12345', '12345@s.whatsapp.net'],
  ['81896604192873@lid', '81896604192873@lid', '81896604192873@lid'],
  ['120363019502650977-group', '120363019502650977-group', '120363019502650977@g.us'],
  ['120363019502650977@g.us', '120363019502650977-group', '120363019502650977@g.us'],
  ['5511999990000-1612345678-group', '5511999990000-1612345678-group', '5511999990000-1612345678@g.us'],
  ['120363166555745933@newsletter', '120363166555745933@newsletter', '120363166555745933@newsletter'],
  ['123@broadcast', '123@broadcast', '123@broadcast'],
  ['status@broadcast', 'status@broadcast', 'status@broadcast'],
] as const

test('every accepted form is rendered as the contract says, and leads to its address and back', () => {
  for (const [input, rendered, jid] of ROWS) {
    const identifier = parseIdentifier(input)!
    assert.equal(renderIdentifier(identifier), rendered)
    assert.deepEqual(parseIdentifier(rendered), identifier, 'what is rendered can be sent back')
    assert.equal(toJid(identifier), jid)
    assert.deepEqual(fromJid(jid), identifier)
  }
})

test('nothing else is an identifier', () => {
  for (const text of [
    '',
    '1234',
    '1'.repeat(21),
    '+5511988887777',
    '5511 98888',
    '5511988887777@s.whatsapp.net',
    '@lid',
    'x@g.us',
    '1-2@g.us',
    '1-2-3-group',
    'status@lid',
    `${'1'.repeat(62)}@lid`,
    '５５１１９',
  ])
    assert.equal(parseIdentifier(text), undefined, text)
})

test('an address loses its device and agent, and what is no chat is none', () => {
  assert.deepEqual(fromJid('5511988887777:12@s.whatsapp.net'), { kind: 'user', digits: '5511988887777', space: 'phone' })
  assert.deepEqual(fromJid('5511988887777_1:12@c.us'), { kind: 'user', digits: '5511988887777', space: 'phone' })
  assert.deepEqual(fromJid('81896604192873:99@hosted.lid'), { kind: 'user', digits: '81896604192873', space: 'lid' })
  for (const jid of ['s.whatsapp.net', '@s.whatsapp.net', '13135550002@bot', 'abc@call', ''])
    assert.equal(fromJid(jid), undefined, jid)
})
