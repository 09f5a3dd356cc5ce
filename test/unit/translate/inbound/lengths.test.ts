/**
 * Tests long texts: each field of a valid message or stanza in turn gets 3,000 characters. In the event, an id may have
 * at most 128 characters, and a name at most 256.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BinaryNode, proto } from '@whiskeysockets/baileys'
import { groupNotices } from '../../../../workers/shard/translate/inbound/group-notice.ts'
import { receivedEvent, translatedEvent } from '../../../../workers/shard/translate/inbound/message.ts'
import { mexNotices, newsletterNotices } from '../../../../workers/shard/translate/inbound/newsletter-notice.ts'
import { ANA, ANA_LID, testContext } from './context.ts'
import { SPECIMENS } from './specimens.ts'
import { STANZAS } from './stanzas.ts'

const LENGTH = 3_000
const MAX_ID = 128
const MAX_NAME = 256
/** Maximum length of a text that is neither an id nor a name. It is that of the text of a message. */
const LONG_TEXTS = 65_536
/**
 * Limits of single fields that differ from these. A user of this API may send ids of buttons and options with 256
 * characters, and an answer to the message must contain them completely.
 */
const NAMED: Readonly<Record<string, number>> = {
  ctwa_clid: 1_024,
  button_id: 256,
  selected_row_id: 256,
  'buttons.buttons[].id': 256,
  'list.sections[].options[].id': 256,
  notification_parameters: 1_024,
}

const GROUP = '120363019502650977@g.us'

/**
 * Returns two long values. For an address, the first one is a valid address, because invalid ones are not reported.
 */
function lengthened(value: string): string[] {
  const [, server] = /@([a-z.]+)$/.exec(value) ?? []
  return server ? [`${'9'.repeat(LENGTH)}@${server}`, 'x'.repeat(LENGTH)] : ['x'.repeat(LENGTH), '9'.repeat(LENGTH)]
}

/** Yields copies of the value, in each of which one text is longer. Texts inside of JSON are lengthened, too. */
function* variants(value: unknown): Generator<unknown> {
  if (typeof value === 'string') {
    yield* lengthened(value)
    if (/^[{[]/.test(value)) for (const inner of variants(JSON.parse(value))) yield JSON.stringify(inner)
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) for (const other of variants(item)) yield value.with(at, other)
  } else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
    for (const [field, inner] of Object.entries(value)) for (const other of variants(inner)) yield { ...value, [field]: other }
  }
}

const isId = (field: string) => /(^|_)(id|ids|phone|phones|lid|lids|participant|mentions|clid)$/.test(field)
const isName = (field: string) => /(^|_)name$/.test(field)

/**
 * Returns the path and the length of each text that is longer than permitted. Adds to `met` the path of each text that
 * is longer than half of the longest id and has a limit below `LONG_TEXTS`.
 */
function tooLong(body: unknown, met: Set<string>, path = '', field = ''): string[] {
  if (typeof body === 'string') {
    const max = NAMED[path] ?? NAMED[field] ?? (isId(field) ? MAX_ID : isName(field) ? MAX_NAME : LONG_TEXTS)
    if (body.length > MAX_ID / 2 && max < LONG_TEXTS) met.add(path)
    return body.length > max ? [`${path} has ${body.length}`] : []
  }
  if (Array.isArray(body)) return body.flatMap((item) => tooLong(item, met, `${path}[]`, field))
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([name, inner]) => tooLong(inner, met, path ? `${path}.${name}` : name, name))
}

test('ids, reference ids and names of messages are cut, whatever kind they are of', async (t) => {
  const met = new Set<string>()
  const wrong = new Set<string>()
  const base = { remoteJid: GROUP, id: '3EB0FROM', participant: ANA, fromMe: false }
  async function translate(content: unknown, key: Record<string, unknown> = base, pushName = 'Ana') {
    const message = proto.Message.fromObject(content as Record<string, unknown>)
    const context = testContext()
    const event = await receivedEvent(context, { key, message, messageTimestamp: 1_767_225_600, pushName })
    if (event) for (const each of tooLong(event.body, met)) wrong.add(`${each} (${event.body.message_type})`)
  }
  for (const specimen of SPECIMENS) {
    for (const content of variants(specimen)) await translate(content)
    for (const key of variants(base)) await translate(specimen, key as Record<string, unknown>)
    await translate(specimen, base, 'x'.repeat(LENGTH))
  }
  assert.deepEqual([...wrong], [])
  t.diagnostic([...met].sort().join(', '))
  for (const reached of [
    'message_id',
    'reference_message_id',
    'sender_name',
    'participant_phone',
    'reaction.referenced_message.message_id',
  ])
    assert.ok(met.has(reached), `no long ${reached} was met`)
  assert.ok(met.size > 30, `${met.size} fields`)
})

test('so are those of notices', async (t) => {
  const met = new Set<string>()
  const wrong = new Set<string>()

  function* nodes(node: BinaryNode): Generator<BinaryNode> {
    for (const attrs of variants(node.attrs)) yield { ...node, attrs: attrs as BinaryNode['attrs'] }
    const { content } = node
    if (Array.isArray(content))
      for (const [at, child] of content.entries())
        for (const other of nodes(child)) yield { ...node, content: content.with(at, other) }
    else if (content instanceof Uint8Array)
      for (const text of variants(Buffer.from(content).toString())) yield { ...node, content: Buffer.from(text as string) }
  }

  for (const stanza of STANZAS)
    for (const node of nodes(stanza)) {
      const context = testContext()
      const translated = [
        ...(await groupNotices(node, context)),
        ...(await newsletterNotices(node, context)).map((notice) => notice.translated),
        ...(await mexNotices(node, context)).map((notice) => notice.translated),
      ]
      const key = { remoteJid: GROUP, id: 'x', participant: ANA_LID, fromMe: false }
      for (const each of translated) {
        const event = await translatedEvent(context, { key, messageTimestamp: 1_767_225_600 }, each)
        for (const long of tooLong(event.body, met)) wrong.add(`${long} (${node.attrs.type})`)
      }
    }
  assert.deepEqual([...wrong], [])
  t.diagnostic([...met].sort().join(', '))
  assert.deepEqual(
    ['notification_parameters[]', 'reaction.referenced_message.message_id'].filter((path) => !met.has(path)),
    [],
  )
})
