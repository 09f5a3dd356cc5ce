/** An ordinary lost connection is the commonest fault of all, and without the inbox it loses messages: INBOUND.md, section 1. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '../harness/world.ts'
import { pause, until } from './ground.ts'
import { compare, firstDeliveries, line, outOfOrder, textOf } from './ledger.ts'

const PHONE = '5511999990001'
const CONTACTS = ['5511988880001', '5511988880002', '5511988880003', '5511988880004'] as const
const CUTS = 45
const idsOf = ({ first_id, count }: { first_id: string; count: number }) =>
  Array.from({ length: count }, (_, index) => first_id.slice(0, -6) + String(index + 1).padStart(6, '0'))

test('45 lost connections during 400 incoming texts lose none and keep their order', { timeout: 180_000 }, async (t) => {
  const world = await startWorld()
  const { gateway, sandbox, receiver } = world
  try {
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    for (const contact of CONTACTS) await sandbox.createContact(contact)
    const group = await sandbox.createGroup({ subject: 'cuts', owner: CONTACTS[0], participants: [CONTACTS[1], PHONE] })
    const ids: string[] = []
    const burst = async (from: string, to: string, count: number, prefix: string, perSecond?: number) => {
      ids.push(...idsOf(await sandbox.burst(from, to, count, prefix, perSecond)))
    }
    // Paced ones run through everything; a burst of 25 starts at every fifth cut.
    await burst(CONTACTS[0], PHONE, 88, 'paced a ', 4)
    await burst(CONTACTS[1], group.id, 87, 'paced g ', 4)
    const bursts = [
      [CONTACTS[2], PHONE],
      [CONTACTS[0], group.id],
      [CONTACTS[3], PHONE],
      [CONTACTS[1], group.id],
    ] as const
    let rounds = 0
    for (let cut = 0; cut < CUTS; cut++) {
      await gateway.waitForStatus(instance, 'connected')
      if (cut % 5 === 0) {
        const [from, to] = bursts[rounds % bursts.length]!
        await burst(from, to, 25, `burst ${rounds++} `)
      }
      // Right into the burst, or somewhere into the quiet after it.
      await pause(cut % 5 === 0 ? Math.random() * 40 : Math.random() * 150)
      await sandbox.cut(PHONE)
    }
    await gateway.waitForStatus(instance, 'connected')
    const result = () => compare(receiver, 'received', ids)
    await until(`all ${ids.length} texts`, () => result().lost.length === 0, 30_000).catch(() => {})
    const { undecryptable } = await sandbox.stats()
    const { sent, unique, duplicates, lost, torn } = result()
    t.diagnostic(line('cuts', { sent, unique, duplicates, lost: lost.length, cuts: CUTS, undecryptable }))
    assert.deepEqual(lost, [])
    assert.deepEqual(torn, [], 'messages with two event ids')
    const wrong = outOfOrder(
      firstDeliveries(receiver.events('received')),
      (event) => `${event.phone} ${event.participant_phone} ${textOf(event).replace(/\d+$/, '')}`,
      (event) => Number(/\d+$/.exec(textOf(event))![0]),
    )
    assert.deepEqual(wrong, [], 'order within each chat and sender')
  } finally {
    await world.stop()
  }
})
