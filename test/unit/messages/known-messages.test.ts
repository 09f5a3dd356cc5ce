import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { proto, WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import { createKnownMessages } from '../../../workers/shard/messages/known-messages.ts'
import { createRecent } from '../../../workers/shard/messages/recent.ts'
import { secretOf } from '../../../workers/shard/translate/inbound/secret.ts'

const ANA = '1@lid'
const anybody = () => true

function known() {
  const recent = createRecent()
  const messages = createKnownMessages({ recent, sent: { stored: async () => undefined, change: async () => {} } })
  return {
    messages,
    add(message: proto.IMessage, key: WAMessageKey = { remoteJid: ANA, id: 'M' }): WAMessage {
      const made = { key, message } as WAMessage
      messages.add(made)
      return made
    },
    of: async (id = 'M') => (await messages.get(id, anybody))?.message ?? {},
  }
}
const text = (written: string) => ({ extendedTextMessage: { text: written } })

// An earlier bug: if a message was edited twice with encrypted edits, the second one could not be decrypted.
test('an edited message keeps its secret, wherever it was', async () => {
  const { add, messages, of } = known()
  const messageSecret = Buffer.alloc(32, 7)
  const before = add({ ephemeralMessage: { message: { ...text('old'), messageContextInfo: { messageSecret } } } })
  await messages.edited(before, text('new'))
  const after = await of()
  assert.equal(after.extendedTextMessage?.text, 'new')
  assert.deepEqual(Buffer.from(secretOf(after) ?? []), messageSecret)
})

test('an edited message keeps quote and expiry, and has the mentions of the edit', async () => {
  const { add, messages, of } = known()
  const contextInfo = { stanzaId: 'Q', expiration: 86_400, mentionedJid: ['2@lid'] }
  const before = add({ extendedTextMessage: { text: 'old', contextInfo } })
  await messages.edited(before, { conversation: 'new' })
  const { text: written, contextInfo: info } = (await of()).extendedTextMessage ?? {}
  assert.deepEqual([written, info?.stanzaId, info?.expiration, info?.mentionedJid], ['new', 'Q', 86_400, []])
})

test('what is to be seen once stays so', async () => {
  const { add, messages, of } = known()
  const before = add({ viewOnceMessageV2: { message: { imageMessage: { caption: 'old' } } } })
  await messages.edited(before, { imageMessage: { caption: 'new' } })
  assert.equal((await of()).viewOnceMessageV2?.message?.imageMessage?.caption, 'new')
})

test('a message that is deleted while its edit, or its first answer, is under way stays deleted', async () => {
  const { add, messages, of } = known()
  const before = add(text('old'), { remoteJid: ANA, id: 'M', fromMe: true })
  await messages.deleted(before)
  await messages.edited(before, text('new'))
  messages.add(before)
  assert.ok((await of()).protocolMessage)
})
