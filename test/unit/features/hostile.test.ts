import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure, type FailureCode, type Issue } from '../../../src/domain/failures.ts'
import { endpoints } from '../../../src/features/index.ts'
import { parseInput } from '../../../src/features/input.ts'

const ANA = '5511988880001'
const PNG = `iVBORw0KGgo+${'A'.repeat(63)}ggg==`

type Fields = Record<string, unknown>

function ask(id: string, fields: Fields): { code: FailureCode; issues: Issue[] } | { input: Fields } {
  const endpoint = endpoints.find((one) => one.id === id)
  assert.ok(endpoint, id)
  try {
    return { input: parseInput(endpoint, { phone: ANA, ...fields }) as Fields }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { code: error.code, issues: error.details?.issues as Issue[] }
  }
}

function refused(id: string, fields: Fields, issues: Record<string, string>, code: FailureCode = 'invalid_request') {
  const told = Object.entries(issues).map(([path, message]) => ({ path, message }))
  assert.deepEqual(ask(id, fields), { code, issues: told }, JSON.stringify(fields).slice(0, 200))
}

function taken(id: string, fields: Fields): Fields {
  const answer = ask(id, fields)
  assert.ok('input' in answer, JSON.stringify(answer))
  return answer.input
}

const HALF = 'must not have a lone surrogate (half of a character)'

test('half of a character is refused wherever the network would have to write it', () => {
  refused('send.sendText', { message: 'cut \ud83d' }, { message: HALF })
  refused('send.sendPoll', { question: 'q', options: ['\ud800', '\udfff'] }, { 'options.0': HALF, 'options.1': HALF })
  refused('send.sendReaction', { message_id: 'x\ud800', reaction: '👍' }, { message_id: HALF })
  refused('send.sendDocument', { document: 'AAAA', file_name: '\udc00.pdf' }, { file_name: HALF })
  refused('send.sendLink', { message: 'm', title: 't', link_url: 'https://a.b/\ud800' }, { link_url: HALF })
  assert.equal(taken('send.sendText', { message: '👩‍👩‍👧 \0 \u202e' }).message, '👩‍👩‍👧 \0 \u202e')
})

test('a send counts characters, whatever they take to write', () => {
  const most = '😀'.repeat(65_536)
  assert.equal(taken('send.sendText', { message: most }).message, most)
  refused('send.sendText', { message: `${most}x` }, { message: 'must have at most 65536 characters' })
  taken('send.sendDocument', { document: 'AAAA', extension: 'pdf', file_name: '😀'.repeat(255) })
  taken('send.orderStatusUpdate', { reference_id: '😀'.repeat(35), order_status: 'shipped' })
  refused(
    'send.orderStatusUpdate',
    { reference_id: '😀'.repeat(36), order_status: 'shipped' },
    { reference_id: 'must have at most 35 characters' },
  )
})

test('a name is trimmed and counted in UTF-16 code units', () => {
  const named = (value: string) => ask('instance.rename', { value })
  assert.deepEqual(named(` ${'😀'.repeat(50)} `), { input: { value: '😀'.repeat(50) } })
  assert.deepEqual(named('😀'.repeat(51)), {
    code: 'invalid_request',
    issues: [{ path: 'value', message: 'must have at most 100 characters' }],
  })
  assert.deepEqual(named('  '), { code: 'invalid_request', issues: [{ path: 'value', message: 'must not be empty' }] })
})

