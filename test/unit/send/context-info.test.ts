import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GroupMetadata, proto } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import type { UserIdentifier } from '../../../src/domain/ids.ts'
import { attach, surroundings } from '../../../workers/shard/send/context-info.ts'
import type { Destination } from '../../../workers/shard/send/destination.ts'
import { ANA, ANA_LID, BIA, BIA_LID, ME, playedNetwork, received, TEAM } from './network.ts'

const group = (addressingMode: 'lid' | 'pn', more: Partial<GroupMetadata> = {}): Destination => ({
  jid: TEAM,
  kind: 'group',
  other: null,
  group: {
    id: TEAM,
    addressingMode,
    participants: [
      { id: addressingMode === 'lid' ? ANA_LID : ANA, lid: ANA_LID, phoneNumber: ANA },
      { id: addressingMode === 'lid' ? BIA_LID : BIA, lid: BIA_LID, phoneNumber: BIA },
    ],
    ...more,
  } as GroupMetadata,
})
const withAna: Destination = { jid: ANA_LID, kind: 'user', other: ANA, group: null }
const phone = (digits: string): UserIdentifier => ({ kind: 'user', space: 'phone', digits })

test('a mention is what the group calls the person, in the list and in the text', async () => {
  const { context } = playedNetwork()
  const mentions = [phone('5511988880001')]
  const byLid = await surroundings(context, group('lid'), { mentions }, 'hi @5511988880001 and @123')
  assert.deepEqual([byLid.text, byLid.info.mentionedJid], ['hi @200000000000001 and @123', [ANA_LID]])
  const byNumber = await surroundings(context, group('pn'), { mentions }, 'hi @5511988880001')
  assert.deepEqual([byNumber.text, byNumber.info.mentionedJid], ['hi @5511988880001', [ANA]])
})

// All names must be replaced in one step. Otherwise a later replacement could change a text that an earlier one
// inserted.
test('the name of one may be the number of another', async () => {
  const { context, meet } = playedNetwork()
  meet('111@s.whatsapp.net', '222@lid')
  meet('222@s.whatsapp.net', '333@lid')
  const { text } = await surroundings(context, group('lid'), { mentions: [phone('111'), phone('222')] }, '@111 @222')
  assert.equal(text, '@222 @333')
})

test('everybody is every member once, and marked as everybody', async () => {
  const { context } = playedNetwork()
  const { info } = await surroundings(context, group('lid'), { mention_all: true, mentions: [phone('5511988880001')] })
  assert.deepEqual([info.mentionedJid, info.nonJidMentions], [[ANA_LID, BIA_LID], 1])
  const { info: alone } = await surroundings(context, withAna, { mention_all: true })
  assert.deepEqual(alone, {})
})

test('an own message is quoted by the name the group has for us', async () => {
  const { context } = playedNetwork()
  context.messages.add(received('Q', { remoteJid: TEAM, fromMe: true }, 'before'))
  for (const [mode, name] of [
    ['lid', ME.lid.replace(':3', '')],
    ['pn', ME.id.replace(':3', '')],
  ] as const) {
    const { info } = await surroundings(context, group(mode), { reply_to_message_id: 'Q' })
    assert.deepEqual([info.stanzaId, info.participant], ['Q', name])
    assert.equal(info.quotedMessage?.conversation, 'before')
  }
})

test('a quote of a quote is not carried on', async () => {
  const { context } = playedNetwork()
  const inner = { text: 'answer', contextInfo: { stanzaId: 'OLD', quotedMessage: { conversation: 'old' } } }
  context.messages.add({ ...received('Q', { remoteJid: TEAM, participant: ANA_LID }), message: { extendedTextMessage: inner } })
  const { info } = await surroundings(context, group('lid'), { reply_to_message_id: 'Q' })
  assert.equal(info.quotedMessage?.extendedTextMessage?.text, 'answer')
  assert.equal(info.quotedMessage?.extendedTextMessage?.contextInfo ?? null, null)
  // The original message in memory must not be changed.
  assert.ok((await context.messages.get('Q', () => true))?.message?.extendedTextMessage?.contextInfo)
})

test('a message of another chat cannot be quoted here; one of this chat can, by either name of the person', async () => {
  const { context } = playedNetwork()
  context.messages.add(received('THERE', { remoteJid: BIA_LID }))
  context.messages.add(received('HERE', { remoteJid: ANA }))
  await assert.rejects(
    surroundings(context, withAna, { reply_to_message_id: 'THERE' }),
    (error) => error instanceof Failure && error.code === 'message_not_found',
  )
  assert.equal((await surroundings(context, withAna, { reply_to_message_id: 'HERE' })).info.participant, ANA)
})

test('what disappears in a group says so, and in a chat of two what is known of the chat', async () => {
  const { context } = playedNetwork()
  assert.equal((await surroundings(context, group('lid', { ephemeralDuration: 86_400 }), {})).info.expiration, 86_400)
  const known = { ...context, disappearing: { of: async () => ({ expiration: 604_800 }) } }
  assert.equal((await surroundings(known, withAna, {})).info.expiration, 604_800)
})

test('it is put on the content itself, within whatever wraps it, beside what stands there', () => {
  const wrapped: proto.IMessage = {
    viewOnceMessageV2: { message: { imageMessage: { caption: 'x', contextInfo: { isForwarded: true } } } },
  }
  attach(wrapped, { stanzaId: 'Q' })
  assert.deepEqual(wrapped.viewOnceMessageV2?.message?.imageMessage?.contextInfo, { isForwarded: true, stanzaId: 'Q' })
  const plain: proto.IMessage = { pollCreationMessageV3: { name: 'q' } }
  attach(plain, {})
  assert.ok(!('contextInfo' in plain.pollCreationMessageV3!), 'nothing for nothing')
})
