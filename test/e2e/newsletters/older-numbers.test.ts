/**
 * Tests a network that does not know the newest query ids of GraphQL operations, but knows those of older clients. The
 * service must send an operation with an id that the network knows.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ANA, ME, startGround } from './ground.ts'

const ground = await startGround()
await ground.me.world.sandbox.settings({ mex_ids: 'older' })
after(() => ground.stop())

const DONE = { value: true }

async function numbersOf(count: number, work: () => Promise<unknown>): Promise<string[]> {
  const { sandbox } = ground.me.world
  const match = { from: 'client', account: ME, xmlns: 'w:mex' }
  const { id } = await sandbox.post<{ id: string }>('/expect', { match, count, wait_ms: 0 })
  await work()
  const { items } = await sandbox.get<{ items: { node: [string, object, [string, { query_id: string }][]] }[] }>(
    `/expect/${id}?wait_ms=10000`,
  )
  return items.map(({ node }) => node[2][0]![1].query_id)
}

test('a channel is made, looked up and muted by the numbers of before, and at once so the next time', async () => {
  const made = await ground.must('newsletters.create', { name: 'Old', description: 'first' })
  const id = String(made.id)
  assert.equal((await ground.inNetwork(id))?.name, 'Old')
  let looked: unknown
  const numbers = await numbersOf(3, async () => {
    looked = await ground.must('newsletters.metadata', { newsletter_id: id })
    await ground.must('newsletters.metadata', { newsletter_id: id })
  })
  assert.equal((looked as { name: string }).name, 'Old')
  const [today, older, again] = numbers
  assert.notEqual(today, older)
  assert.equal(again, older, 'what the network does not know is not asked for once more')
  const followed = await ground.channel({ owner: ANA, subscribers: [ME] })
  assert.deepEqual(await ground.must('newsletters.mute', { newsletter_id: followed.id }), DONE)
  assert.deepEqual((await ground.inNetwork(followed.id))?.muted, [ME])
  assert.deepEqual(await ground.must('newsletters.unmute', { newsletter_id: followed.id }), DONE)
  assert.deepEqual((await ground.inNetwork(followed.id))?.muted, [])
})