test('an identifier that is none is told what one is, and a list that nothing reaches is not offered', () => {
  const form = 'must be a number of 5 to 20 digits or `<digits>@lid`, `<digits>-group`'
  const ptv = { ptv: 'AAAA' }
  for (const phone of [
    ` ${ANA}`,
    `${ANA}\n`,
    `${ANA}\0`,
    `+${ANA}`,
    '0@s.whatsapp.net',
    'status@broadcast',
    '120@newsletter',
    '1'.repeat(21),
    '1234',
    '@lid',
    '1@LID',
    '1:2@lid',
    '1-2-3-group',
    '1-2@g.us',
    '😀',
    '\ud800',
    '٥٥١١٩٨٨٨',
    `\u202e${ANA}`,
  ])
    refused('send.sendPtv', { ...ptv, phone }, { phone: form }, 'invalid_phone')
  refused(
    'send.sendPtv',
    { ...ptv, phone: `${'9'.repeat(61)}@lid` },
    { phone: 'must have at most 64 characters' },
    'invalid_phone',
  )
  refused('send.sendPtv', { ...ptv, phone: '' }, { phone: 'must not be empty' })
  refused('send.sendPtv', { ...ptv, phone: null }, { phone: 'must not be null' })
  for (const phone of [5511988880001, {}, [], [ANA]]) refused('send.sendPtv', { ...ptv, phone }, { phone: 'must be a string' })
  for (const phone of ['123@broadcast', '1-group', '1-2-group', '1@g.us', '1@lid', '00000'])
    assert.equal(typeof taken('send.sendPtv', { ...ptv, phone }).phone, 'object')
})

test('what is wrong with one field is not followed by what follows from it', () => {
  refused('send.sendText', { message: 'm', mentions: [''] }, { 'mentions.0': 'must not be empty' })
  refused(
    'send.sendEvent',
    { event: { name: 'n', date_time: 'soon', end_date_time: '2026-03-02T14:00:00Z' } },
    { 'event.date_time': 'must be an ISO-8601 date and time with Z or an offset' },
  )
  refused(
    'send.sendOrder',
    { order: { currency: 'BRL', discount: 1_000_000_001, products: [{ name: 'n', value: 1, quantity: 1 }] } },
    { 'order.discount': 'must be at most 1000000000' },
  )
  refused('send.sendLink', { message: 'm', title: 't', link_url: '' }, { link_url: 'must not be empty' })
})

test('each of many mentions is looked for as a whole number', () => {
  const people = Array.from({ length: 500 }, (_, index) => String(5_511_900_000_000 + index))
  const message = people.map((phone) => `@${phone}`).join(' ')
  assert.equal((taken('send.sendText', { message, mentions: people }).mentions as unknown[]).length, 500)
  taken('send.sendText', { message: `@${ANA}, @123 and @${ANA}`, mentions: [ANA, '123@lid', ANA] })
  for (const message of [`@${ANA}1`, ANA, `@ ${ANA}`])
    refused('send.sendText', { message, mentions: [ANA] }, { 'mentions.0': `must appear in the text as @${ANA}` })
})

test('a URL says where it leads: no line breaks, no spaces around it, two slashes', () => {
  const link = (link_url: string) => ['send.sendLink', { message: 'm', title: 't', link_url }] as const
  for (const url of ['https://exa\nmple.com', ' https://example.com', 'https://example.com ', 'https://a.b/\0', 'https://a.b\t'])
    assert.ok('issues' in ask(...link(url)), JSON.stringify(url))
  refused(...link('https://exa\nmple.com'), {
    link_url: 'must not have leading or trailing spaces, line breaks or control characters',
  })
  for (const url of ['http:example.com', 'https:\\\\a.b', 'javascript:alert(1)', '//a.b', 'https://', 'ftp://a.b'])
    refused(...link(url), { link_url: 'must be an absolute http or https URL' })
  for (const url of ['https://münchen.de/ä', 'http://[::1]:8080/', 'HTTPS://A.B', 'https://user:secret@a.b/', 'https://a.b/c d'])
    assert.equal(taken(...link(url)).link_url, url)
})

