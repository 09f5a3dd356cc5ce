import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, must } from '../harness/http.ts'
import { until } from '../harness/until.ts'
import { startWorld } from '../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'

interface Entry {
  id: string
  status: string
  attempts: number
  last_error: string | null
  resendable: boolean
  created_at: string
}

const world = await startWorld({ own: true })
const instance = await world.gateway.connected(world.sandbox, ME, world.receiver)
after(() => world.stop())

const admin = <T = Record<string, unknown>>(method: string, path: string, body?: unknown) =>
  must<T>(method, `${world.gateway.baseUrl}/admin/webhook-log${path}`, body, world.gateway.admin)
const entries = async (query: string) =>
  (await admin<{ data: Entry[] }>('GET', `?instance_id=${instance.id}&type=received&page_size=500&${query}`)).data
const listed = (query: string, fits: (found: Entry[]) => boolean) => until(() => entries(query), fits)
const isText = (event: Record<string, unknown>, text: RegExp) =>
  text.test((event.text as { message?: string } | undefined)?.message ?? '')

test('what a receiver refused is in the log without its content, and goes out again by hand, from a list, and by a range', async () => {
  world.receiver.reply(({ event }, response) => void response.writeHead(isText(event, /^refused/) ? 422 : 200).end())
  for (let n = 1; n <= 5; n++) await world.sandbox.send(ANA, ME, { text: `refused ${n}` })
  await world.sandbox.send(ANA, ME, { text: 'taken' })
  const all = await listed('', (found) => found.length === 6 && found.every(({ attempts }) => attempts > 0))
  assert.deepEqual(
    all.map(({ status, last_error, resendable }) => [status, last_error, resendable]),
    [['delivered', null, false], ...Array.from({ length: 5 }, () => ['pending', 'status 422', true])],
  )
  assert.ok(!JSON.stringify(all).includes('refused'), 'no content')
  const [first, second, third, fourth, fifth] = all.slice(1).toReversed()

  const before = await admin<Entry>('POST', `/${first!.id}/resend`)
  assert.deepEqual([before.status, before.attempts > 1, before.last_error], ['pending', true, 'status 422'])
  world.receiver.reply(null)
  const after = await admin<Entry>('POST', `/${first!.id}/resend`)
  assert.deepEqual([after.id, after.status, after.resendable], [first!.id, 'delivered', false])
  const again = await ask(
    'POST',
    `${world.gateway.baseUrl}/admin/webhook-log/${first!.id}/resend`,
    undefined,
    world.gateway.admin,
  )
  assert.equal(again.status, 404)

  assert.deepEqual(await admin('POST', '/resend', { event_ids: [second!.id, first!.id, '01JK3V8Q2M6T0Z4R7Y9B1C5D8F'] }), {
    value: true,
    queued: 1,
    not_found: 2,
  })
  const range = { instance_id: instance.id, type: 'received', status: 'pending', from: third!.created_at, to: fifth!.created_at }
  const { queued } = await admin<{ queued: number }>('POST', '/replay', range)
  assert.ok(queued <= 3)
  await listed('status=delivered', (found) => found.length === 6)
  for (const { id } of [second!, third!, fourth!, fifth!]) {
    const tries = world.receiver.received.filter(({ event }) => event.event_id === id)
    assert.ok(tries.length >= 2)
    assert.equal(new Set(tries.map(({ event }) => JSON.stringify(event))).size, 1, 'the same bytes')
  }
})

test('an event whose type has no address any more is not sent', async () => {
  world.receiver.reply((_, response) => void response.writeHead(422).end())
  await world.sandbox.send(ANA, ME, { text: 'nowhere' })
  const [pending] = await listed('status=pending', (found) => found.some(({ attempts }) => attempts > 0))
  await world.gateway.must(instance, 'PUT', '/webhooks/received', { value: null })
  const answer = await ask(
    'POST',
    `${world.gateway.baseUrl}/admin/webhook-log/${pending!.id}/resend`,
    undefined,
    world.gateway.admin,
  )
  assert.ok(answer.status === 403 || answer.status === 404, `${answer.status}`)
  world.receiver.reply(null)
  await world.gateway.must(instance, 'PUT', '/webhooks/received', { value: world.receiver.url })
})
