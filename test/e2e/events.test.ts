import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { unsealAbout } from '../../packages/sandbox/src/testing.ts'
import { addressesOf, createTeams } from '../harness/places.ts'
import { bytes, field, type Json, metaOf, secretOf, startStage } from '../harness/stage.ts'

const ME = '5511999990000'
const ANA = '5511988880001'

const stage = await startStage(ME)
const { sandbox } = stage.world
await sandbox.createContact(ANA, { name: 'Ana' })
const chats = await createTeams(sandbox, [ANA, ME])
const addresses = await addressesOf(sandbox)
after(() => stage.world.stop())

const EVENT = {
  name: 'Planning',
  description: 'Quarter goals',
  date_time: '2026-03-02T14:00:00.500-03:00',
  end_date_time: '2026-03-02T18:00:00Z',
  location: { name: 'Room 2', address: 'Av. Paulista, 1000', latitude: -23.5, longitude: -46.6 },
  extra_guests_allowed: true,
}
const startOf = (iso: string) => String(Math.floor(Date.parse(iso) / 1_000))

/** Decrypts an edit. Returns the changed event, and the id of the message whose secret has encrypted the edit. */
function openEdit(message: Json, secret: Buffer, creator: string): { event: Json; id: string } {
  const sealed = field(message, 'secretEncryptedMessage')
  assert.equal(sealed.secretEncType, 'EVENT_EDIT')
  const id = String(field(sealed, 'targetMessageKey').id)
  const about = { secret, messageId: id, author: creator, sender: creator }
  const plain = unsealAbout(about, 'Event Edit', bytes(sealed.encPayload), bytes(sealed.encIv))
  const inner = proto.Message.decode(plain).protocolMessage
  assert.equal(inner?.type, proto.Message.ProtocolMessage.Type.MESSAGE_EDIT)
  assert.equal(inner?.key?.id, id)
  const event = proto.Message.EventMessage.fromObject(inner?.editedMessage?.eventMessage ?? {}).toJSON()
  return { event, id }
}

