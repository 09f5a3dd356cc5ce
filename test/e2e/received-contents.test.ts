/** Kinds of `received` that a person writes: the whole payload, as the receiver gets it. shared/api/webhook-payloads.md, 2.3. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ANA, BEN, BEN_LID, chatOf, content, ME, type Story, startStory } from './received/story.ts'

let story: Story
before(async () => {
  story = await startStory({ webhooks: { notify_sent_by_me: true } })
})
after(() => story.world.stop())

const text = (message: string) => ({ message, title: null, description: null, url: null })
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

test('text: plain, and with its card', async () => {
  await story.fromAna({ text: 'Hello' }, { message_type: 'text', text: text('Hello') })
  const extendedTextMessage = { text: 'See', title: 'Promo', description: 'Only today', matchedText: 'https://fb.me/x' }
  await story.fromAna(
    { proto: { extendedTextMessage } },
    { message_type: 'text', text: { message: 'See', title: 'Promo', description: 'Only today', url: 'https://fb.me/x' } },
  )
})

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

test('location and live location', async () => {
  const place = { latitude: -23.5645, longitude: -46.6527, name: 'Head office', address: 'Av. Paulista, 1000' }
  await story.fromAna({ location: place }, { message_type: 'location', location: { ...place, url: null } })
  await story.fromAna(
    { live_location: { latitude: 1.5, longitude: 2.5, accuracy_meters: 12, speed_mps: 0, sequence: 1_767_225_600_000_001 } },
    {
      message_type: 'live_location',
      live_location: {
        latitude: 1.5,
        longitude: 2.5,
        accuracy_meters: 12,
        speed_mps: 0,
        bearing_degrees: null,
        sequence: 1_767_225_600_000_001,
        caption: null,
      },
    },
  )
})

test('contact and contacts', async () => {
  const vcard = 'BEGIN:VCARD\nVERSION:3.0\nFN:Support\nTEL;type=CELL;waid=5511900002222:+55 11 90000-2222\nEND:VCARD'
  const contact = { display_name: 'Support', vcard, phones: ['5511900002222'] }
  await story.fromAna({ contact: { display_name: 'Support', vcard } }, { message_type: 'contact', contact })
  await story.fromAna(
    {
      contacts: [
        { display_name: 'Support', vcard },
        { display_name: 'Nobody', vcard: 'BEGIN:VCARD\nEND:VCARD' },
      ],
    },
    { message_type: 'contacts', contacts: [contact, { display_name: 'Nobody', vcard: 'BEGIN:VCARD\nEND:VCARD', phones: [] }] },
  )
})

test('reaction: to ours, to hers, and taken back', async () => {
  const ack = await story.world.gateway.sendText(story.instance, ANA, 'Ready')
  await story.world.sandbox.inbox(ANA, 0, 10_000)
  const { message_id } = await story.fromAna({ text: 'Mine' }, { message_type: 'text', text: text('Mine') })
  for (const [target, fromMe, emoji] of [
    [ack.message_id, true, '❤️'],
    [message_id, false, '👍'],
    [ack.message_id, true, ''],
  ] as const) {
    const { id } = await story.world.sandbox.send(ANA, ME, { reaction: { message_id: target, emoji } })
    const { reaction, ...rest } = content(await story.received(id))
    const { time, ...said } = reaction as Record<string, unknown>
    assert.match(String(time), isoTime)
    assert.deepEqual(said, {
      value: emoji,
      reaction_by: ANA,
      referenced_message: { message_id: target, from_me: fromMe, phone: ANA, participant: null },
    })
    assert.deepEqual(rest, story.full({ message_id: id, message_type: 'reaction' }))
  }
})

for (const addressing of ['lid', 'pn'] as const) {
  test(`poll, vote and event answer are opened in a group addressed by ${addressing}`, async () => {
    const { sandbox } = story.world
    const { id: group } = await sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, BEN, ME], addressing })
    const inGroup = {
      phone: chatOf(group),
      chat_lid: null,
      is_group: true,
      participant_phone: ANA,
      participant_lid: '81896604190001@lid',
    }
    const poll = await sandbox.send(ANA, group, { poll: { question: 'Which day?', options: ['Monday', 'Tuesday'], max: 1 } })
    const created = content(await story.received(poll.id))
    assert.deepEqual(
      { ...created, chat_name: null },
      story.full({
        ...inGroup,
        chat_name: null,
        message_id: poll.id,
        message_type: 'poll',
        poll: { question: 'Which day?', options: ['Monday', 'Tuesday'], poll_max_options: 1 },
      }),
    )
    for (const options of [['Tuesday'], []]) {
      const vote = await sandbox.send(BEN, group, { poll_vote: { message_id: poll.id, options } })
      const event = content(await story.received(vote.id))
      assert.deepEqual(
        { ...event, chat_name: null },
        story.full({
          ...inGroup,
          chat_name: null,
          sender_name: 'Ben',
          participant_phone: BEN,
          participant_lid: BEN_LID,
          message_id: vote.id,
          message_type: 'poll_vote',
          poll_vote: { poll_message_id: poll.id, options, unknown_options: 0 },
        }),
      )
    }
    const planning = await sandbox.send(ANA, group, {
      event: { name: 'Planning', start: '2026-03-02T14:00:00Z', location: { latitude: 0, longitude: 0, name: 'Room 2' } },
    })
    const event = await story.received(planning.id)
    assert.deepEqual(event.event, {
      name: 'Planning',
      description: null,
      canceled: false,
      date_time: '2026-03-02T14:00:00.000Z',
      end_date_time: null,
      join_link: null,
      extra_guests_allowed: false,
      location: { name: 'Room 2', address: null, latitude: null, longitude: null },
    })
    const answer = await sandbox.send(BEN, group, { event_response: { message_id: planning.id, response: 'maybe' } })
    const { time, ...response } = (await story.received(answer.id)).event_response as Record<string, unknown>
    assert.match(String(time), isoTime)
    assert.deepEqual(response, {
      response: 'maybe',
      response_from: BEN,
      referenced_message: { message_id: planning.id, from_me: false, phone: chatOf(group), participant: ANA },
    })
    const pin = await sandbox.send(BEN, group, { pin: { message_id: poll.id, seconds: 86_400 } })
    assert.deepEqual((await story.received(pin.id)).pin, {
      action: 'pin',
      pin_duration_seconds: 86_400,
      referenced_message: { message_id: poll.id, from_me: false, phone: chatOf(group), participant: ANA },
    })
    const unpin = await sandbox.send(BEN, group, { pin: { message_id: poll.id, seconds: 0 } })
    const { action, pin_duration_seconds } = (await story.received(unpin.id)).pin as Record<string, unknown>
    assert.deepEqual({ action, pin_duration_seconds }, { action: 'unpin', pin_duration_seconds: 0 })
  })
}

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

test('a sealed edit of a message nobody remembers is unsupported', async () => {
  const sealed = { encPayload: Buffer.alloc(40, 1).toString('base64'), encIv: Buffer.alloc(12).toString('base64') }
  await story.fromAna(
    { proto: { secretEncryptedMessage: { targetMessageKey: { id: '3EB0UNKNOWN', fromMe: true }, ...sealed, secretEncType: 2 } } },
    { message_type: 'unsupported', unsupported: { proto_type: 'secretEncryptedMessage' } },
  )
})

test('a deletion and a change of the expiry are notifications', async () => {
  const { message_id } = await story.fromAna({ text: 'Oops' }, { message_type: 'text', text: text('Oops') })
  await story.fromAna(
    { revoke: { message_id } },
    { message_type: 'notification', notification: 'revoke', notification_parameters: [], reference_message_id: message_id },
  )
  await story.fromAna(
    { proto: { protocolMessage: { type: 3, ephemeralExpiration: 604_800 } } },
    { message_type: 'notification', notification: 'ephemeral_setting_changed', notification_parameters: ['604800'] },
  )
})

test('payment requests declined and cancelled are notifications', async () => {
  for (const [field, name] of [
    ['declinePaymentRequestMessage', 'payment_action_request_declined'],
    ['cancelPaymentRequestMessage', 'payment_action_request_cancelled'],
  ])
    await story.fromAna(
      { proto: { [field!]: { key: { id: '3EB0AA', fromMe: false } } } },
      { message_type: 'notification', notification: name, notification_parameters: [], reference_message_id: '3EB0AA' },
    )
})

test('what has no word in the contract is unsupported, by its name in the protocol; wrappers do not hide it', async () => {
  await story.fromAna(
    { proto: { stickerPackMessage: { stickerPackId: '1', name: 'Cats' } } },
    { message_type: 'unsupported', unsupported: { proto_type: 'stickerPackMessage' } },
  )
  await story.fromAna(
    { proto: { ephemeralMessage: { message: { groupMentionedMessage: { message: { conversation: 'inside' } } } } } },
    { message_type: 'text', text: text('inside') },
  )
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