test('base64 that is nearly right is told what is wrong with it', () => {
  const says = 'must be a URL, a base64 data URL or base64'
  const image = (value: string, message: string) =>
    refused('send.sendImage', { image: value }, { image: message }, 'media_invalid')
  const at = (end: number, put: string, from = end) => `${PNG.slice(0, end)}${put}${PNG.slice(from)}`
  for (const prefix of ['', 'data:image/png;base64,']) {
    image(prefix + at(40, '*', 41), `${says} (it has a character that is not a base64 digit)`)
    image(prefix + at(40, ' ', 41), `${says} (it has a space within a line; an unescaped \`+\` in a form becomes a space)`)
    image(prefix + at(40, '='), `${says} (its padding is in the wrong place or has the wrong length)`)
    image(prefix + at(65, '', PNG.length), `${says} (it is truncated: a single digit is left over)`)
  }
  image('data:image/png,abc', `${says} (a data URL begins with \`data:<mime>;base64,\`)`)
  image('data:image/png;base64,', 'must have at least 1 byte')
  for (const value of ['file:///etc/passwd', '/etc/passwd', 'hello world!', 'ftp://a.b/c']) image(value, says)
  for (const prefix of ['data:image/png;name=x;base64,', 'DATA:image/png;BASE64,', 'data:;base64,', ''])
    assert.equal((taken('send.sendImage', { image: prefix + PNG }).image as { kind: string }).kind, 'inline')
})

test('a number as text is told that a whole one is wanted', () => {
  const whole = 'must be a whole number'
  refused('send.sendText', { message: 'm', delay_message: '3', delay_typing: 1.5 }, { delay_message: whole, delay_typing: whole })
  refused('send.sendPoll', { question: 'q', options: ['a', 'b'], poll_max_options: '1' }, { poll_max_options: whole })
  refused('send.deleteMessage', { message_id: 'x', owner: 'true', delay_message: '' }, { delay_message: whole })
  refused('send.sendText', { message: 'm', delay_message: null }, { delay_message: 'must not be null' })
})

test('a reaction is one emoji, of whatever parts, and nothing that only begins with one', () => {
  const react = (reaction: string) => ({ message_id: 'x', reaction })
  const good =
    '👍 👍🏽 ❤ ❤️ ❤️‍🔥 👨‍👩‍👧‍👦 👩🏽‍❤️‍💋‍👨🏿 🏳️‍🌈 🏴‍☠️ 🧑🏻‍🦰 🏃🏾‍♀️‍➡️ 👁️‍🗨️ 🇧🇷 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} 1️⃣ #⃣ © ☝🏽 \u{1fae9}'
  for (const emoji of good.split(' ')) assert.equal(taken('send.sendReaction', react(emoji)).reaction, emoji)
  const zalgo = `😀${'\u0301'.repeat(60)}`
  for (const other of [
    '👍👍',
    '👍 ',
    ' 👍',
    'a',
    '1',
    '#',
    '🇧',
    '🇧🇷🇧',
    'e\u20e3',
    '\u20e3',
    '\u200d👍',
    '👍\u200d',
    '🏽',
    '\ufe0f',
    zalgo,
  ])
    refused('send.sendReaction', react(other), { reaction: 'must be one emoji' })
})

test('a coordinate may be text, as programs write numbers', () => {
  const place = (latitude: unknown) => ({ title: 't', address: 'a', longitude: 0, latitude })
  for (const [written, read] of [
    ['-23.5645', -23.5645],
    [' 12.5 ', 12.5],
    ['1e-7', 1e-7],
    ['-.5', -0.5],
    ['90', 90],
  ] as const)
    assert.equal(taken('send.sendLocation', place(written)).latitude, read)
  for (const wrong of ['12,5', '', ' ', '0x10', 'NaN', 'Infinity', '1e', '.', '12 5', true, [], '१२'])
    refused('send.sendLocation', place(wrong), { latitude: 'must be a number' })
  for (const far of ['91', '1e300', '1e999']) assert.ok('issues' in ask('send.sendLocation', place(far)), far)
})

test('true and false of a query are known in any case, and by nothing else', () => {
  for (const [written, read] of [
    ['true', true],
    ['False', false],
    ['TRUE', true],
  ] as const)
    assert.equal(taken('send.deleteMessage', { message_id: 'x', owner: written }).owner, read)
  for (const owner of ['1', '', 'yes', 'true '])
    refused('send.deleteMessage', { message_id: 'x', owner }, { owner: 'must be true or false' })
})
