/**
 * Tests a stalled connection: it is open and sending works, but one handler never ends, and everything after it waits.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { keys } from '../../src/storage/record-keys.ts'
import { INSTANCE } from '../unit/storage/fixtures.ts'
import { until } from './ground.ts'
import { startHosted } from './hosted.ts'
import { compare } from './ledger.ts'
import { burstIds, CONTACTS, createPeople, PHONE } from './traffic.ts'

const world = await startHosted(PHONE, { stalledAfterMs: 2_000 })
await createPeople(world.sandbox)
after(() => world.stop())

test('a stalled instance reconnects with the same credentials, and every message arrives', async () => {
  const { sandbox, receiver } = world
  const { id: first } = await sandbox.send(CONTACTS[0], PHONE, { text: 'heard' })
  await until('the first', () => compare(receiver, 'received', [first]).lost.length === 0)

  // The read of a session does not end before `release` is called. So the queue of all messages is blocked.
  const release = world.stallReads((key) => key.startsWith(keys.signals(INSTANCE, 'session')))
  const ids = [
    ...burstIds(await sandbox.burst(CONTACTS[2], PHONE, 3, 'stuck ')),
    ...burstIds(await sandbox.burst(CONTACTS[0], PHONE, 3, 'behind ')),
  ]
  await until('a new connection', () => world.state().status !== 'connected', 20_000)
  release()
  await until('connected', () => world.state().status === 'connected')
  await until('all of them', () => compare(receiver, 'received', ids).lost.length === 0)
  assert.deepEqual(compare(receiver, 'received', [first, ...ids]).torn, [])
  const counted = world.deps.tally.numbers()
  assert.equal(counted.get('svc_inbound_stalled_total|message'), 1, 'the metrics say so')
  assert.equal(counted.get('svc_inbound_deaf_total|message'), 1, 'the former name counts too, until 2.0.0')
})

test('silence and handled traffic are not a stall', async () => {
  const { sandbox, receiver } = world
  const { connections } = await sandbox.stats()
  const { count, first_id } = await sandbox.burst(CONTACTS[1], PHONE, 30, 'paced ', { per_second: 8 })
  const ids = burstIds({ count, first_id })
  await until('all of them', () => compare(receiver, 'received', ids).lost.length === 0)
  assert.equal(world.state().status, 'connected')
  assert.equal((await sandbox.stats()).connections, connections)
})
