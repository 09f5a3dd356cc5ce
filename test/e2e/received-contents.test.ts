import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '../harness/until.ts'
import { ANA, BEN, BEN_LID, chatOf, content, ME, nothingOr, startStory } from './received/story.ts'

const story = await startStory({ webhooks: { notify_sent_by_me: true } })
after(() => story.world.stop())

const text = (message: string) => ({ message, title: null, description: null, url: null })

test('text: what surrounds it', async () => {
  const { message_id } = await story.fromAna({ text: 'One' }, { message_type: 'text', text: text('One') })
  await story.fromAna(
    { text: `Two @${BEN}`, quote: message_id, mentions: [BEN], ephemeral_seconds: 86_400, forwarded: true },
    {
      message_type: 'text',
      reference_message_id: message_id,
      mentions: [BEN],
      message_expiration_seconds: 86_400,
      forwarded: true,
      text: text(`Two @${BEN}`),
    },
  )
})

test('a message that started from an ad', async () => {
  const ad = {
    title: 'Promo',
    body: 'Only today',
    media_type: 'image',
    source_id: '23722824350495506',
    ctwa_clid: 'Aff-niaAw7V94N8L',
  }
  await story.fromAna(
    { text: 'I saw the ad', ad },
    {
      message_type: 'text',
      text: text('I saw the ad'),
      external_ad_reply: {
        title: 'Promo',
        body: 'Only today',
        media_type: 'image',
        thumbnail_url: null,
        source_type: 'ad',
        source_id: '23722824350495506',
        source_url: null,
        source_app: null,
        ctwa_clid: 'Aff-niaAw7V94N8L',
        ref: null,
        contains_auto_reply: false,
        render_larger_thumbnail: true,
        show_ad_attribution: true,
      },
    },
  )
})

test('a vote about a poll nobody remembers is unsupported, not a withdrawal', async () => {
  const sealed = { encPayload: Buffer.alloc(40, 1).toString('base64'), encIv: Buffer.alloc(12).toString('base64') }
  await story.fromAna(
    { proto: { pollUpdateMessage: { pollCreationMessageKey: { id: '3EB0UNKNOWN', fromMe: true }, vote: sealed } } },
    { message_type: 'unsupported', unsupported: { proto_type: 'pollUpdateMessage' } },
  )
})

for (const encrypted of [false, true]) {
  test(`an edit, ${encrypted ? 'sealed' : 'in the old form'}, comes under the id of the message it replaces`, async () => {
    const { message_id } = await story.fromAna({ text: 'Helo' }, { message_type: 'text', text: text('Helo') })
    const { id } = await story.world.sandbox.send(ANA, ME, { edit: { message_id, text: 'Hello, corrected', encrypted } })
    const event = await story.received(id)
    assert.deepEqual(
      content(event),
      story.full({
        message_id,
        is_edit: true,
        edit_message_id: id,
        message_type: 'text',
        text: text('Hello, corrected'),
      }),
    )
  })
}

// An earlier bug: the event about an edit contained the new content without the context of the message (such as its
// quote).
for (const encrypted of [false, true]) {
  test(`${encrypted ? 'a sealed' : 'an'} edit has mentions, quote, expiry and forwarding like a message with that content`, async () => {
    const { sandbox } = story.world
    const { message_id: quoted } = await story.fromAna({ text: 'first' }, { message_type: 'text', text: text('first') })
    const { message_id } = await story.fromAna({ text: 'Helo' }, { message_type: 'text', text: text('Helo') })
    const around = { quote: quoted, mentions: [BEN, ME], ephemeral_seconds: 86_400, forwarded: true }
    const expected = { mentions: [BEN, ME], reference_message_id: quoted, message_expiration_seconds: 86_400, forwarded: true }
    await story.fromAna({ text: 'Hello @Ben', ...around }, { ...expected, message_type: 'text', text: text('Hello @Ben') })
    const { id } = await sandbox.send(ANA, ME, { edit: { message_id, text: 'Hello @Ben', encrypted }, ...around })
    const ids = { message_id, is_edit: true, edit_message_id: id }
    assert.deepEqual(
      content(await story.received(id)),
      story.full({ ...expected, ...ids, message_type: 'text', text: text('Hello @Ben') }),
    )
  })
}

