/**
 * The network has restricted the account. The service must not write to people who have never written to the account,
 * because each attempt would count against it.
 */
import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { chatOf } from '../harness/places.ts'
import { type Json, startStage } from '../harness/stage.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
const BEN = '5511988880002'
const HOUR = 3_600

const stage = await startStage(ME)
await stage.world.sandbox.createContact(ANA, { name: 'Ana' })
await stage.world.sandbox.createContact(BEN, { name: 'Ben' })
afterEach(async () => {
  await stage.world.sandbox.clearFaults()
  await restrict(0)
})
after(() => stage.world.stop())

const restrict = (seconds: number, silent = false) => stage.world.sandbox.put(`/phones/${ME}/restriction`, { seconds, silent })
const post = async (message: string, phone = ANA) =>
  String((await stage.world.gateway.must(stage.instance, 'POST', '/send-text', { phone, message })).message_id)
const queue = async () => (await stage.world.gateway.must(stage.instance, 'GET', '/queue')).data as Json[]
async function waitsFor(reason: string) {
  for (;;) {
    const [head] = await queue()
    if (head?.waiting_reason === reason && head.status === 'waiting') return head
    assert.ok(head, 'the item has left')
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

test('a lock holds the line, which says so, and its lifting lets it go', async () => {
  await restrict(HOUR)
  // The report of the restriction was sent before this request. So when the request is answered, the service has
  // handled the report.
  await stage.world.gateway.must(stage.instance, 'POST', '/send-presence', { phone: ANA, presence: 'paused' })
  const held = await post('later')
  const head = await waitsFor('restricted')
  assert.equal(head.message_id, held)
  assert.ok(Date.parse(String(head.send_after)) > Date.now() + (HOUR - 60) * 1_000, String(head.send_after))
  await restrict(0)
  assert.equal((await stage.deliveryOf(held)).status, 'sent')
  assert.equal((await stage.next(ANA)).text, 'later')
})

test('the line goes on by itself at the end of the lock', async () => {
  await restrict(2)
  await stage.world.gateway.must(stage.instance, 'POST', '/send-presence', { phone: ANA, presence: 'paused' })
  const held = await post('soon')
  assert.equal((await stage.deliveryOf(held)).status, 'sent')
  assert.equal((await stage.next(ANA)).text, 'soon')
})

test('a refusal with 463 is a shadow ban while a lock is active, and what follows waits', async () => {
  await restrict(HOUR, true)
  await stage.world.sandbox.fault({ on: 'message', match: { type: 'text' }, do: { ack_error: 463 }, times: 1 })
  const refused = await post('to somebody new')
  const next = await post('and another')
  const delivery = await stage.deliveryOf(refused)
  assert.equal(delivery.error_code, 'shadow_ban')
  assert.equal((await waitsFor('restricted')).message_id, next)
  await restrict(0)
  assert.equal((await stage.deliveryOf(next)).status, 'sent')
  assert.equal((await stage.next(ANA)).text, 'and another')
})

test('a refusal with 463 without a lock is not allowed, after the other name was tried', async () => {
  await stage.world.sandbox.fault({ on: 'message', match: { type: 'text' }, do: { ack_error: 463 }, times: 2 })
  assert.equal((await stage.deliveryOf(await post('nobody'))).error_code, 'not_allowed')
  assert.equal((await stage.deliveryOf(await post('goes on'))).status, 'sent')
  assert.equal((await stage.next(ANA)).text, 'goes on')
})

test('a lock is known after a reconnection, whoever was told meanwhile', async () => {
  await restrict(HOUR, true)
  await stage.world.sandbox.cut(ME)
  const held = await post('after the cut')
  assert.equal((await waitsFor('restricted')).message_id, held)
  await restrict(0)
  assert.equal((await stage.deliveryOf(held)).status, 'sent')
})

test('replies and groups go past what waits, and who writes is answered', async () => {
  const { sandbox, receiver, gateway } = stage.world
  const told = async (id: string) =>
    receiver.waitFor('the message', (event) => event.type === 'received' && event.message_id === id)
  const { id: group } = await sandbox.createGroup({ subject: 'Team', owner: BEN, participants: [BEN, ME], addressing: 'lid' })
  await told((await sandbox.send(BEN, ME, { text: 'hello' })).id)
  await restrict(HOUR)
  await gateway.must(stage.instance, 'POST', '/send-presence', { phone: ANA, presence: 'paused' })
  const held = await post('to somebody new')
  await waitsFor('restricted')
  const reply = await post('a reply', BEN)
  assert.equal((await stage.deliveryOf(reply)).status, 'sent')
  assert.equal((await stage.deliveryOf(await post('to all', chatOf(group)))).status, 'sent')
  assert.deepEqual(
    (await queue()).map(({ message_id, waiting_reason, position }) => ({ message_id, waiting_reason, position })),
    [{ message_id: held, waiting_reason: 'restricted', position: 1 }],
  )
  await stage.world.restartService()
  await stage.world.gateway.waitForStatus(stage.instance, 'connected')
  assert.equal((await stage.deliveryOf(await post('after the restart', BEN))).status, 'sent')
  assert.equal((await waitsFor('restricted')).message_id, held)
  await told((await sandbox.send(ANA, ME, { text: 'who is this?' })).id)
  assert.equal((await stage.deliveryOf(held)).status, 'sent')
})

test('status and instance say what the account is restricted to, and the metrics count it', async () => {
  const { gateway } = stage.world
  const shown = async () => {
    const both = await Promise.all(['/status', '/me'].map((path) => gateway.must(stage.instance, 'GET', path)))
    assert.deepEqual(both[0]!.restriction, both[1]!.restriction)
    return both[0]!.restriction as { kind: string; until: string } | null
  }
  const until = async (isThere: boolean) => {
    for (;;) {
      const restriction = await shown().catch((error) => {
        // The main thread learns of a change a moment later than the shard, so the answers of the two may differ.
        if (error instanceof assert.AssertionError) return undefined
        throw error
      })
      if (restriction !== undefined && (restriction !== null) === isThere) return restriction
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
  await until(false)
  await restrict(HOUR)
  const restriction = await until(true)
  assert.equal(restriction?.kind, 'reach_out')
  assert.ok(Math.abs(Date.parse(restriction!.until) - Date.now() - HOUR * 1_000) < 60_000)
  const counted = (await (await fetch(`${gateway.baseUrl}/metrics`)).text()).match(
    /svc_restrictions_total\{kind="reach_out"\} (\d+)/,
  )
  assert.ok(Number(counted?.[1]) >= 1)
  await restrict(0)
  await until(false)
})
