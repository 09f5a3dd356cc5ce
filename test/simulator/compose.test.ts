import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { decryptEventResponse, decryptPollVote, getMediaKeys, proto } from '@whiskeysockets/baileys'
import { type ComposeContext, compose, describe, openMedia, unsealAbout } from '../../packages/sandbox/src/testing.ts'

const ANNA = '491700000001@s.whatsapp.net'
const BEN = '491700000002@s.whatsapp.net'
const GROUP = '120363000000000001@g.us'

function contextOf(known: { id: string; author: string; message: proto.IMessage }[] = [], chat = BEN) {
  const uploads: Buffer[] = []
  const context: ComposeContext = {
    chat,
    self: ANNA,
    find: (id) => known.find((message) => message.id === id),
    jid: (person) => (person.includes('@') ? person : `${person}@s.whatsapp.net`),
    upload: async (blob) => {
      uploads.push(Buffer.from(blob))
      return { url: 'https://127.0.0.1:1/v/x', directPath: '/v/x' }
    },
    now: () => 1_700_000_000_000,
  }
  return { context, uploads }
}

/** Returns the message as its recipient receives it: encoded to the wire format and decoded again. */
const sent = (message: proto.IMessage) => proto.Message.decode(proto.Message.encode(message).finish())
const send = async (input: Record<string, unknown>, context = contextOf().context) =>
  sent((await compose(input, context)).message)

test('a text is a conversation with a secret of its own', async () => {
  const message = await send({ text: 'hello' })
  assert.equal(message.conversation, 'hello')
  assert.equal(message.messageContextInfo?.messageSecret?.length, 32)
  assert.deepEqual(describe(message), { kind: 'text', text: 'hello', media: null })
})

test('a quote, mentions, an ad and an expiry make an extended text', async () => {
  const { context } = contextOf([{ id: 'Q1', author: BEN, message: { conversation: 'before' } }])
  const message = await send(
    {
      text: 'hi @491700000009',
      quote: 'Q1',
      mentions: ['491700000009'],
      ad: { title: 'Promo', media_type: 'image', source_id: '9', ctwa_clid: 'C' },
      ephemeral_seconds: 86_400,
    },
    context,
  )
  const info = message.extendedTextMessage?.contextInfo
  assert.equal(message.extendedTextMessage?.text, 'hi @491700000009')
  assert.equal(info?.stanzaId, 'Q1')
  assert.equal(info?.participant, BEN)
  assert.equal(info?.quotedMessage?.conversation, 'before')
  assert.deepEqual(info?.mentionedJid, ['491700000009@s.whatsapp.net'])
  assert.equal(info?.expiration, 86_400)
  assert.equal(info?.externalAdReply?.title, 'Promo')
  assert.equal(info?.externalAdReply?.mediaType, proto.ContextInfo.ExternalAdReplyInfo.MediaType.IMAGE)
  assert.equal(info?.externalAdReply?.ctwaClid, 'C')
})

test('a reaction names the message from the point of view of who reacts', async () => {
  const known = [
    { id: 'M1', author: BEN, message: { conversation: 'x' } },
    { id: 'M2', author: ANNA, message: { conversation: 'y' } },
  ]
  const { context } = contextOf(known)
  const toBen = (await send({ reaction: { message_id: 'M1', emoji: '👍' } }, context)).reactionMessage
  assert.deepEqual([toBen?.text, toBen?.key?.remoteJid, toBen?.key?.fromMe, toBen?.key?.id], ['👍', BEN, false, 'M1'])
  assert.equal((await send({ reaction: { message_id: 'M2', emoji: '' } }, context)).reactionMessage?.key?.fromMe, true)
  const inGroup = (await send({ reaction: { message_id: 'M1', emoji: '👍' } }, contextOf(known, GROUP).context)).reactionMessage
  assert.deepEqual([inGroup?.key?.remoteJid, inGroup?.key?.participant], [GROUP, BEN])
})

test('an edit carries the new text, in the open or sealed with the original secret', async () => {
  const original = await send({ text: 'first' })
  const { context } = contextOf([{ id: 'M1', author: ANNA, message: original }])
  const open = await compose({ edit: { message_id: 'M1', text: 'second' } }, context)
  assert.equal(open.edit, '1')
  assert.equal(open.message.protocolMessage?.editedMessage?.conversation, 'second')
  assert.deepEqual(describe(sent(open.message)), { kind: 'edit', text: 'second', media: null })

  const sealed = (await send({ edit: { message_id: 'M1', text: 'third', encrypted: true } }, context)).secretEncryptedMessage
  const about = { secret: original.messageContextInfo!.messageSecret!, messageId: 'M1', author: ANNA, sender: ANNA }
  const inner = proto.Message.decode(unsealAbout(about, 'Message Edit', sealed!.encPayload!, sealed!.encIv!))
  assert.equal(inner.protocolMessage?.editedMessage?.conversation, 'third')
})

