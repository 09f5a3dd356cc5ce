import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { receivedEvent } from '../../../../workers/shard/translate/inbound/message.ts'
import { blockOf } from '../../../harness/received-event.ts'
import { ANA, testContext } from './context.ts'

async function told(submessages: proto.IAIRichResponseSubMessage[], contextInfo?: proto.IContextInfo) {
  const message = proto.Message.fromObject({
    botForwardedMessage: { message: { richResponseMessage: { submessages, ...(contextInfo ? { contextInfo } : {}) } } },
  })
  const event = await receivedEvent(testContext(), { key: { id: 'A', remoteJid: ANA, fromMe: false }, message })
  assert.ok(event)
  return event.body
}

test('the parts of a rich answer that are text are told as one text, in their order', async () => {
  const body = await told(
    [
      { messageType: 2, messageText: 'Here is how:' },
      { messageType: 1, gridImageMetadata: { imageUrls: [{ sourceUrl: 'https://x.example' }] } },
      { messageType: 5, codeMetadata: { codeLanguage: 'js', codeBlocks: [{ codeContent: 'let a = ' }, { codeContent: '1' }] } },
      {
        messageType: 4,
        tableMetadata: { title: 'Prices', rows: [{ items: ['Mug', '10'], isHeading: false }, { items: ['Cup', '8'] }] },
      },
      { messageType: 8, latexMetadata: { text: 'a^2' } },
      { messageType: 3, imageMetadata: { imageText: 'A mug' } },
    ],
    { stanzaId: '3EB0ASKED', isForwarded: true },
  )
  const message = 'Here is how:\n\nlet a = 1\n\nPrices\nMug | 10\nCup | 8\n\na^2\n\nA mug'
  assert.deepEqual(blockOf(body, 'text'), { message, title: null, description: null, url: null })
  assert.equal(body.reference_message_id, '3EB0ASKED')
  assert.equal(body.forwarded, true)
})

test('a rich answer without text is unsupported, and a long one is cut', async () => {
  const pictures = await told([{ messageType: 1, gridImageMetadata: {} }])
  assert.deepEqual(blockOf(pictures, 'unsupported'), { proto_type: 'richResponseMessage' })
  const long = await told(Array.from({ length: 10 }, () => ({ messageType: 2, messageText: 'x'.repeat(10_000) })))
  assert.equal(blockOf(long, 'text').message.length, 65_536)
})
