import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Op } from '../../src/storage/contract.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { createInstance } from '../../workers/shard/instance.ts'
import { callTo } from '../harness/calls.ts'
import { INSTANCE } from '../unit/storage/fixtures.ts'
import { until } from './ground.ts'
import { KEY, startHosted } from './hosted.ts'
import { CONTACTS, createPeople, PHONE } from './traffic.ts'

const [ANA] = CONTACTS
const POLL = { question: 'Which day?', options: ['Monday', 'Tuesday'] }

const world = await startHosted(PHONE)
await createPeople(world.sandbox)
after(() => world.stop())

async function restart() {
  await world.instance.stop('keep')
  world.instance = createInstance(world.deps, world.config, KEY)
  await world.instance.start('boot')
  await until('connected', () => world.state().status === 'connected')
}

const eventOf = (type: string, id: string) =>
  world.receiver.waitFor(`${type} ${id}`, (event) => event.type === type && event.message_id === id && !event.waiting_message)

async function readsVote(poll: string) {
  const { id } = await world.sandbox.send(ANA, PHONE, { poll_vote: { message_id: poll, options: ['Tuesday'] } })
  const event = await eventOf('received', id)
  assert.deepEqual(event.poll_vote, { poll_message_id: poll, options: ['Tuesday'], unknown_options: 0 }, JSON.stringify(event))
}

test('a vote on our own poll is read when the poll itself is not kept any more', async () => {
  const input = { phone: ANA, ...POLL, poll_max_options: 1 }
  const { message_id } = (await world.instance.call(callTo('send.sendPoll', input))) as { message_id: string }
  await eventOf('delivery', message_id)
  const ops: Op[] = []
  for await (const [key] of world.store.range(keys.sents(INSTANCE))) ops.push([key, null])
  assert.equal(ops.length, 1)
  // The service deletes these records after a day. The test deletes them now, to have the same state.
  await world.store.commit({ ops })
  await restart()
  await readsVote(message_id)
})

test('a vote on a poll that the phone had to send again is read', async () => {
  const { id } = await world.sandbox.send(ANA, PHONE, { poll: POLL }, { unavailable: 'fanout' })
  const event = await eventOf('received', id)
  assert.equal(event.message_type, 'poll')
  await restart()
  await readsVote(id)
})

test('a vote on a poll that could be read at the second try only is read', async () => {
  const corrupt = { on: 'message', match: { direction: 'to_client' }, do: { corrupt: true }, times: 1 }
  await world.sandbox.fault(corrupt)
  const { id } = await world.sandbox.send(ANA, PHONE, { poll: POLL })
  await eventOf('received', id)
  await restart()
  await readsVote(id)
})
