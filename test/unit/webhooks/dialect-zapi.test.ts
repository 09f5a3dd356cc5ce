import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_TYPES } from '../../../src/domain/events.ts'
import { eventExamples } from '../../../src/features/event-examples.ts'
import { zapiForm } from '../../../workers/shard/webhooks/dialect-zapi.ts'

// biome-ignore lint/suspicious/noExplicitAny: these tests look into forms of every shape.
type Form = Record<string, any>

const received = (name: string): Form => {
  const example = eventExamples.received.find((each) => each.name === name)
  assert.ok(example, name)
  return zapiForm(example.value)
}
const other = (type: keyof typeof eventExamples, name: string): Form =>
  zapiForm(eventExamples[type].find((each) => each.name === name)!.value)

function namesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => [name, ...(name === 'params' ? [] : namesOf(part))])
}

test('every event has their type and names in camelCase, and what the event says is still there', () => {
  for (const type of EVENT_TYPES)
    for (const { name, value } of eventExamples[type]) {
      const form = zapiForm(value) as Form
      assert.match(form.type, /^(Received|Delivery|MessageStatus|Connected|InstanceStatus|PresenceChat)Callback$/, name)
      assert.deepEqual([form.instanceId, form.eventId, form.momment], [value.instance_id, value.event_id, value.momment])
      assert.deepEqual(
        namesOf(form).filter((each) => each.includes('_')),
        [],
        name,
      )
    }
})

test('a message has its common fields and the block of its kind', () => {
  const { text, status, fromMe, isGroup, senderLid, chatName, connectedPhone, messageId } = received('text')
  assert.deepEqual(text, { message: 'Hello' })
  assert.deepEqual(
    [status, fromMe, isGroup, senderLid, chatName, connectedPhone, messageId],
    ['RECEIVED', false, false, '81896604192873@lid', 'Ana', '5511900001111', '3EB0796DC6B777C0C7CD'],
  )
})

test('a file has its address under the name of its kind', () => {
  const url = 'https://gw.example.com/media/c2VhbGVkLWxpbms'
  assert.deepEqual(
    [
      received('image').image.imageUrl,
      received('video').video.videoUrl,
      received('audio').audio.audioUrl,
      received('document').document.documentUrl,
      received('sticker').sticker.stickerUrl,
    ],
    [url, url, url, url, url],
  )
  assert.deepEqual([received('video').video.caption, received('document').document.fileName], ['', 'invoice.pdf'])
  assert.deepEqual([received('image').image.mimeType, received('image').image.viewOnce], ['image/jpeg', false])
})

test('answers, polls, contacts and reactions have their names', () => {
  assert.deepEqual(received('buttons_response').buttonsResponseMessage.buttonId, '1')
  assert.deepEqual(received('list_response').listResponseMessage.selectedRowId, 'sales')
  assert.deepEqual(received('poll').poll.options, [{ name: 'Monday' }, { name: 'Tuesday' }])
  assert.deepEqual(received('poll_vote').pollVote.options, [{ name: 'Monday' }])
  assert.match(received('contact').contact.vCard, /^BEGIN:VCARD/)
  assert.match(received('contacts').contacts[1].vCard, /^BEGIN:VCARD/)
  assert.equal(received('reaction').reaction.time, Date.parse('2026-01-31T12:00:00.000Z'))
  assert.equal(received('reaction').reaction.referencedMessage.messageId, '3EB0EE97803A91FF2C0ED1')
  assert.equal(received('event_response').eventResponse.response, 'GOING')
  assert.equal(received('event').event.scheduleTime, Date.parse('2026-03-02T14:00:00.000Z') / 1_000)
  assert.equal(received('pin').pinMessage.pinDurationInSecs, 604_800)
  assert.equal(received('pix_key').pixKeyMessage.keyType, 'EVP')
  assert.equal(received('buttons').buttonsMessage.buttons[0].buttonText.displayText, 'Yes')
})

test('what happens in a group is a notification in upper case', () => {
  const { notification, notificationParameters, type, participantPhone } = received('notification')
  assert.deepEqual(
    [type, notification, notificationParameters, participantPhone],
    ['ReceivedCallback', 'GROUP_PARTICIPANT_ADD', ['5511977776666'], '5511988887777'],
  )
  const label = zapiForm({
    type: 'received',
    message_type: 'notification',
    notification: 'chat_label_association',
    notification_parameters: [],
    label_associations: [{ phone: '5511988887777', label: '1', assigned: true }],
    status: 'received',
  })
  assert.deepEqual(label.notificationParameters, [{ phone: '5511988887777', label: '1', assigned: true }])
  const call = zapiForm({
    type: 'received',
    message_type: 'notification',
    notification: 'call_missed_voice',
    notification_parameters: [],
    call: { call_id: 'F4' },
    status: 'received',
  })
  assert.deepEqual([call.notification, call.callId], ['CALL_MISSED_VOICE', 'F4'])
  assert.equal(received('waiting_message').waitingMessage, true)
})

test('outcomes, receipts, connections and presence have their values', () => {
  const sent = other('delivery', 'sent')
  assert.deepEqual(
    [sent.type, sent.zaapId, sent.messageId, 'error' in sent],
    ['DeliveryCallback', '01JD3V8Q6ZP4M5T7X9K2B0C1DE', '3EB0EE97803A91FF2C0ED1', false],
  )
  assert.equal(other('delivery', 'failed').error, 'The number has no account on the network.')
  const example = eventExamples.message_status[0]!.value
  for (const [ours, theirs] of [
    ['sent', 'SENT'],
    ['delivered', 'RECEIVED'],
    ['read', 'READ'],
    ['played', 'PLAYED'],
  ])
    assert.equal(zapiForm({ ...example, status: ours }).status, theirs)
  assert.equal(other('instance_status', 'connected').type, 'ConnectedCallback')
  assert.equal(other('instance_status', 'qr').type, 'InstanceStatusCallback')
  const lost = zapiForm({
    ...eventExamples.instance_status[0]!.value,
    connected: false,
    status: 'logged_out',
    reason: 'It was removed.',
  })
  assert.deepEqual([lost.type, lost.disconnected, lost.error], ['DisconnectedCallback', true, 'It was removed.'])
  assert.deepEqual(
    [other('chat_presence', 'composing').status, other('chat_presence', 'composing').lastSeen],
    ['COMPOSING', null],
  )
})
