import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '../harness/world.ts'
import { until } from './ground.ts'
import { compare, firstDeliveries, line, textOf, texts } from './ledger.ts'
import { CONTACTS, createPeople, MEMBERS, PHONE, writeBursts } from './traffic.ts'

test('a backlog of 500 texts is delivered whole and in order, ahead of what is new', { timeout: 240_000 }, async (t) => {
  const world = await startWorld()
  const { gateway, sandbox, receiver } = world
  try {
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    const { group } = await createPeople(sandbox)
    // This setting makes the network send the next batch only on request, as it does with the web client.
    await sandbox.settings({ offline_batches: 'required' })
    // The first message of each author in the group contains the sender key, without which the later ones cannot be
    // decrypted. So the network goes down before these messages.
    await sandbox.setDown(true)
    await until('away', async () => (await gateway.status(instance)).status !== 'connected')
    const { ids, burst } = writeBursts(sandbox)
    await burst(CONTACTS[2], PHONE, 150, 'a ')
    await burst(CONTACTS[3], PHONE, 150, 'b ')
    await burst(MEMBERS[0], group, 100, 'g ')
    await burst(MEMBERS[1], group, 100, 'h ')
    const onPhone = async () => (await sandbox.inbox(PHONE)).map(({ text }) => text!)
    await until('500 on the phone', async () => (await onPhone()).length === 500)
    await sandbox.setDown(false)
    await burst(CONTACTS[2], PHONE, 60, 'a new ', 15)
    await burst(MEMBERS[0], group, 60, 'g new ', 15)
    await gateway.waitForStatus(instance, 'connected')
    await until('all of them', () => compare(receiver, 'received', ids).lost.length === 0)

    const { sent, unique, duplicates, lost, torn } = compare(receiver, 'received', ids)
    t.diagnostic(line('backlog', { sent, unique, duplicates, lost: lost.length }))
    assert.deepEqual(torn, [])
    assert.equal(texts(receiver).length, ids.length + duplicates, 'each as one event')
    const told = firstDeliveries(texts(receiver)).map(textOf)
    for (const author of ['a', 'b', 'g', 'h']) {
      const own = (text: string) => text.startsWith(`${author} `)
      assert.deepEqual(told.filter(own), (await onPhone()).filter(own), `as on the phone: ${author}`)
    }
  } finally {
    await world.stop()
  }
})