test('a sealed edit of a message nobody remembers is unsupported', async () => {
  const sealed = { encPayload: Buffer.alloc(40, 1).toString('base64'), encIv: Buffer.alloc(12).toString('base64') }
  await story.fromAna(
    { proto: { secretEncryptedMessage: { targetMessageKey: { id: '3EB0UNKNOWN', fromMe: true }, ...sealed, secretEncType: 2 } } },
    { message_type: 'unsupported', unsupported: { proto_type: 'secretEncryptedMessage' } },
  )
})

test('wrappers do not hide what they carry', async () => {
  await story.fromAna(
    { proto: { ephemeralMessage: { message: { groupMentionedMessage: { message: { conversation: 'inside' } } } } } },
    { message_type: 'text', text: text('inside') },
  )
})

test('wrappers of newer clients do not hide what they carry either', async () => {
  for (const wrapper of ['questionMessage', 'questionReplyMessage', 'statusAddYours', 'botTaskMessage'])
    await story.fromAna(
      { proto: { [wrapper]: { message: { conversation: wrapper } } } },
      { message_type: 'text', text: text(wrapper) },
    )
})

test('a rich answer of a bot is told by its text', async () => {
  const submessages = [
    { messageType: 2, messageText: 'Here is how:' },
    { messageType: 5, codeMetadata: { codeBlocks: [{ codeContent: 'npm start' }] } },
  ]
  await story.fromAna(
    { proto: { botForwardedMessage: { message: { richResponseMessage: { messageType: 1, submessages } } } } },
    { message_type: 'text', text: text('Here is how:\n\nnpm start') },
  )
})

test('a comment in an announcement group is opened, also when the service was restarted since the message', async () => {
  const { sandbox } = story.world
  const { announcement_id } = await sandbox.post<{ announcement_id: string }>('/communities', {
    owner: ANA,
    name: 'Everybody',
    participants: [BEN, ME],
  })
  const place = { phone: chatOf(announcement_id), chat_lid: null, chat_name: nothingOr('Everybody'), is_group: true }
  const announcement = await sandbox.send(ANA, announcement_id, { text: 'Tomorrow' })
  await story.received(announcement.id)
  const commented = async (message: object, expected: object) => {
    const { id } = await sandbox.send(BEN, announcement_id, message)
    const byBen = { sender_name: 'Ben', participant_phone: BEN, participant_lid: BEN_LID }
    story.compare(await story.received(id), { ...place, ...byBen, message_id: id, ...expected })
  }
  await commented(
    { comment: { message_id: announcement.id, text: `When, @${ANA}?` }, mentions: [ANA] },
    { message_type: 'text', comment_on_message_id: announcement.id, mentions: [ANA], text: text(`When, @${ANA}?`) },
  )
  await story.world.restartService()
  await commented(
    { comment: { message_id: announcement.id, text: 'And where?' } },
    { message_type: 'text', comment_on_message_id: announcement.id, text: text('And where?') },
  )
  const unknown = { encPayload: Buffer.alloc(40, 1).toString('base64'), encIv: Buffer.alloc(12).toString('base64') }
  await commented(
    { proto: { encCommentMessage: { targetMessageKey: { id: '3EB0UNKNOWN', fromMe: true }, ...unknown } } },
    { message_type: 'unsupported', unsupported: { proto_type: 'encCommentMessage' } },
  )
})

