/**
 * Cuts the connection again and again while texts arrive. Texts would be lost if the service acknowledged them before
 * it stores them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amount } from '../harness/amount.ts'
import { pause, startGround } from './ground.ts'
import { compare, line } from './ledger.ts'
import { assertIncomingOrder, CONTACTS, createPeople, MEMBERS, PHONE, waitForAll, writeBursts } from './traffic.ts'

const CUTS = amount(45, 10)
const PACED = amount(88, 20)
/** Number of texts in a burst, which are sent without pauses. Every fifth lost connection happens during a burst. */
const BURST = 25

test(`${CUTS} lost connections during incoming texts lose none and keep their order`, { timeout: 180_000 }, async (t) => {
  const ground = await startGround()
  const { gateway, sandbox, receiver } = ground
  try {
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    const { group } = await createPeople(sandbox)
    const { ids, burst } = writeBursts(sandbox)
    await burst(CONTACTS[0], PHONE, PACED, 'paced a ', 4)
    await burst(MEMBERS[1], group, PACED, 'paced g ', 4)
    const bursts = [
      [CONTACTS[2], PHONE],
      [MEMBERS[0], group],
      [CONTACTS[3], PHONE],
      [MEMBERS[1], group],
    ] as const
    for (let cut = 0; cut < CUTS; cut++) {
      await gateway.waitForStatus(instance, 'connected')
      const isInBurst = cut % 5 === 0
      if (isInBurst) {
        const [from, to] = bursts[(cut / 5) % bursts.length]!
        await burst(from, to, BURST, `burst ${cut} `)
      }
      await pause(Math.random() * (isInBurst ? 40 : 150))
      await sandbox.cut(PHONE)
    }
    await gateway.waitForStatus(instance, 'connected')
    await waitForAll(ground, ids, [])

    const { sent, unique, duplicates, lost, torn } = compare(receiver, 'received', ids)
    const { undecryptable } = await sandbox.stats()
    const retries = ground.unreadable() ?? '?'
    t.diagnostic(line('cuts', { sent, unique, duplicates, lost: lost.length, cuts: CUTS, retries, undecryptable }))
    assert.deepEqual(lost, [])
    assert.equal(sent, 2 * PACED + BURST * Math.ceil(CUTS / 5))
    assert.deepEqual(torn, [], 'messages with two event ids')
    assertIncomingOrder(ground)
    assert.deepEqual(receiver.problems, [])
  } finally {
    await ground.stop()
  }
})
