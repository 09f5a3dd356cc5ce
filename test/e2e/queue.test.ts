import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DAY, SECOND } from '../../src/domain/clock.ts'
import { startWorld } from '../harness/world.ts'

const ANA = '5511988880001'
const BEN = '5511988880002'
interface Item {
  svc_id: string
  message_id: string
  phone: string
  status: string
  waiting_reason: string | null
  position: number
  preview: string
  send_after: string | null
  send_at: string | null
  queued_at: string
  expires_at: string
  delay_message: number | null
}

const world = await startWorld()
const instance = await world.gateway.createInstance(world.receiver)
after(() => world.stop())

const list = async (query = '') =>
  (await world.gateway.must(instance, 'GET', `/queue${query}`)) as unknown as {
    data: Item[]
    total: number
    page: number
    page_size: number
  }

test('texts of an instance that is not connected wait, and say why', async () => {
  const first = await world.gateway.sendText(instance, ANA, 'one')
  await world.gateway.sendText(instance, BEN, 'two', { delay_message: 3 })
  await world.gateway.sendText(instance, ANA, 'x'.repeat(200))
  const { data, total } = await list()
  assert.equal(total, 3)
  assert.deepEqual(
    data.map(({ phone, status, waiting_reason, position, send_after, delay_message }) => ({
      phone,
      status,
      waiting_reason,
      position,
      send_after,
      delay_message,
    })),
    [ANA, BEN, ANA].map((phone, index) => ({
      phone,
      status: 'waiting',
      waiting_reason: 'instance_not_connected',
      position: index + 1,
      send_after: null,
      delay_message: index === 1 ? 3 : null,
    })),
  )
  assert.equal(data[0]!.svc_id, first.svc_id)
  assert.equal(data[0]!.message_id, first.message_id)
  assert.equal(data[2]!.preview, 'x'.repeat(120))
  assert.equal(Date.parse(data[0]!.expires_at) - Date.parse(data[0]!.queued_at), 72 * 3_600_000)
})

test('the list can be filtered by chat and turned by pages', async () => {
  assert.equal((await list(`?phone=${ANA}`)).total, 2)
  const second = await list('?page=2&page_size=2')
  assert.deepEqual([second.data.length, second.page, second.page_size, second.total], [1, 2, 2, 3])
  assert.deepEqual((await list('?page=9')).data, [])
  assert.equal((await world.gateway.ask(instance, 'GET', '/queue?page_size=101')).status, 400)
  const bad = await world.gateway.ask(instance, 'GET', '/queue?phone=nobody')
  assert.equal((bad.body.error as { code: string }).code, 'invalid_phone')
})

test('one can be taken out, once', async () => {
  const [, second] = (await list()).data
  assert.deepEqual(await world.gateway.must(instance, 'DELETE', `/queue/${second!.svc_id}`), { value: true, removed: 1 })
  const again = await world.gateway.ask(instance, 'DELETE', `/queue/${second!.svc_id}`)
  assert.equal(again.status, 404)
  assert.equal((again.body.error as { code: string }).code, 'not_found')
})

test('what waits survives an orderly restart, leaves after pairing in order, and what was taken out does not', async () => {
  await world.restartService()
  assert.equal((await list()).total, 2)
  await world.sandbox.createPhone('5511999990000')
  await world.gateway.pair(instance, world.sandbox, '5511999990000')
  await world.receiver.waitFor('both deliveries', () => world.receiver.events('delivery').length === 2)
  const items = await world.sandbox.inbox(ANA, 0, 5_000)
  assert.equal(items[0]?.text, 'one')
  assert.equal((await list()).total, 0)
  assert.deepEqual(
    world.receiver.events('delivery').map(({ phone, status }) => ({ phone, status })),
    [ANA, ANA].map((phone) => ({ phone, status: 'sent' })),
  )
})

/** Sends a text, and waits for its result. By then, all results of earlier messages have arrived. */
async function delivered(phone: string, message: string): Promise<string> {
  const { message_id: id } = await world.gateway.sendText(instance, phone, message)
  await world.receiver.waitFor(`delivery of ${message}`, ({ type, message_id }) => type === 'delivery' && message_id === id)
  return id
}

test('while one waits for its delay the reason is pacing, and send_after says until when', async () => {
  const known = world.receiver.events('delivery').map(({ message_id }) => message_id)
  await world.gateway.sendText(instance, ANA, 'later', { delay_message: 15 })
  const [item] = (await list()).data
  assert.equal(item?.waiting_reason, 'pacing')
  assert.ok(Date.parse(item!.send_after!) > Date.now() + 5_000)
  assert.deepEqual(await world.gateway.must(instance, 'DELETE', `/queue?phone=${BEN}`), { value: true, removed: 0 })
  assert.deepEqual(await world.gateway.must(instance, 'DELETE', '/queue'), { value: true, removed: 1 })
  const next = await delivered(BEN, 'behind what was removed')
  assert.deepEqual(
    world.receiver.events('delivery').flatMap(({ message_id }) => (known.includes(message_id) ? [] : [message_id])),
    [next],
    'a removal is not a delivery',
  )
})

