/**
 * A client sends a request slowly while the service stops. Waiting for it must not use up the time that the sessions
 * need to stop.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startGround } from './ground.ts'
import { CONTACTS, createPeople, PHONE } from './traffic.ts'

const STOP_SECONDS = 6
/**
 * Time in ms after which the network acknowledges the text. It is longer than the time for which the stopping service
 * waits for the slow client: half of the allowed time.
 */
const ACK = 4_000

test('the item in flight ends by the answer of the network although a caller never sends the rest of its body', async () => {
  const ground = await startGround({}, { SVC_SHUTDOWN_SECONDS: String(STOP_SECONDS) })
  const { gateway, sandbox, receiver } = ground
  try {
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    await createPeople(sandbox)
    const first = await gateway.sendText(instance, CONTACTS[0], 'first')
    await receiver.waitFor('the first', ({ svc_id }) => svc_id === first.svc_id)

    await sandbox.fault({ on: 'message', match: { type: 'text', direction: 'from_client' }, do: { delay_ms: ACK } })
    const { id } = await sandbox.post<{ id: string }>('/expect', { match: { from: 'client', tag: 'message' }, wait_ms: 0 })
    const second = await gateway.sendText(instance, CONTACTS[0], 'second')
    await sandbox.get(`/expect/${id}?wait_ms=20000`)
    const { hostname, port, pathname } = new URL(`${instance.api_url}/send-text`)
    const caller = connect(Number(port), hostname)
    const asks = `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`
    await new Promise<void>((resolve) => caller.write(asks, () => resolve()))
    // When this request is answered, the service has already received the beginning of the slow request.
    await gateway.status(instance)
    const began = Date.now()
    await ground.service.stop()
    const tookMs = Date.now() - began
    caller.destroy()
    await sandbox.clearFaults()

    await ground.start()
    await receiver.waitFor('the second', ({ svc_id }) => svc_id === second.svc_id)
    const items = await sandbox.inbox(CONTACTS[0])
    const repeated = items.filter(({ repeats }) => repeats !== undefined).map(({ text }) => text)
    assert.deepEqual(repeated, [], 'sent again after the stop')
    assert.ok(tookMs < STOP_SECONDS * 1_000, 'the caller does not hold it up for the whole time')
  } finally {
    await ground.stop()
  }
})
