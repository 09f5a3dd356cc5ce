/**
 * Kills the service at random moments while messages are sent in both directions. No acknowledged message may be lost,
 * and each received message must be reported with one event id. An app is authorized by OAuth, with a kill between the
 * steps.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amount } from '../harness/amount.ts'
import { consentSteps } from '../harness/oauth-app.ts'
import { pause, startGround } from './ground.ts'
import { compare, line } from './ledger.ts'
import {
  assertIncomingOrder,
  assertOutgoingOrder,
  CONTACTS,
  createPeople,
  MEMBERS,
  type Owed,
  PHONE,
  sendOwed,
  settleOutgoing,
  waitForAll,
  writeBursts,
} from './traffic.ts'

const KILLS = amount(10, 3)
const INCOMING = amount(200, 150)
const OUTGOING_EACH = amount(40, 20)
/**
 * Number of texts that wait for their `send_at` when the service is killed for the first time. They are queued in the
 * reverse order of these times.
 */
const TIMED = 6
/**
 * Time in ms from the first request until a second before the first `send_at`. On a slow machine the requests take
 * seconds, and a `send_at` in the past has no effect.
 */
const TIMED_FROM = 8_000
/**
 * Longest pause in ms after a start, before the messages and the kill that follow. The service begins to send its queue
 * about 2.5 s after it answers.
 */
const LONGEST_LIFE = 4_500

test(`${KILLS} kills at random moments lose nothing of what goes out and comes in`, { timeout: 600_000 }, async (t) => {
  const ground = await startGround({}, { SVC_MCP_OAUTH: 'on' })
  const { gateway, sandbox, receiver } = ground
  try {
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    const adminKey = gateway.admin.authorization.slice('Bearer '.length)
    const consent = consentSteps(gateway.baseUrl, { adminKey, instance: instance.id })
    const { group } = await createPeople(sandbox)
    const { ids, burst } = writeBursts(sandbox)
    await burst(CONTACTS[0], PHONE, 40, 'in a ', 1)
    await burst(CONTACTS[2], PHONE, 40, 'in c ', 1)
    await burst(MEMBERS[1], group, 40, 'in g ', 1)

    const owed: Owed[] = []
    const begun = Date.now()
    for (let number = TIMED; number >= 1; number--) {
      const [to, message, dueAt] = [CONTACTS[0], `timed ${number}`, begun + TIMED_FROM + number * 1_000]
      const ack = await gateway.sendText(instance, to, message, { send_at: new Date(dueAt).toISOString() })
      owed.push({ svcId: ack.svc_id, messageId: ack.message_id, to, message, dueAt })
    }
    const senders = [...CONTACTS, group].map(async (to, index) => {
      for (let number = 1; number <= OUTGOING_EACH; number++) {
        owed.push(await sendOwed(ground, instance, to, `out ${index} ${number}`))
        await pause(Math.random() * 1_600)
      }
    })
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(Math.random() * LONGEST_LIFE)
      if (kill % 4 === 0) await burst(CONTACTS[1], PHONE, 15, `in burst ${kill} `)
      if (kill % 4 === 2) await burst(MEMBERS[0], group, 10, `in burst ${kill} `)
      await pause(Math.random() * 30)
      await consent.next()
      await ground.service.kill()
      if (kill % 4 === 1) await burst(CONTACTS[3], PHONE, 5, `in burst ${kill} `)
      await ground.start()
    }
    assert.equal((await consent.next()).value, 200)
    await Promise.all(senders)
    await gateway.waitForStatus(instance, 'connected')
    await waitForAll(ground, ids, owed)

    const incoming = compare(receiver, 'received', ids)
    const outgoing = await settleOutgoing(ground, owed)
    const { undecryptable } = await sandbox.stats()
    const unread = ground.unreadable() ?? '?'
    const { sent, unique, duplicates, lost } = incoming
    t.diagnostic(line('kill, in', { sent, unique, duplicates, lost: lost.length, kills: KILLS, unreadable_at_first: unread }))
    t.diagnostic(line('kill, out', { ...outgoing, lost: outgoing.lost.length, kills: KILLS, undecryptable }))
    assert.deepEqual(lost, [])
    assert.deepEqual(outgoing.lost, [])
    assert.equal(incoming.sent, INCOMING)
    assert.equal(outgoing.sent, 5 * OUTGOING_EACH + TIMED)
    const leftAt = new Map(receiver.events('delivery').map(({ svc_id, momment }) => [svc_id, Number(momment)]))
    for (const { svcId, dueAt = 0, message } of owed) assert.ok(leftAt.get(svcId)! >= dueAt, `${message} left before its time`)
    assert.deepEqual(incoming.torn, [], 'messages with two event ids')
    assertIncomingOrder(ground)
    await assertOutgoingOrder(ground)
    assert.deepEqual(receiver.problems, [])
  } finally {
    await ground.stop()
  }
})
