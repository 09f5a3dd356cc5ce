import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, must } from '../harness/http.ts'
import { startWorld } from '../harness/world.ts'

const world = await startWorld()
after(() => world.stop())

test('a number is paired, a text is delivered and read, and the answer comes back', async () => {
  const { gateway, sandbox, receiver } = world
  await sandbox.createPhone('5511999990000', { name: 'Support' })

  const instance = await gateway.createInstance(receiver)
  assert.equal(instance.status, 'qr')
  await gateway.pair(instance, sandbox, '5511999990000')
  const me = await must('GET', `${instance.api_url}/me`)
  assert.equal(me.phone, '5511999990000')
  assert.equal(me.platform, 'android')

  const ack = await gateway.sendText(instance, '5511988887777', 'Order *1042* is ready')
  assert.match(ack.message_id, /^3EB0[0-9A-F]{18}$/)
  assert.equal(ack.id, ack.message_id)
  assert.equal(ack.status, 'queued')

  const [item] = await sandbox.inbox('5511988887777', 0, 10_000)
  assert.equal(item?.text, 'Order *1042* is ready')
  assert.equal(item?.id, ack.message_id)

  const delivery = await receiver.waitFor('delivery', ({ type }) => type === 'delivery')
  const { momment, event_id, queued_at, ...rest } = delivery
  assert.deepEqual(rest, {
    type: 'delivery',
    instance_id: instance.id,
    single_url: true,
    message_id: ack.message_id,
    id: ack.message_id,
    svc_id: ack.svc_id,
    operation: 'send.sendText',
    phone: '5511988887777',
    is_group: false,
    reference_message_id: null,
    status: 'sent',
    error_code: null,
    error_message: null,
  })
  assert.match(String(event_id), /^[0-9A-HJKMNP-TV-Z]{26}$/)
  assert.ok(Date.parse(String(queued_at)) <= Number(momment))

  for (const status of ['sent', 'delivered', 'read']) {
    const event = await receiver.waitFor(status, (each) => each.type === 'message_status' && each.status === status)
    assert.deepEqual(event.ids, [ack.message_id])
    assert.equal(event.phone, '5511988887777')
    assert.equal(event.participant_phone, null)
  }

  const { id } = await sandbox.send('5511988887777', '5511999990000', { text: 'Thank you' })
  const received = await receiver.waitFor('received', ({ type }) => type === 'received')
  const { momment: at, event_id: _, chat_lid, ...content } = received
  assert.ok(Number(at) > 1_600_000_000_000)
  assert.match(String(chat_lid), /^\d+@lid$/)
  assert.deepEqual(content, {
    type: 'received',
    instance_id: instance.id,
    single_url: true,
    message_id: id,
    message_type: 'text',
    phone: '5511988887777',
    is_group: false,
    is_newsletter: false,
    broadcast: false,
    from_me: false,
    from_api: false,
    status: 'received',
    chat_name: content.sender_name,
    sender_name: content.sender_name,
    photo: null,
    sender_photo: null,
    participant_phone: null,
    participant_lid: null,
    connected_phone: '5511999990000',
    reference_message_id: null,
    is_status_reply: false,
    is_edit: false,
    forwarded: false,
    view_once: false,
    waiting_message: false,
    message_expiration_seconds: null,
    mentions: [],
    text: { message: 'Thank you', title: null, description: null, url: null },
  })

  const statuses = receiver.events('instance_status').map(({ status }) => status)
  assert.deepEqual(statuses, ['created', 'starting', 'qr', 'connecting', 'connected'])

  const read = await ask('POST', `${instance.api_url}/read-message`, { phone: '5511988887777', message_id: id })
  assert.equal(read.status, 200)
  assert.deepEqual(read.body, { value: true })
})
