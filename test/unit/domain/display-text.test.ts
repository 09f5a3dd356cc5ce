import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lookOf, printable, problemOfDisplayText, readName, tidied } from '../../../src/domain/display-text.ts'
import { instanceChoices, namesakes } from '../../../src/domain/instance-choices.ts'

test('names of every script and emoji of every kind are taken as they are', () => {
  for (const name of [
    'Support BR',
    'Üsküdar',
    'עברית',
    'می\u200cخواهم',
    'ශ්\u200dරී',
    'র\u200d্যাব',
    '葛\u{e0100}城',
    '田中\u3000太郎',
    '1\ufe0f\u20e3 first',
    '❤\ufe0f\u200d🔥',
    '👩🏽\u200d🚒',
    '👨\u200d👩\u200d👧',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  ]) {
    assert.equal(problemOfDisplayText(name), undefined, name)
    assert.equal(printable(name), name)
  }
})

test('a refusal names the character and what is wrong with it', () => {
  for (const [name, problem] of [
    ['a\0b', 'must not have the control character U+0000'],
    ['a\u001b[31mb', 'must not have the control character U+001B'],
    ['a\r\nb', 'must not have the line break U+000D'],
    ['a\u2028b', 'must not have the line break U+2028'],
    ['a\u202eb', 'must not have the direction control U+202E'],
    ['a\u2066b', 'must not have the direction control U+2066'],
    ['a\u200eb', 'must not have the direction control U+200E'],
    ['a\u200bb', 'must not have the invisible character U+200B'],
    ['a\u200db', 'must not have the invisible character U+200D'],
    ['a\ufe0fb', 'must not have the invisible character U+FE0F'],
    ['a\u00adb', 'must not have the invisible character U+00AD'],
    ['\u3164', 'must not have the invisible character U+3164'],
    ['\u2800', 'must not have the invisible character U+2800'],
    // Invisible tag characters can hide a text. So they are permitted only in the emoji of a flag.
    ['🙂\u{e0068}\u{e0069}', 'must not have the invisible character U+E0068'],
    ['🏴\u{e0067}\u{e0062}', 'must not have the invisible character U+E0067'],
    ['a\ud800', 'must not have the unpaired surrogate U+D800'],
    ['a\ufffeb', 'must not have the noncharacter U+FFFE'],
  ] as const) {
    assert.equal(problemOfDisplayText(name), problem)
    assert.deepEqual(readName(name, 100), { problem })
  }
  assert.deepEqual(readName('\u00a0 ', 100), { problem: 'must have 1 to 100 visible characters' })
})

test('a text is kept trimmed and composed', () => {
  assert.equal(tidied(' Cafe\u0301\n'), 'Café')
  assert.deepEqual(readName('\ufeffCafe\u0301 ', 4), { name: 'Café' })
})

test('a stored name is printed without what would move the cursor or turn the line', () => {
  assert.equal(printable('a\u001b[2Jb\u202ec'), 'a<U+001B>[2Jb<U+202E>c')
})

test('names look alike when a reader cannot tell them apart', () => {
  for (const [one, other] of [
    ['CRM', 'СRМ'],
    ['CRM', 'ＣＲＭ'],
    ['CRM', 'C\u200bRM'],
    ['Two words', 'Two\u00a0 words '],
    ['Café', 'Cafe\u0301'],
  ] as const)
    assert.equal(lookOf(one), lookOf(other))
  for (const [one, other] of [
    ['CRM', 'crm'],
    ['CRM 1', 'CRM l'],
    ['Петр', 'Пётр'],
  ] as const)
    assert.notEqual(lookOf(one), lookOf(other))
})

test('instances whose names look alike are told apart by number, or by the beginning of their id', () => {
  const of = (id: string, name: string, phone: string | null) => ({ id: `${id}-0000`, name, phone })
  const rows = [
    of('aaaaaaaa', 'CRM', '5511999990001'),
    of('bbbbbbbb', 'СRМ', '5511999990002'),
    of('cccccccc', 'Shop', null),
    of('dddddddd', 'Shop\u200b', null),
    of('eeeeeeee', 'Alone', null),
  ]
  assert.deepEqual([...namesakes(rows)], ['aaaaaaaa-0000', 'bbbbbbbb-0000', 'cccccccc-0000', 'dddddddd-0000'])
  const labels = instanceChoices(rows).map(([, label]) => label.replace(/[\u2068\u2069]/g, ''))
  assert.deepEqual(labels.sort(), [
    'Alone',
    'CRM (5511999990001)',
    'Shop · cccccccc',
    'Shop\u200b · dddddddd',
    'СRМ (5511999990002)',
  ])
})
