import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { receivedEvent } from '../../../../workers/shard/translate/inbound/message.ts'
import { ANA, ME, testContext } from './context.ts'
import { SPECIMENS } from './specimens.ts'

const GROUP = '120363019502650977@g.us'
/** Messages that contain addresses of people, in addition to those in `specimens.ts`. */
const NAMING: Record<string, unknown>[] = [
  { orderMessage: { orderId: '1', sellerJid: '5511977770001:3@s.whatsapp.net' } },
  { reactionMessage: { key: { id: '3EB0', fromMe: false, remoteJid: GROUP, participant: ANA }, text: '👍' } },
  { extendedTextMessage: { text: 'Nice', contextInfo: { stanzaId: '3EB0', remoteJid: 'status@broadcast', participant: ME } } },
]

const inOldForm = (value: unknown): unknown =>
  typeof value === 'string'
    ? value.replaceAll('@s.whatsapp.net', '@c.us')
    : Array.isArray(value)
      ? value.map(inOldForm)
      : typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
        ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inOldForm(inner)]))
        : value

async function told(content: unknown, remoteJid: string, paymentInfo: proto.IPaymentInfo | null) {
  const message = proto.Message.fromObject(content as Record<string, unknown>)
  const key = { id: '3EB0A', fromMe: false, remoteJid, ...(remoteJid === GROUP ? { participant: ANA } : {}) }
  return (await receivedEvent(testContext(), { key, message, paymentInfo }))?.body
}

test('a person written with the old suffix is told like any other, wherever the content names one', async () => {
  const names = new Set<string>()
  for (const specimen of [...SPECIMENS, ...NAMING])
    for (const chat of [ANA, GROUP]) {
      const paid = { receiverJid: '5511900001111@s.whatsapp.net' }
      const now = await told(specimen, chat, paid)
      const old = await told(inOldForm(specimen), chat, inOldForm(paid) as typeof paid)
      assert.deepEqual(old, now)
      assert.doesNotMatch(JSON.stringify(old ?? null), /c\.us/)
      if (JSON.stringify(specimen).includes('@s.whatsapp.net')) names.add(Object.keys(specimen)[0]!)
    }
  assert.ok(names.size >= 8, `only ${[...names]} named somebody`)
})