test('a text with send_at is listed with its time, holds up no other, outlives a restart, and leaves at its time or is removed', async () => {
  const isoIn = (ms: number) => new Date(Date.now() + ms).toISOString()
  const tomorrow = isoIn(DAY)
  const kept = await world.gateway.sendText(instance, ANA, 'tomorrow', { send_at: tomorrow })
  const soon = isoIn(4 * SECOND)
  const timed = await world.gateway.sendText(instance, ANA, 'soon', { send_at: soon })
  await delivered(ANA, 'now')
  const shown = async () =>
    (await list()).data
      .filter(({ svc_id }) => svc_id === kept.svc_id)
      .map((item) => [item.status, item.waiting_reason, item.send_at, item.send_after, item.expires_at])
  const expected = [['waiting', 'send_at', tomorrow, tomorrow, new Date(Date.parse(tomorrow) + 3 * DAY).toISOString()]]
  assert.deepEqual(await shown(), expected)
  await world.restartService()
  assert.deepEqual(await shown(), expected)
  const delivery = await world.receiver.waitFor(
    'the delivery of the one that is due',
    ({ type, message_id }) => type === 'delivery' && message_id === timed.message_id,
  )
  assert.ok(Number(delivery.momment) >= Date.parse(soon))
  assert.deepEqual(await world.gateway.must(instance, 'DELETE', `/queue/${kept.svc_id}`), { value: true, removed: 1 })
  await delivered(ANA, 'at last')
  const texts = (await world.sandbox.inbox(ANA, 0, 5_000)).map(({ text }) => text)
  assert.deepEqual(texts.slice(texts.indexOf('now')), ['now', 'soon', 'at last'])
})

test('with disable_enqueue_when_disconnected a text is refused while not connected, and taken while connected', async () => {
  await world.gateway.must(instance, 'PUT', '/settings', { disable_enqueue_when_disconnected: true })
  await world.sandbox.setDown(true)
  await world.gateway.waitForStatus(instance, 'disconnected')
  const refused = await world.gateway.ask(instance, 'POST', '/send-text', { phone: ANA, message: 'now?' })
  assert.equal(refused.status, 409)
  assert.equal((refused.body.error as { code: string }).code, 'queue_disabled_while_disconnected')
  await world.sandbox.setDown(false)
  await world.gateway.waitForStatus(instance, 'connected')
  await delivered(ANA, 'now!')
})

// An earlier bug: a query that the network refused with the code 408 was treated as a lost connection, so all later
// messages waited.
test('a query that the network refuses with 408 fails its item alone: the next one leaves', async () => {
  await world.sandbox.fault({ on: 'query', match: { xmlns: 'w:g2' }, do: { query_error: [408, 'request-timeout'] }, times: 100 })
  const toGroup = await world.gateway.sendText(instance, '120363999999999998-group', 'to a group')
  const next = await world.gateway.sendText(instance, ANA, 'next')
  const outcome = async (id: string) =>
    (await world.receiver.waitFor(`delivery of ${id}`, ({ type, message_id }) => type === 'delivery' && message_id === id)) as {
      status?: string
      error_code?: string | null
    }
  const failed = await outcome(toGroup.message_id)
  assert.deepEqual([failed.status, failed.error_code], ['failed', 'send_failed'])
  assert.equal((await outcome(next.message_id)).status, 'sent')
  await world.sandbox.clearFaults()
})

test('a text that was on its way when the connection broke is sent again under the same id, and delivered once', async () => {
  await world.sandbox.fault({ on: 'message', do: 'cut', times: 1 })
  const ack = await world.gateway.sendText(instance, BEN, 'through a cut')
  await world.receiver.waitFor('its delivery', ({ type, message_id }) => type === 'delivery' && message_id === ack.message_id)
  await world.sandbox.clearFaults()
  await delivered(BEN, 'behind it')
  const deliveries = world.receiver.events('delivery').filter(({ message_id }) => message_id === ack.message_id)
  assert.equal(deliveries.length, 1)
  assert.equal(deliveries[0]?.status, 'sent')
  const copies = (await world.sandbox.inbox(BEN, 0, 5_000)).filter(({ text }) => text === 'through a cut')
  assert.ok(copies.length >= 1)
  assert.deepEqual([...new Set(copies.map(({ id }) => id))], [ack.message_id])
})