test('a revocation is marked as the author or as an admin makes it', async () => {
  const known = [
    { id: 'M1', author: ANNA, message: { conversation: 'mine' } },
    { id: 'M2', author: BEN, message: { conversation: 'his' } },
  ]
  const { context } = contextOf(known, GROUP)
  const own = await compose({ revoke: { message_id: 'M1' } }, context)
  assert.equal(own.edit, '7')
  assert.equal(own.message.protocolMessage?.type, proto.Message.ProtocolMessage.Type.REVOKE)
  assert.equal((await compose({ revoke: { message_id: 'M2' } }, context)).edit, '8')
})

test('media is uploaded encrypted and opens with the keys in the message', async () => {
  const { context, uploads } = contextOf()
  const plain = Buffer.from('not really a picture')
  const input = { image: plain.toString('base64'), mime: 'image/png', caption: 'look', width: 10, height: 20 }
  const { imageMessage: image } = await send(input, context)
  assert.deepEqual(
    [image?.mimetype, image?.caption, image?.directPath, Number(image?.fileLength)],
    ['image/png', 'look', '/v/x', plain.length],
  )
  assert.deepEqual(openMedia(uploads[0]!, 'image', image!.mediaKey!), plain)
  assert.deepEqual(Buffer.from(image!.fileEncSha256!), createHash('sha256').update(uploads[0]!).digest())
  const { iv, cipherKey } = await getMediaKeys(image!.mediaKey!, 'image')
  assert.deepEqual([iv.length, cipherKey!.length], [16, 32])
  assert.deepEqual(describe(sent({ imageMessage: image! })), {
    kind: 'image',
    text: 'look',
    media: { mime: 'image/png', bytes: plain.length, sha256: createHash('sha256').update(plain).digest('hex') },
  })
})

test('every kind of media has its own message', async () => {
  const base64 = Buffer.from('x').toString('base64')
  assert.ok((await send({ video: base64, gif: true })).videoMessage?.gifPlayback)
  assert.ok((await send({ audio: base64, ptt: true, seconds: 3 })).audioMessage?.ptt)
  assert.ok((await send({ sticker: base64 })).stickerMessage)
  assert.ok((await send({ ptv: base64 })).ptvMessage)
  assert.equal((await send({ document: base64, file_name: 'a.pdf' })).documentMessage?.fileName, 'a.pdf')
  assert.equal(
    (await send({ document: base64, caption: 'c' })).documentWithCaptionMessage?.message?.documentMessage?.caption,
    'c',
  )
  assert.ok((await send({ image: base64, view_once: true })).viewOnceMessageV2?.message?.imageMessage?.viewOnce)
  const { audioMessage } = await send({ audio: `data:audio/ogg; codecs=opus;base64,${base64}` })
  assert.equal(audioMessage?.mimetype, 'audio/ogg; codecs=opus')
})

test("a vote is what Baileys' own decryptPollVote reads", async () => {
  const poll = await send({ poll: { question: 'Lunch?', options: ['Soup', 'Salad'], max: 1 } })
  assert.equal(poll.pollCreationMessageV3?.options?.length, 2)
  const { context } = contextOf([{ id: 'P1', author: BEN, message: poll }])
  const { pollUpdateMessage } = await send({ poll_vote: { message_id: 'P1', options: ['Salad'] } }, context)
  const vote = decryptPollVote(pollUpdateMessage!.vote!, {
    pollCreatorJid: BEN,
    pollMsgId: 'P1',
    pollEncKey: poll.messageContextInfo!.messageSecret!,
    voterJid: ANNA,
  })
  assert.deepEqual(Buffer.from(vote.selectedOptions[0]!), createHash('sha256').update('Salad').digest())
  await assert.rejects(compose({ poll_vote: { message_id: 'P1', options: ['Pizza'] } }, context), {
    code: 'invalid_request',
    message: /Pizza/,
  })
})

test("an answer to an event is what Baileys' own decryptEventResponse reads", async () => {
  const event = await send({ event: { name: 'Party', start: '2030-01-01T20:00:00Z' } })
  assert.equal(Number(event.eventMessage?.startTime), 1_893_528_000)
  const { context } = contextOf([{ id: 'E1', author: BEN, message: event }])
  const { encEventResponseMessage } = await send({ event_response: { message_id: 'E1', response: 'maybe' } }, context)
  const response = decryptEventResponse(encEventResponseMessage!, {
    eventCreatorJid: BEN,
    eventMsgId: 'E1',
    eventEncKey: event.messageContextInfo!.messageSecret!,
    responderJid: ANNA,
  })
  assert.equal(response.response, proto.Message.EventResponseMessage.EventResponseType.MAYBE)
})

