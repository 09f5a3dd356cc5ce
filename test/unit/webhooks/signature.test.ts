import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { newWebhookSecret } from '../../../src/account/credentials.ts'
import { SECOND } from '../../../src/domain/clock.ts'
import type { PreviousSecret } from '../../../src/domain/instance.ts'
import { parseRanges } from '../../../src/egress/addresses.ts'
import { createDelivery } from '../../../src/webhooks/delivery/delivery.ts'
import { createOutbox } from '../../../workers/shard/webhooks/outbox.ts'
import { textEvent } from '../../harness/received-event.ts'
import { INSTANCE, manualTime, recordingLog, START, sealer, tempStore, until, webhookSettings } from '../storage/fixtures.ts'
import { type Received, receiver } from './receiver.ts'

const { webhooks } = new Stripe('sk_test_x')
const LONG = Number.MAX_SAFE_INTEGER
const signatureOf = ({ headers }: Received) => headers['x-svc-signature'] as string
const verifies = (received: Received, secret: string, tolerance = LONG, body = received.body) => {
  try {
    webhooks.constructEvent(body, signatureOf(received), secret, tolerance)
    return true
  } catch (error) {
    assert.equal((error as { type?: string }).type, 'StripeSignatureVerificationError')
    return false
  }
}

test('after a rotation the secret that was signs as well until its time is over, retries included', async (t) => {
  let answer = 500
  const to = await receiver(t, () => answer)
  const store = await tempStore(t)
  const time = manualTime()
  const { deliver, close } = createDelivery({ allow: parseRanges(['127.0.0.0/8']), clock: time.clock })
  t.after(close)
  let settings = webhookSettings(to.url, { secret: 'whsec_one' })
  let previous: PreviousSecret | undefined
  const { clock, timer } = time
  const outbox = createOutbox({
    instanceId: INSTANCE,
    store,
    sealer,
    clock,
    steady: clock,
    timer,
    webhooks: () => settings,
    previousSecret: () => previous,
    deliver,
    log: recordingLog(),
    steps: () => {},
  })
  t.after(() => outbox.stop(0))
  await outbox.start()
  const { eventId, ops } = outbox.append(textEvent('one', START))
  await store.commit({ ops })
  outbox.committed(eventId)
  await until(() => to.received.length === 1, 'the first try')
  assert.deepEqual([verifies(to.received[0]!, 'whsec_one'), verifies(to.received[0]!, 'whsec_two')], [true, false])

  settings = { ...settings, secret: 'whsec_two' }
  previous = { secret: 'whsec_one', until: START + 30 * SECOND }
  await time.armed(10 * SECOND)
  time.advance(10 * SECOND)
  await until(() => to.received.length === 2, 'a retry within the grace time')
  const both = to.received[1]!
  assert.match(signatureOf(both), /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
  assert.deepEqual([verifies(both, 'whsec_one'), verifies(both, 'whsec_two'), verifies(both, 'whsec_zero')], [true, true, false])
  const changed = Buffer.from(both.body)
  changed[20]! ^= 1
  assert.equal(verifies(both, 'whsec_two', LONG, changed), false, 'a changed byte')
  assert.equal(verifies(both, 'whsec_two', 300), false, 'an old time')

  answer = 200
  await time.armed(60 * SECOND)
  time.advance(60 * SECOND)
  await until(() => to.received.length === 3, 'a retry after it')
  assert.match(signatureOf(to.received[2]!), /^t=\d+,v1=[0-9a-f]{64}$/)
  assert.deepEqual([verifies(to.received[2]!, 'whsec_one'), verifies(to.received[2]!, 'whsec_two')], [false, true])
})

test('the libraries of Standard Webhooks verify the same request with the same secret, two secrets during a rotation', async (t) => {
  const to = await receiver(t, () => 200)
  const { deliver, close } = createDelivery({ allow: parseRanges(['127.0.0.0/8']), clock: Date })
  t.after(close)
  const [current, previous, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()]
  const body = Buffer.from(JSON.stringify({ type: 'received', event_id: 'e1', text: { message: 'Olá ✓' } }))
  await deliver({
    url: to.url,
    secrets: [current, previous],
    body,
    type: 'received',
    eventId: 'e1',
    instanceId: INSTANCE,
    attempt: 1,
  })
  const [{ headers }] = to.received as [Received]
  assert.equal(headers['webhook-id'], 'e1')
  assert.match(String(headers['webhook-signature']), /^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/)
  const given = headers as Record<string, string>
  // One of the libraries returns the parsed body, and the other returns nothing. Both throw if the signature is wrong.
  for (const Webhook of [StandardWebhook, SvixWebhook]) {
    for (const secret of [current, previous]) assert.doesNotThrow(() => new Webhook(secret).verify(body.toString(), given))
    assert.throws(() => new Webhook(other).verify(body.toString(), given), /signature/i)
    assert.throws(() => new Webhook(current).verify(`${body.toString()} `, given), /signature/i)
  }
})
