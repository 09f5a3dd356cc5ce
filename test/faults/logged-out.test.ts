/** The stored data about messages belong to one linked device, and are deleted when this device is logged out. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { keys } from '../../src/storage/record-keys.ts'
import { callTo } from '../harness/calls.ts'
import { INSTANCE } from '../unit/storage/fixtures.ts'
import { until } from './ground.ts'
import { startHosted } from './hosted.ts'
import { compare } from './ledger.ts'
import { CONTACTS, createPeople, PHONE } from './traffic.ts'

const world = await startHosted(PHONE)
await createPeople(world.sandbox)
after(() => world.stop())

const PREFIXES = [
  keys.journals(INSTANCE),
  keys.deadLetters(INSTANCE),
  keys.marks(INSTANCE, 0),
  keys.secrets(INSTANCE),
  keys.sents(INSTANCE),
  keys.sentPosts(INSTANCE),
  keys.waitings(INSTANCE),
  keys.calls(INSTANCE),
]

async function kept(): Promise<string[]> {
  const found: string[] = []
  for (const prefix of PREFIXES) for await (const [key] of world.store.range(prefix)) found.push(key)
  return found
}

async function receives(text: string) {
  const { id } = await world.sandbox.send(CONTACTS[0], PHONE, { text })
  await until(text, () => compare(world.receiver, 'received', [id]).unique === 1)
}

test('journal, dead letters, marks, secrets, sent and waiting messages and calls go with the credentials, and the next device begins without them', async () => {
  const { instance, sandbox, store } = world
  await receives('to the first device')
  await store.commit({
    ops: [
      [keys.journal(INSTANCE, 'a'), Buffer.from('x')],
      [keys.deadLetter(INSTANCE, 'b'), Buffer.from('x')],
      [keys.sent(INSTANCE, 'c'), Buffer.from('x')],
      [keys.sentPost(INSTANCE, 'c'), Buffer.from('x')],
      [keys.waiting(INSTANCE, 'd'), Buffer.from('x')],
      [keys.call(INSTANCE, 'e'), Buffer.from('x')],
    ],
  })
  const found = await kept()
  for (const prefix of PREFIXES)
    assert.ok(
      found.some((key) => key.startsWith(prefix)),
      prefix,
    )
  await instance.call(callTo('instance.disconnect'))
  assert.deepEqual(await kept(), [])
  const { value } = (await instance.call(callTo('instance.qrCode'))) as { value: string }
  await sandbox.scan(PHONE, value)
  await until('connected', () => world.state().status === 'connected')
  await receives('to the second device')
})
