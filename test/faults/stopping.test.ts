/** An instance that stops: what is in flight comes to its end, and nothing is written behind it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseIdentifier } from '../../src/domain/ids.ts'
import { keys } from '../../src/storage/keys.ts'
import { INSTANCE } from '../unit/storage/fixtures.ts'
import { until } from './ground.ts'
import { type HostedWorld, startHosted } from './hosted.ts'
import { CONTACTS, createPeople, PHONE } from './traffic.ts'

let world: HostedWorld
before(async () => {
  world = await startHosted(PHONE)
  await createPeople(world.sandbox)
})
after(() => world.stop())

async function recordsOf(prefix: string): Promise<string[]> {
  const found: string[] = []
  for await (const [key] of world.store.range(prefix)) found.push(key)
  return found
}

const text = (message: string) => ({ phone: parseIdentifier(CONTACTS[0]), message })

test('the item in flight at a stop ends by the answer of the network and is not sent again', async () => {
  const { sandbox, instance, store, receiver } = world
  await sandbox.fault({ on: 'message', match: { type: 'text' }, do: { delay_ms: 1_000 }, times: 1 })
  const { message_id } = (await instance.call('send.sendText', text('in flight'))) as { message_id: string }
  await until('in flight', async () => (await store.get(keys.queueInFlight(INSTANCE))) !== undefined)
  await instance.stop('keep')
  assert.deepEqual(await recordsOf(keys.queue(INSTANCE)), [])
  const delivery = receiver.events('delivery').find((event) => event.message_id === message_id)
  assert.equal(delivery?.status, 'sent', JSON.stringify(delivery))
})