test('people written with the old suffix are told like any other', async () => {
  const contextInfo = { mentionedJid: [`${BEN}@c.us`, `${ME}:3@c.us`] }
  await story.fromAna(
    { proto: { extendedTextMessage: { text: 'Hello you two', contextInfo } } },
    { message_type: 'text', mentions: [BEN, ME], text: text('Hello you two') },
  )
  const { id } = await story.world.sandbox.send(ANA, ME, {
    proto: { productMessage: { businessOwnerJid: '5511900001111@c.us', product: { productId: '719', title: 'Mug' } } },
  })
  const { product } = (await story.received(id)) as { product: Record<string, unknown> }
  assert.equal(product.business_owner_phone, '5511900001111')
})

test('messages without anything for a person give no event', async () => {
  const silent = [
    { conversation: '' },
    { extendedTextMessage: { text: '' } },
    { messageHistoryNotice: { messageHistoryMetadata: { messageCount: 3 } } },
    { messageHistoryBundle: { mimetype: 'application/octet-stream', directPath: '/v/1' } },
    { stickerSyncRmrMessage: { filehash: ['x'], rmrSource: 'x' } },
  ]
  const { sandbox, receiver } = story.world
  const ids: unknown[] = []
  for (const proto of silent) ids.push((await sandbox.send(ANA, ME, { proto })).id)
  // The events of a chat are in order. So when the event of the last message has arrived, all others have arrived.
  await story.fromAna({ text: 'behind them' }, { message_type: 'text', text: text('behind them') })
  assert.deepEqual(
    receiver.events('received').filter(({ message_id }) => ids.includes(message_id)),
    [],
  )
  await until(sandbox.pending, (waiting) => waiting === 0)
})

test('what the phone itself wrote is reported once, without from_api', async () => {
  const { id } = await story.world.sandbox.sendFromPhone(ME, ANA, { text: 'from the phone' })
  const event = content(await story.received(id))
  assert.deepEqual(
    { ...event, sender_name: null },
    story.full({
      message_id: id,
      message_type: 'text',
      from_me: true,
      status: 'sent',
      sender_name: null,
      text: text('from the phone'),
    }),
  )
})

test('a chat that moves to LIDs stays the same chat: quotes, reactions, votes, sealed edits and event answers', async () => {
  const { sandbox } = story.world
  const before = await story.fromAna({ text: 'by number' }, { message_type: 'text', text: text('by number') })
  const poll = await sandbox.sendFromPhone(ME, ANA, { poll: { question: 'Which?', options: ['a', 'b'], max: 1 } })
  await story.received(poll.id)
  const planning = await sandbox.sendFromPhone(ME, ANA, { event: { name: 'Planning', start: '2026-03-02T14:00:00Z' } })
  await story.received(planning.id)
  await sandbox.settings({ addressing: 'lid' })
  await story.fromAna(
    { text: 'by LID', quote: before.message_id },
    { message_type: 'text', reference_message_id: before.message_id, text: text('by LID') },
  )
  const { id } = await sandbox.send(ANA, ME, { reaction: { message_id: poll.id, emoji: '👍' } })
  assert.deepEqual(((await story.received(id)).reaction as Record<string, unknown>).referenced_message, {
    message_id: poll.id,
    from_me: true,
    phone: ANA,
    participant: null,
  })
  await story.fromAna(
    { poll_vote: { message_id: poll.id, options: ['b'] } },
    { message_type: 'poll_vote', poll_vote: { poll_message_id: poll.id, options: ['b'], unknown_options: 0 } },
  )
  const answer = await sandbox.send(ANA, ME, { event_response: { message_id: planning.id, response: 'going' } })
  const response = (await story.received(answer.id)).event_response as Record<string, unknown>
  assert.equal(response.response, 'going')
  assert.equal(response.response_from, ANA)
  const edit = await sandbox.send(ANA, ME, { edit: { message_id: before.message_id, text: 'edited', encrypted: true } })
  const event = await story.received(edit.id)
  assert.equal(event.message_id, before.message_id)
  assert.equal((event.text as { message: string }).message, 'edited')
  await sandbox.settings({ addressing: 'pn' })
})
