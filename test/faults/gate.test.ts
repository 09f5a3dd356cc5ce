/**
 * What comes without a ciphertext is on disk before the network hears that it arrived: when the commit fails nothing is confirmed, and the
 * network sends it again.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Batch } from '../../src/storage/contract.ts'
import { ANA, chatOf, ME } from '../e2e/received/story.ts'
import { must } from '../harness/http.ts'
import { type HostedWorld, startHosted } from './hosted.ts'

let world: HostedWorld
before(async () => {
  world = await startHosted(ME)
  await world.sandbox.createContact(ANA, { name: 'Ana' })
})
after(() => world.stop())

/** The next event that is to be written is refused, once. */
function refuseOnce(): () => number {
  let refused = 0
  world.refuse((batch: Batch) => {
    if (refused > 0 || !batch.ops.some(([key, value]) => key.includes(':outbox:') && value !== null)) return false
    refused++
    return true
  })
  return () => refused
}

async function toldOnce(what: string, fits: (event: Record<string, unknown>) => boolean, refused: () => number) {
  await world.receiver.waitFor(what, (event) => event.type === 'received' && fits(event))
  assert.equal(refused(), 1)
  assert.equal(world.receiver.events('received').filter(fits).length, 1)
}

test('a notification of a group', async () => {
  const { sandbox } = world
  const { id: group } = await sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, ME] })
  await world.receiver.waitFor('group_create', ({ notification }) => notification === 'group_create')
  const refused = refuseOnce()
  await must('PUT', `${sandbox.url}/groups/${group}`, { by: ANA, subject: 'New name' })
  await toldOnce(
    'group_change_subject',
    (event) => event.notification === 'group_change_subject' && event.phone === chatOf(group),
    refused,
  )
})

test('a channel post', async () => {
  const { sandbox } = world
  const { id: newsletter } = await sandbox.post<{ id: string }>('/newsletters', { owner: ANA, name: 'News', subscribers: [ME] })
  const refused = refuseOnce()
  const { id } = await sandbox.post<{ id: string }>(`/newsletters/${newsletter}/posts`, { message: { text: 'Hi all' } })
  await toldOnce('post', ({ message_id }) => message_id === id, refused)
})

test('a missed call', async () => {
  const refused = refuseOnce()
  const { id } = await world.sandbox.post<{ id: string }>(`/contacts/${ANA}/call`, { to: ME, after_ms: 50, end: 'timeout' })
  await toldOnce('call', ({ message_id }) => message_id === id, refused)
})
