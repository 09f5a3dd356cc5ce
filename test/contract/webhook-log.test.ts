/** Tests the operations of the webhook log. `test/e2e` tests that a failed event can be sent again. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeTime } from 'ulid'
import { hashOf, newAdminKey } from '../../src/account/credentials.ts'
import { newWorkspace } from '../../src/account/new-workspace.ts'
import { workspaceRecords } from '../../src/account/records.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { createSealer } from '../../src/storage/sealer.ts'
import { logReader } from '../../src/webhooks/log-reader.ts'
import { MAX_REPLAY } from '../../src/webhooks/webhook-log.ts'
import { openService, type Service } from './http/service.ts'

const DAY_ONE = Date.parse('2026-01-20T00:00:00.000Z')
const idAt = (minute: number, tail = '0') => encodeTime(DAY_ONE + minute * 60_000) + tail.padStart(16, '0')
const iso = (minute: number) => new Date(DAY_ONE + minute * 60_000).toISOString()

let service: Service
let one: string
let other: string
before(async () => {
  service = await openService()
  one = (await service.newInstance()).id
  other = (await service.newInstance()).id
  for (let minute = 0; minute < 6; minute++)
    await service.newLogRow(minute % 2 ? other : one, idAt(minute), {
      type: minute < 3 ? 'received' : 'delivery',
      ...(minute === 5 ? { status: 'delivered', body: 'erased' } : {}),
    })
})
after(() => service.close())

const list = (query: string) => service.admin('GET', `/admin/webhook-log?${query}`)
const minutes = ({ body }: Awaited<ReturnType<typeof list>>) =>
  body.data.map(({ created_at }: { created_at: string }) => (Date.parse(created_at) - DAY_ONE) / 60_000)

for (const [query, expected] of [
  ['', [5, 4, 3, 2, 1, 0]],
  ['page=2&page_size=4', [1, 0]],
  ['type=DELIVERY', [5, 4, 3]],
  ['status=delivered', [5]],
  ['status=pending', []],
  [`from=${iso(2)}&to=${iso(4)}`, [4, 3, 2]],
  [`to=${iso(1)}&type=received`, [1, 0]],
  ['from=9999-12-31T23:59:59.999Z', []],
  ['to=0001-01-01T00:00:00Z', []],
] as const)
  test(`lists ${query || 'everything, newest first'}`, async () => {
    const answer = await list(query)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual(minutes(answer), expected)
    if (!query.includes('page')) assert.equal(answer.body.total, expected.length)
  })

test('lists those of one instance, and nothing of an instance that there is not', async () => {
  assert.deepEqual(minutes(await list(`instance_id=${other}`)), [5, 3, 1])
  assert.deepEqual(minutes(await list('instance_id=5f0b3c1e-7a0d-4c58-9a55-0e6a1f7c2b90')), [])
})

test('refuses a range that ends before it begins', async () => {
  const answer = await list(`from=${iso(2)}&to=${iso(1)}`)
  assert.deepEqual([answer.status, answer.body.error.details.issues[0].path], [400, 'to'])
})

test('sends again what is kept, in its own instance, and says what is not there', async () => {
  service.double.answer = (_instance, _operation, input) => ({ queued: (input as { eventIds: string[] }).eventIds.length })
  service.double.calls.length = 0
  const unknown = idAt(99)
  const many = await service.admin('POST', '/admin/webhook-log/resend', { event_ids: [idAt(0), idAt(1), idAt(1), unknown] })
  assert.deepEqual(many.body, { value: true, queued: 2, not_found: 1 })
  assert.deepEqual(
    service.double.calls.map(({ instance, operation, input }) => [instance, operation, input]),
    [
      // The service goes through the instances, and begins with the newest one.
      [other, 'webhooks.resendMany', { eventIds: [idAt(1)] }],
      [one, 'webhooks.resendMany', { eventIds: [idAt(0)] }],
    ],
  )
  service.double.calls.length = 0
  const range = await service.admin('POST', '/admin/webhook-log/replay', { from: iso(1), to: iso(5), type: 'delivery' })
  assert.deepEqual(range.body, { value: true, queued: 2, next_from: null }, 'the one without a body is left out')
  assert.deepEqual(
    service.double.calls.map(({ instance, input }) => [instance, input]),
    [
      [other, { eventIds: [idAt(3)] }],
      [one, { eventIds: [idAt(4)] }],
    ],
  )
  const gone = await service.admin('POST', `/admin/webhook-log/${unknown}/resend`)
  assert.deepEqual([gone.status, gone.body.error.code], [404, 'not_found'])
})

test('a range gives what one call may take of it: the oldest, and the time from which the next call goes on', async () => {
  const reader = logReader(service.store, (instance) => createSealer(service.keyRing.of(instance)))
  const { events, nextFrom } = await reader.resendable({ instanceIds: [one, other], from: DAY_ONE }, 3)
  assert.equal(nextFrom, DAY_ONE + 3 * 60_000)
  assert.deepEqual(
    new Map(events.map(({ instanceId, eventIds }) => [instanceId, eventIds])),
    new Map([
      [one, [idAt(0), idAt(2)]],
      [other, [idAt(1)]],
    ]),
  )
  const rest = await reader.resendable({ instanceIds: [one, other], from: nextFrom! }, 2)
  assert.deepEqual(rest.events.flatMap(({ eventIds }) => eventIds).sort(), [idAt(3), idAt(4)])
  assert.equal(rest.nextFrom, null, 'the event after these has no body, so it is not left out')
  assert.equal(MAX_REPLAY, 10_000)
})

test('shows and sends nothing of another workspace', async () => {
  const key = newAdminKey()
  const another = newWorkspace({ name: 'another', now: service.time.now, adminKeyHash: hashOf(key), instanceSlots: 5 })
  await service.store.commit({ ops: [workspaceRecords(service.sealer).encode(keys.workspace(another.id), another)] })
  const ask = (method: string, path: string, body?: unknown) =>
    service.ask(method, path, body, { Authorization: `Bearer ${key}` })
  assert.deepEqual((await ask('GET', '/admin/webhook-log')).body.data, [])
  assert.deepEqual((await ask('GET', `/admin/webhook-log?instance_id=${one}`)).body.data, [])
  assert.equal((await ask('POST', `/admin/webhook-log/${idAt(0)}/resend`)).status, 404)
  assert.deepEqual((await ask('POST', '/admin/webhook-log/resend', { event_ids: [idAt(0)] })).body, {
    value: true,
    queued: 0,
    not_found: 1,
  })
  assert.deepEqual((await ask('POST', '/admin/webhook-log/replay', { from: iso(0), to: iso(9) })).body.queued, 0)
})
