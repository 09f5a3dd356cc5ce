/** Tests the usage of instances that the API reports. The test itself sets the measurements of the shards. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { InstanceWork } from '../../src/domain/readings.ts'
import { openService, type Service } from './http/service.ts'

let service: Service
let key: string
const ids: string[] = []

const SORTS = ['cpu', 'memory', 'sent', 'received', 'queue', 'backlog', 'reconnects']

/**
 * Returns the measured work of instance number `at`. It is the largest in the column `SORTS[at]`; `queue` and `backlog`
 * are set in `before`.
 */
const workOf = (at: number, now: number): InstanceWork => ({
  since: now - 30_000,
  cpuMs: at === 0 ? 600 : 3,
  heldBytes: at === 1 ? 5_000 : 10,
  sent: at === 2 ? 12 : 0,
  received: at === 3 ? 13 : 0,
  reconnects: at === 6 ? 2 : 0,
  lastSentAt: at === 2 ? now - 1_000 : null,
  lastReceivedAt: at === 3 ? now - 2_000 : null,
})

before(async () => {
  service = await openService()
  key = (await service.newKey(['instances:read'])).value
  for (const sort of SORTS) ids.push((await service.newInstance(`leads by ${sort}`)).id)
  const now = service.time.now
  service.double.surveys = [
    {
      heapBytes: 0,
      busy: 0,
      instances: ids.map((instance, at) => ({
        instance,
        waiting: at === 4 ? 7 : 0,
        backlog: at === 5 ? 9 : 0,
        lastInboundAt: null,
        attempts: { delivered: 0, retry: 0, failed: 0, discarded: 0 },
        refusedSince: null,
        work: workOf(at, now),
      })),
    },
  ]
})
after(() => service.close())

const usage = (path: string, by = key) => service.ask('GET', path, undefined, { Authorization: `Bearer ${by}` })

for (const [at, sort] of SORTS.entries())
  test(`the instance with the most ${sort} is first`, async () => {
    const { status, body } = await usage(`/account/usage?sort=${sort}&window=minute&page_size=3`)
    assert.equal(status, 200)
    assert.equal(body.data[0].name, `leads by ${sort}`)
    assert.equal(body.data[0].instance_id, ids[at])
    assert.deepEqual([body.data.length, body.page, body.page_size, body.total], [3, 1, 3, SORTS.length])
  })

test('an instance has its counts of the window, and its values of now', async () => {
  const { body } = await usage('/account/usage')
  const first = body.data[0]
  assert.deepEqual(first, {
    instance_id: ids[0],
    name: 'leads by cpu',
    status: 'qr',
    cpu_ms: 600,
    // 600 ms of CPU time in 30 s is 2 % of one core.
    cpu_percent: 2,
    memory_bytes: 10,
    sent: 0,
    received: 0,
    queue: 0,
    backlog: 0,
    reconnects: 0,
    last_sent_at: null,
    last_received_at: null,
    since: new Date(service.time.now - 30_000).toISOString(),
  })
})

test('pages follow each other, and the last one is short', async () => {
  const pages = await Promise.all(['1', '2', '3'].map((page) => usage(`/account/usage?page_size=3&page=${page}`)))
  const seen = pages.flatMap(({ body }) => body.data.map((row: { instance_id: string }) => row.instance_id))
  assert.deepEqual([...seen].sort(), [...ids].sort())
  assert.equal(pages[2]!.body.data.length, 1)
})

test('other windows and orders are refused, and the field is named', async () => {
  for (const field of ['window', 'sort']) {
    const { status, body } = await usage(`/account/usage?${field}=year`)
    assert.equal(status, 400)
    assert.equal(body.error.details.issues[0].path, field)
  }
})

test('a key needs the scope instances:read', async () => {
  const other = await service.newKey(['webhooks:read'])
  assert.equal((await usage('/account/usage', other.value)).status, 403)
})

test('an instance that no shard reports has no values of now', async () => {
  const { id } = await service.newInstance('of no shard')
  const { body } = await usage('/account/usage?page_size=500')
  const row = body.data.find(({ instance_id }: { instance_id: string }) => instance_id === id)
  assert.deepEqual([row.queue, row.backlog, row.since, row.cpu_ms], [null, null, null, 0])
})
