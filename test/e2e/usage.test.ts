import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Instance } from '../harness/gateway.ts'
import { must } from '../harness/http.ts'
import { startWorld, type World } from '../harness/world.ts'

const BUSY = '5511999990201'
const IDLE = ['5511999990202', '5511999990203']
const ANA = '5511988880201'
const OUT = 20
const IN = 40

interface Row {
  instance_id: string
  cpu_ms: number
  memory_bytes: number
  sent: number
  received: number
  queue: number
  backlog: number
  reconnects: number
  last_sent_at: string | null
  last_received_at: string | null
}

let world: World
let busy: Instance
let idle: Instance[]
before(async () => {
  world = await startWorld()
  const { gateway, sandbox, receiver } = world
  busy = await gateway.connected(sandbox, BUSY, receiver)
  idle = []
  for (const phone of IDLE) idle.push(await gateway.connected(sandbox, phone, receiver))
})
after(() => world.stop())

async function usage(sort = 'cpu'): Promise<Row[]> {
  const response = await fetch(`${world.gateway.baseUrl}/account/usage?window=hour&sort=${sort}&page_size=500`, {
    headers: world.gateway.account,
  })
  assert.equal(response.status, 200)
  return ((await response.json()) as { data: Row[] }).data
}

/** Reads the usage until `fits` accepts the row, because the measurements may be a second old. */
async function rowOnce(fits: (row: Row) => boolean): Promise<{ row: Row; rows: Row[] }> {
  for (;;) {
    const rows = await usage()
    const row = rows.find(({ instance_id }) => instance_id === busy.id)!
    if (fits(row)) return { row, rows }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

test('what was sent and received is counted for its instance alone, which has used the most CPU time', {
  timeout: 60_000,
}, async () => {
  const before = await usage()
  const spentBefore = (id: string) => before.find(({ instance_id }) => instance_id === id)!.cpu_ms
  const { gateway, sandbox, receiver } = world
  const began = Date.now()
  await sandbox.burst(ANA, BUSY, IN, 'in')
  const sent = []
  for (let at = 0; at < OUT; at++) sent.push((await gateway.sendText(busy, ANA, `out ${at}`)).message_id)
  for (const id of sent)
    await receiver.waitFor(`delivery of ${id}`, ({ type, message_id }) => type === 'delivery' && message_id === id)

  const { row, rows } = await rowOnce(({ sent, received, backlog }) => sent === OUT && received >= IN && backlog === 0)
  assert.equal(rows[0]!.instance_id, busy.id)
  // The account's own phone has sent keys and its history, but these do not count as received messages.
  assert.equal(row.received, IN)
  assert.equal(row.queue, 0)
  assert.equal(row.reconnects, 0)
  assert.ok(row.memory_bytes > IN, `${row.memory_bytes}`)
  for (const at of [row.last_sent_at, row.last_received_at]) assert.ok(Date.parse(at!) >= began, `${at}`)
  const spent = row.cpu_ms - spentBefore(busy.id)
  for (const { id } of idle) {
    const other = rows.find(({ instance_id }) => instance_id === id)!
    assert.deepEqual([other.sent, other.last_sent_at, other.received, other.last_received_at], [0, null, 0, null])
    const ofOther = other.cpu_ms - spentBefore(id)
    assert.ok(spent > 3 * ofOther, `the busy instance used ${spent} ms, an idle one ${ofOther} ms`)
  }
})

test('a connection that is lost is counted as a reconnection', { timeout: 60_000 }, async () => {
  await world.sandbox.cut(BUSY)
  await rowOnce(({ reconnects }) => reconnects === 1)
  assert.equal((await usage('reconnects'))[0]!.instance_id, busy.id)
})

test('an instance that is deleted has no usage', async () => {
  const [first] = idle
  await must('DELETE', `${world.gateway.baseUrl}/account/instances/${first!.id}`, undefined, world.gateway.account)
  assert.ok((await usage()).every(({ instance_id }) => instance_id !== first!.id))
})