test('pressing a button answers in the form of the buttons shown', async () => {
  const native = {
    interactiveMessage: {
      nativeFlowMessage: {
        buttons: [
          { name: 'quick_reply', buttonParamsJson: JSON.stringify({ display_text: 'Yes', id: '1' }) },
          {
            name: 'single_select',
            buttonParamsJson: JSON.stringify({ title: 'Open', sections: [{ title: 'A', rows: [{ id: 'r1', title: 'Sales' }] }] }),
          },
        ],
      },
    },
  }
  const { context } = contextOf([{ id: 'B1', author: BEN, message: native }])
  const pressed = (await send({ button: { message_id: 'B1', id: '1' } }, context)).interactiveResponseMessage
  assert.equal(pressed?.body?.text, 'Yes')
  assert.deepEqual(JSON.parse(pressed?.nativeFlowResponseMessage?.paramsJson ?? ''), { id: '1' })
  assert.equal(pressed?.contextInfo?.stanzaId, 'B1')
  const row = (await send({ list_row: { message_id: 'B1', row_id: 'r1' } }, context)).interactiveResponseMessage
  assert.equal(JSON.parse(row?.nativeFlowResponseMessage?.paramsJson ?? '').id, 'r1')
  await assert.rejects(compose({ button: { message_id: 'B1', id: '2' } }, context), { code: 'invalid_request' })
})

test('cards, places and invitations are composed', async () => {
  const place = (await send({ location: { latitude: 1.5, longitude: -2, name: 'Here' } })).locationMessage
  assert.deepEqual([place?.degreesLatitude, place?.degreesLongitude, place?.name], [1.5, -2, 'Here'])
  assert.ok((await send({ live_location: { latitude: 1, longitude: 2 } })).liveLocationMessage)
  assert.match((await send({ contact: { name: 'Ann', phone: '+491' } })).contactMessage?.vcard ?? '', /waid=491:\+491/)
  assert.equal((await send({ contacts: [{ name: 'Ann', phones: ['1', '2'] }] })).contactsArrayMessage?.contacts?.length, 1)
  assert.equal(Number((await send({ order: { order_id: 'o', token: 't', total: 12.5 } })).orderMessage?.totalAmount1000), 12_500)
  assert.equal((await send({ product: { product_id: 'p', title: 'Cup', price: 3 } })).productMessage?.product?.title, 'Cup')
  assert.equal((await send({ group_invite: { group: GROUP, code: 'c' } })).groupInviteMessage?.inviteCode, 'c')
  const invite = await send({ newsletter_admin_invite: { newsletter: '1@newsletter' } })
  assert.equal(invite.newsletterAdminInviteMessage?.newsletterJid, '1@newsletter')
  const { context } = contextOf([{ id: 'M1', author: BEN, message: { conversation: 'x' } }])
  const pin = await compose({ pin: { message_id: 'M1', seconds: 86_400 } }, context)
  assert.equal(pin.edit, '2')
  assert.equal(sent(pin.message).messageContextInfo?.messageAddOnDurationInSecs, 86_400)
})

test('a protobuf is sent exactly as given', async () => {
  const composed = await compose({ proto: { reactionMessage: { key: { id: 'X' }, text: '!' } } }, contextOf().context)
  assert.equal(composed.type, 'reaction')
  assert.equal(composed.message.messageContextInfo ?? null, null)
})

test('what cannot be composed is refused with the field that is wrong', async () => {
  const { context } = contextOf()
  const refused = (input: Record<string, unknown>, message: RegExp) =>
    assert.rejects(compose(input, context), { code: 'invalid_request', message })
  await refused({}, /needs one of text/)
  await refused({ dance: true }, /got dance/)
  await refused({ text: 'a', location: { latitude: 1, longitude: 1 } }, /exclude each other/)
  await refused({ text: 'a', caption: 'b' }, /caption does not go with text/)
  await refused({ text: 5 }, /message.text/)
  await refused({ poll: { question: 'q', options: ['a', 7] } }, /message\.poll\.options\.1/)
  await refused({ image: 'not base64!' }, /message.image: must be base64/)
  await refused({ reaction: { message_id: 'nobody', emoji: 'x' } }, /nobody is not a message of this chat/)
  await refused({ text: 'a', quote: 'nobody' }, /nobody is not a message/)
})

test('describe looks into every envelope', () => {
  const inner = { conversation: 'deep' }
  const wrapped = { deviceSentMessage: { destinationJid: BEN, message: { ephemeralMessage: { message: inner } } } }
  assert.deepEqual(describe(wrapped), { kind: 'text', text: 'deep', media: null })
  assert.equal(describe({ messageContextInfo: {} }).kind, 'empty')
  assert.equal(describe({ callLogMesssage: {} }).kind, 'callLogMesssage')
})
