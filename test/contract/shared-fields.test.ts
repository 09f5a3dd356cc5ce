/**
 * Tests the optional fields that all queued sends share. Each send must accept and check them, and its documentation
 * must name those that have no effect.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DAY, MINUTE } from '../../src/domain/clock.ts'
import { callOf } from '../../src/features/call.ts'
import type { Endpoint } from '../../src/features/endpoint.ts'
import { endpoints } from '../../src/features/index.ts'
import { parseInput } from '../../src/features/input.ts'
import { SHARED_FIELDS, type SharedField, WITHOUT_EFFECT } from '../../src/features/send/queued.ts'
import { openService } from './http/service.ts'

type Fields = Record<string, unknown>

const sends = endpoints.filter(({ kind }) => kind === 'send')
const exampleOf = ({ examples }: Endpoint): Fields => examples[0]?.input ?? {}
const said = ({ fields }: Endpoint, name: string) => (fields[name] as { description?: string }).description ?? ''
const hasEffect = (endpoint: Endpoint, name: SharedField) => !said(endpoint, name).startsWith(WITHOUT_EFFECT)

const WRONG: Record<SharedField, readonly [unknown, string, string][]> = {
  reply_to_message_id: [
    ['', 'reply_to_message_id', 'must not be empty'],
    ['x'.repeat(129), 'reply_to_message_id', 'must have at most 128 characters'],
  ],
  mentions: [
    [Array.from({ length: 501 }, () => '5511988887777'), 'mentions', 'must have at most 500 entries'],
    [['nobody'], 'mentions.0', 'must be a number of 5 to 20 digits or `<digits>@lid`'],
  ],
  mention_all: [['sometimes', 'mention_all', 'must be true or false']],
  delay_message: [
    [16, 'delay_message', 'must be at most 15'],
    [-1, 'delay_message', 'must be at least 0'],
  ],
  send_at: [
    [new Date(Date.now() + 30 * DAY + MINUTE).toISOString(), 'send_at', 'must be at most 30 days ahead'],
    ['2026-12-24T18:00:00', 'send_at', 'must be an ISO-8601 date and time with Z or an offset'],
    ['2026-02-30T18:00:00Z', 'send_at', 'must be an ISO-8601 date and time with Z or an offset'],
    ['tomorrow', 'send_at', 'must be an ISO-8601 date and time with Z or an offset'],
  ],
  delay_typing: [
    [16, 'delay_typing', 'must be at most 15'],
    ['soon', 'delay_typing', 'must be a whole number'],
  ],
}

const service = await openService()
const base = (await service.newInstance()).base
after(() => service.close())

function ask(endpoint: Endpoint, input: Fields) {
  service.time.now += 1_000
  const { extension, ...fields } = input
  const path =
    base + endpoint.path.slice(endpoint.path.indexOf('{token}') + '{token}'.length).replace('{extension}', `${extension}`)
  if (endpoint.method === 'POST') return service.ask('POST', path, fields)
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) for (const each of [value].flat()) query.append(name, String(each))
  return service.ask(endpoint.method, `${path}?${query}`)
}

test('every send declares all of them', () => {
  assert.ok(sends.length >= 39, `${sends.length} sends`)
  for (const { id, fields } of sends)
    assert.deepEqual(
      SHARED_FIELDS.filter((name) => !(name in fields)),
      [],
      id,
    )
})

for (const endpoint of sends)
  test(`${endpoint.id} refuses a wrong value of each, also of one without effect, by its name and its bound`, async () => {
    for (const [value, path, message] of Object.values(WRONG).flat()) {
      const name = path.split('.')[0]!
      const { status, body } = await ask(endpoint, { ...exampleOf(endpoint), [name]: value })
      assert.equal(status, 400, `${endpoint.id} ${name}`)
      const issues = body.error.details.issues as { path: string; message: string }[]
      assert.ok(
        issues.some((issue) => issue.path === path && issue.message === message),
        `${endpoint.id}: ${JSON.stringify(issues)} does not say ${path} ${message}`,
      )
    }
  })

const GIVEN = {
  reply_to_message_id: '3EB0',
  mention_all: true,
  delay_message: 3,
  delay_typing: 2,
  send_at: '2025-12-24T18:00:00.5+02:00',
}

test('what has no effect says so in a sentence, and never reaches the shard; everything else does', () => {
  for (const endpoint of sends) {
    const person = '5511977776666'
    const words = hasEffect(endpoint, 'mentions') ? { ...named(endpoint, person), mentions: [person] } : { mentions: [person] }
    const call = callOf(endpoint, parseInput(endpoint, { ...exampleOf(endpoint), ...GIVEN, ...words }))
    assert.ok(call.kind === 'send')
    const input = call.input as Fields
    const effect = (name: SharedField, value: unknown, neutral: unknown) =>
      assert.deepEqual(
        value,
        hasEffect(endpoint, name) ? ({ ...GIVEN, ...words } as Fields)[name] : neutral,
        `${endpoint.id} ${name}`,
      )
    effect('reply_to_message_id', input.reply_to_message_id, undefined)
    effect(
      'mentions',
      (input.mentions as { digits: string }[] | undefined)?.map(({ digits }) => digits),
      undefined,
    )
    effect('mention_all', input.mention_all, false)
    effect('delay_message', call.delayMessage, null)
    effect('delay_typing', call.delayTyping, 0)
    assert.equal(call.sendAt, Date.parse('2025-12-24T16:00:00.500Z'), endpoint.id)
    for (const name of SHARED_FIELDS)
      if (!hasEffect(endpoint, name)) assert.match(said(endpoint, name), /^No effect: [^.]+\.$/, `${endpoint.id} ${name}`)
  }
})

function named({ id, fields }: Endpoint, person: string): Fields {
  const text = ['message', 'question', 'caption'].find((name) => name in fields)
  assert.ok(text !== undefined || id === 'send.forwardMessage', `${id} has no text for its mentions`)
  return text === undefined ? {} : { [text]: `Hello @${person}` }
}

/** Shared fields without an effect, by operation. A new entry here would mean that an operation has lost a feature. */
const NOTHING: Record<string, readonly SharedField[]> = {
  ...Object.fromEntries(
    ['sendReaction', 'removeReaction', 'pinMessage', 'deleteMessage', 'sendPollVote', 'sendEventResponse'].map((name) => [
      `send.${name}`,
      ['reply_to_message_id', 'mentions', 'mention_all', 'delay_typing'],
    ]),
  ),
  ...Object.fromEntries(
    ['sendTextStatus', 'sendImageStatus', 'sendVideoStatus'].map((name) => [`send.${name}`, ['mention_all', 'delay_typing']]),
  ),
  'send.replyStatusText': ['reply_to_message_id'],
  'send.replyStatusGif': ['reply_to_message_id', 'mentions'],
  'send.replyStatusSticker': ['reply_to_message_id', 'mentions'],
  'send.sendEditEvent': ['reply_to_message_id', 'mentions'],
  ...Object.fromEntries(
    [
      ...['sendAudio', 'sendSticker', 'sendPtv', 'sendLocation', 'sendContact', 'sendContacts'],
      ...['sendButtonPix', 'sendProduct', 'sendEvent'],
    ].map((name) => [`send.${name}`, ['mentions']]),
  ),
}

test('no other send lacks any of them', () => {
  for (const endpoint of sends) {
    const without = SHARED_FIELDS.filter((name) => !hasEffect(endpoint, name))
    assert.deepEqual(without, NOTHING[endpoint.id] ?? [], endpoint.id)
  }
})

test('a deletion takes them in its query, people separated by commas or one by one', async () => {
  const deletion = sends.find(({ id }) => id === 'send.deleteMessage')!
  service.double.answer = () => ({ message_id: '3EB0EE97803A91FF2C0ED1', svc_id: '01JD3V8Q6ZP4M5T7X9K2B0C1DE' })
  for (const mentions of ['5511988887777,5511977776666', ['5511988887777', '5511977776666']]) {
    const { status, headers } = await ask(deletion, { ...exampleOf(deletion), ...GIVEN, mention_all: 'TRUE', mentions })
    assert.deepEqual([status, headers.get('X-Svc-Ignored-Fields')], [200, null])
  }
})