for (const addressing of ['lid', 'pn'] as const) {
  test(`in a group addressed by ${addressing} an event arrives whole, and its creator can change it more than once`, async () => {
    const { chat } = chats[addressing]
    const me = addresses[ME]![addressing]
    const sent = await stage.shown('/send-event', { phone: chat, event: { ...EVENT, call_link_type: 'video' } }, ANA)
    const event = field(sent.proto, 'eventMessage')
    assert.equal(event.name, 'Planning')
    assert.equal(event.description, 'Quarter goals')
    assert.equal(event.startTime, startOf(EVENT.date_time))
    assert.equal(event.endTime, startOf(EVENT.end_date_time))
    assert.equal(field(event, 'location').name, 'Room 2')
    assert.equal(field(event, 'location').degreesLongitude, -46.6)
    assert.equal(event.extraGuestsAllowed, true)
    assert.equal(event.isCanceled ?? false, false)
    assert.match(String(event.joinLink), /^https:\/\/call\.whatsapp\.com\/video\/.+/)
    assert.equal(sent.attrs?.type, 'event')
    assert.deepEqual(metaOf(sent.nodes), { event_type: 'creation' })
    const secret = secretOf(sent.proto)

    const moved = { name: 'Planning (moved)', date_time: '2026-03-03T14:00:00Z', call_link_type: 'video' }
    const edit = await stage.shown('/send-edit-event', { phone: chat, event_message_id: sent.id, event: moved }, ANA)
    assert.equal(edit.attrs?.type, 'event')
    assert.equal(edit.attrs?.edit, '1')
    assert.deepEqual(metaOf(edit.nodes), { event_type: 'edit' })
    const first = openEdit(edit.proto, secret, me)
    assert.equal(first.id, sent.id)
    assert.equal(first.event.name, 'Planning (moved)')
    assert.equal(first.event.startTime, startOf(moved.date_time))
    assert.equal(first.event.joinLink, event.joinLink, 'the link stays while the kind of call does')
    assert.equal(first.event.description ?? null, null, 'a field left out is removed')
    assert.equal(first.event.location ?? null, null)

    const voice = { ...moved, call_link_type: 'voice', canceled: true }
    const change = { phone: chat, event_message_id: sent.id, event: voice, mention_all: true }
    const again = await stage.shown('/send-edit-event', change, ANA)
    const second = openEdit(again.proto, secret, me)
    const { mentionedJid, nonJidMentions } = field(second.event, 'contextInfo')
    assert.deepEqual(
      [(mentionedJid as string[]).toSorted(), nonJidMentions],
      [[me, addresses[ANA]![addressing]].toSorted(), 1],
      'everybody is told of the change',
    )
    assert.equal(first.event.contextInfo ?? null, null)
    assert.match(String(second.event.joinLink), /^https:\/\/call\.whatsapp\.com\/voice\/.+/)
    assert.equal(second.event.isCanceled, true)
  })

  test(`in a group addressed by ${addressing} the creator of an event can read our answer`, async () => {
    const { chat, jid } = chats[addressing]
    const messageSecret = Buffer.alloc(32, 9)
    const { id } = await stage.world.sandbox.send(ANA, jid, {
      proto: {
        eventMessage: { name: 'Lunch', startTime: '1772460000' },
        messageContextInfo: { messageSecret: messageSecret.toString('base64') },
      },
    })
    await stage.world.receiver.waitFor('the event', ({ message_id }) => message_id === id)
    for (const [asked, told] of [
      ['going', 'GOING'],
      ['NOT_GOING', 'NOT_GOING'],
      ['maybe', 'MAYBE'],
    ]) {
      const input = { phone: chat, event_message_id: id, event_response: asked! }
      const { proto: message, attrs, nodes } = await stage.shown('/send-event-response', input, ANA)
      assert.equal(attrs?.type, 'event')
      assert.deepEqual(metaOf(nodes), { event_type: 'response' })
      const sealed = field(message, 'encEventResponseMessage')
      const key = field(sealed, 'eventCreationMessageKey')
      assert.equal(key.participant, addresses[ANA]![addressing])
      const about = {
        secret: messageSecret,
        messageId: id,
        author: addresses[ANA]![addressing],
        sender: addresses[ME]![addressing],
      }
      const plain = unsealAbout(about, 'Event Response', bytes(sealed.encPayload), bytes(sealed.encIv))
      const response = proto.Message.EventResponseMessage.decode(plain)
      assert.equal(proto.Message.EventResponseMessage.EventResponseType[response.response!], told)
      assert.ok(Number(response.timestampMs) > 0)
    }
    const edit = { phone: chat, event_message_id: id, event: EVENT }
    assert.equal((await stage.outcome('/send-edit-event', edit)).error_code, 'not_allowed')
  })
}

test('own events are not answered, and forgotten ones neither answered nor changed', async () => {
  const { id } = await stage.shown('/send-event', { phone: ANA, event: EVENT })
  const answer = (event_message_id: string) =>
    stage.outcome('/send-event-response', { phone: ANA, event_message_id, event_response: 'going' })
  const own = await answer(id)
  assert.equal(own.error_code, 'not_allowed')
  assert.equal(own.reference_message_id, id)
  assert.equal((await answer('3EB0000000000000000001')).error_code, 'message_not_found')
  const unknown = { phone: ANA, event_message_id: '3EB0000000000000000001', event: EVENT }
  assert.equal((await stage.outcome('/send-edit-event', unknown)).error_code, 'message_not_found')
})

test('without a link from the network an event with a call is not sent', async () => {
  await stage.world.sandbox.fault({ on: 'call', match: { child: 'link_create' }, do: { ack_error: 500 }, times: 1 })
  const delivery = await stage.outcome('/send-event', { phone: ANA, event: { ...EVENT, call_link_type: 'voice' } })
  assert.equal(delivery.error_code, 'action_failed')
  await stage.world.sandbox.clearFaults()
})

test('bounds of an event are told by their place in it', async () => {
  const issues = async (event: Json) => (await stage.refused('/send-event', { phone: ANA, event })).map(({ path }) => path)
  assert.deepEqual(await issues({ ...EVENT, date_time: '2026-03-02 14:00', name: '' }), ['event.name', 'event.date_time'])
  assert.deepEqual(await issues({ ...EVENT, end_date_time: '2026-03-02T13:00:00Z' }), ['event.end_date_time'])
  assert.deepEqual(await issues({ ...EVENT, location: { name: 'x', latitude: 1 } }), ['event.location.longitude'])
  assert.deepEqual(await issues({ ...EVENT, call_link_type: 'fax' }), ['event.call_link_type'])
})
