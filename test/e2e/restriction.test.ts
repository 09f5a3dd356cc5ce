/** While the network restricts the account the line waits: each try would count against it. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type Json, type Stage, startStage } from '../harness/stage.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
const HOUR = 3_600

let stage: Stage
before(async () => {
  stage = await startStage(ME)
  await stage.world.sandbox.createContact(ANA, { name: 'Ana' })
})
afterEach(async () => {
  await stage.world.sandbox.clearFaults()
  await restrict(0)
})
after(() => stage.world.stop())

const restrict = (seconds: number, silent = false) => stage.world.sandbox.put(`/phones/${ME}/restriction`, { seconds, silent })
const post = async (message: string) =>
  String((await stage.world.gateway.must(stage.instance, 'POST', '/send-text', { phone: ANA, message })).message_id)
const queue = async () => (await stage.world.gateway.must(stage.instance, 'GET', '/queue')).data as Json[]
/** Until the line shows it; the network tells of a lock at once. */
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
  // The lock is told before the acknowledgement of a message that is refused: this one only shows that it has arrived.
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
