/**
 * Makes thousands of hostile protobuf messages from valid ones, with a fixed seed. The translation must never throw,
 * and must never report anything from another chat.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { z } from 'zod'
import { webhookPayloads } from '../../../../src/features/webhook-payloads.ts'
import { createRecent } from '../../../../workers/shard/messages/recent.ts'
import { unwrap } from '../../../../workers/shard/translate/inbound/content.ts'
import { receivedEvent } from '../../../../workers/shard/translate/inbound/message.ts'
import { amount } from '../../../harness/amount.ts'
import { ANA, ANA_LID, ME, testContext } from './context.ts'
import { randomOf } from './random.ts'
import { SPECIMENS } from './specimens.ts'

const ROUNDS = amount(20_000, 5_000)
const SEED = 0x5eed

const { type: _, event_id, instance_id, momment, single_url, ...shape } = webhookPayloads.received.shape
const strict = z.strictObject(shape)
/**
 * Text of messages in another chat. These messages have the id to which the generated messages refer, so no event may
 * contain this text.
 */
const MARK = 'not for this chat'
const ELSEWHERE = '5511977776666@s.whatsapp.net'
const SECRETS: proto.IMessage[] = [
  { imageMessage: { mimetype: MARK, caption: MARK, directPath: '/v/1', mediaKey: Buffer.alloc(32, 1) } },
  { listMessage: { title: MARK, sections: [{ title: MARK, rows: [{ rowId: 'r', title: MARK, description: MARK }] }] } },
  {
    pollCreationMessage: { name: MARK, options: [{ optionName: MARK }] },
    messageContextInfo: { messageSecret: Buffer.alloc(32, 9) },
  },
]
const CHATS = [ANA, ANA_LID, '120363019502650977@g.us', 'status@broadcast', '120363166555745933@newsletter', '1234@broadcast']

test(`${ROUNDS} mutated messages end as an event as declared, as nothing, or as bytes that are no message`, async () => {
  const random = randomOf(SEED)
  const good = SPECIMENS.map((message) => Buffer.from(proto.Message.encode(proto.Message.fromObject(message)).finish()))
  const pick = () => good[random(good.length)]!

  function mutated(): Buffer {
    let bytes = Buffer.from(pick())
    for (let changes = 1 + random(4); changes > 0; changes--) {
      const at = random(Math.max(1, bytes.length))
      switch (random(5)) {
        case 0:
          if (bytes.length > 0) bytes[at] = random(256)
          break
        case 1:
          bytes = bytes.subarray(0, at)
          break
        case 2:
          bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([random(256)]), bytes.subarray(at)])
          break
        case 3: {
          const other = pick()
          bytes = Buffer.concat([bytes.subarray(0, at), other.subarray(random(Math.max(1, other.length)))])
          break
        }
        default:
          bytes = Buffer.concat([bytes, pick()])
      }
      bytes = Buffer.from(bytes)
    }
    return bytes
  }

  const EXTREMES: readonly unknown[] = [
    0,
    -1,
    1,
    2 ** 31 - 1,
    Number.MAX_SAFE_INTEGER,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e300,
  ]
  const TEXTS = ['', 'x', '\u0000', '\ud83d', 'é'.repeat(70_000), '{"id":{"a":1}}', '[1,2', '@', 'a@lid', '1@g.us', '-5']

  /** Returns a hostile value of the same type, as an unknown sender could put it into this field. */
  function spoilt(value: unknown): unknown {
    if (random(6) === 0) return null
    if (typeof value === 'string') return TEXTS[random(TEXTS.length)]
    if (typeof value === 'number') return EXTREMES[random(EXTREMES.length)]
    if (typeof value === 'boolean') return !value
    if (value instanceof Uint8Array) return Buffer.alloc(random(70), random(256))
    if (Array.isArray(value)) return random(3) === 0 ? [] : Array.from({ length: random(300) }, () => value[random(value.length)])
    return {}
  }

  function spoil(value: object) {
    const fields = value as Record<string, unknown>
    for (const [name, inner] of Object.entries(fields)) {
      // A list in a protobuf cannot contain null, so its entries are never replaced by null.
      if (random(4) === 0) fields[name] = spoilt(inner) ?? (Array.isArray(value) ? inner : null)
      else if (typeof inner === 'object' && inner !== null && !(inner instanceof Uint8Array)) spoil(inner)
    }
  }

  function rewritten(): Buffer {
    const object = structuredClone(SPECIMENS[random(SPECIMENS.length)]!)
    const [field] = Object.keys(object)
    const content = object[field!]
    if (typeof content === 'object' && content !== null) spoil(content)
    else object[field!] = spoilt(content)
    const around =
      random(3) === 0 ? { viewOnceMessage: { message: object } } : { ...SPECIMENS[random(SPECIMENS.length)], ...object }
    return Buffer.from(proto.Message.encode(proto.Message.fromObject(random(2) === 0 ? object : around)).finish())
  }

  const counts: Record<string, number> = {}
  for (let round = 0; round < ROUNDS; round++) {
    const bytes = random(2) === 0 ? mutated() : rewritten()
    let message: proto.IMessage
    try {
      message = proto.Message.decode(bytes)
    } catch {
      counts['no message'] = (counts['no message'] ?? 0) + 1
      continue
    }
    const context = testContext()
    const chat = CHATS[random(CHATS.length)]!
    const fromMe = random(4) === 0
    const isPlural = !chat.endsWith('@lid') && !chat.endsWith('@s.whatsapp.net')
    const key = { remoteJid: chat, id: `3EB0${round}`, fromMe, ...(isPlural ? { participant: fromMe ? ME : ANA } : {}) }
    const recent = createRecent()
    recent.add({ key: { remoteJid: ELSEWHERE, id: '3EB0', fromMe: false }, message: SECRETS[random(SECRETS.length)]! })
    recent.add({
      key: { remoteJid: chat, id: '3EB0', fromMe: true },
      message: SPECIMENS[random(SPECIMENS.length)] as proto.IMessage,
    })
    const original: typeof context.original = async (id, about) => {
      const found = recent.spokenOf(id, about)
      return found ? { key: found.key, message: found.message ?? {} } : null
    }
    const event = await receivedEvent(
      { ...context, original },
      { key, message, messageTimestamp: 1_767_225_600, pushName: 'Ana' },
    )
    const outcome = event ? String(event.body.message_type) : 'nothing'
    counts[outcome] = (counts[outcome] ?? 0) + 1
    if (!event) continue
    assert.ok(!JSON.stringify(event.body).includes(MARK), `round ${round} tells of another chat: ${JSON.stringify(event.body)}`)
    const result = strict.safeParse(JSON.parse(JSON.stringify(event.body)))
    assert.ok(
      result.success,
      `round ${round}, ${unwrap(message)?.field}: ${JSON.stringify(result.error?.issues)} of ${JSON.stringify(event.body)}`,
    )
  }
  assert.ok(counts['no message']! < ROUNDS / 2)
  assert.equal(
    Object.values(counts).reduce((sum, count) => sum + count, 0),
    ROUNDS,
  )
  assert.ok(Object.keys(counts).length > 25, `only ${Object.keys(counts).join(', ')} came of it`)
})
