/**
 * The service acknowledges a stanza without encrypted content only when its event is stored. If the commit fails, the
 * network sends the stanza again.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Batch } from '../../src/storage/contract.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { credsFrom } from '../../workers/shard/keys/signal/codec.ts'
import { ANA, chatOf, ME } from '../e2e/received/story.ts'
import { must } from '../harness/http.ts'
import { INSTANCE } from '../unit/storage/fixtures.ts'
import { until } from './ground.ts'
import { type HostedWorld, startHosted } from './hosted.ts'

let world: HostedWorld
before(async () => {
  world = await startHosted(ME)
  await world.sandbox.createContact(ANA, { name: 'Ana' })
  // The first reading of the app state reports nothing. These tests end connections, which would interrupt this
  // reading, so they wait until it is complete.
  await until('the first reading of app state is over', async () => {
    const key = keys.creds(INSTANCE)
    const sealed = await world.store.get(key)
    return sealed !== undefined && credsFrom(world.sealer.open(key, sealed)).accountSyncCounter === 1
  })
})
after(() => world.stop())

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
  // Nothing is left that the network could send again, and the later events have arrived. So a second event of the
  // stanza would have arrived, too.
  await until('all is confirmed', async () => (await world.sandbox.pending()) === 0)
  const { id } = await world.sandbox.send(ANA, ME, { text: 'behind it' })
  await world.receiver.waitFor('behind it', ({ message_id }) => message_id === id)
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

test('labels of a chat', async () => {
  for (const assigned of [true, false]) {
    const refused = refuseOnce()
    await world.sandbox.post(`/phones/${ME}/labels`, { chat: ANA, label: '7', assigned })
    await toldOnce(
      `label ${assigned}`,
      ({ label_associations }) => JSON.stringify(label_associations) === JSON.stringify([{ phone: ANA, label: '7', assigned }]),
      refused,
    )
  }
})

test('the name of the account', async () => {
  const refused = refuseOnce()
  await world.sandbox.put(`/phones/${ME}/profile`, { name: 'Renamed' })
  await toldOnce('name', ({ profile_name }) => profile_name === 'Renamed', refused)
})

test('a saved contact', async () => {
  let refused = 0
  world.refuse(({ ops }) => refused === 0 && ops.some(([key]) => key.includes(':saved-contact:')) && ++refused > 0)
  await world.sandbox.post(`/phones/${ME}/contacts`, { phone: ANA, name: 'Ana of the bakery' })
  const isSaved = async () => {
    for await (const _ of world.store.range(keys.savedContacts(INSTANCE))) return true
    return false
  }
  await until('it is saved', isSaved)
  assert.equal(refused, 1)
})

// Each attempt of the service to look up the chat of this label fails. This must not block the account permanently.
test('a label that cannot be told is let go after its tries, and what changes later is told', async () => {
  const { sandbox, receiver } = world
  const STRANGER = '81896604190009@lid'
  const number = keys.signal(INSTANCE, 'lid-mapping', world.sealer.blind('81896604190009_reverse'))
  let failed = 0
  world.refuseRead((key) => key === number && ++failed > 0)
  await sandbox.post(`/phones/${ME}/labels`, { chat: STRANGER, label: '8' })
  await world.untilRelinked('it was read often enough', () => failed > 5)
  world.refuseRead(null)
  await sandbox.post(`/phones/${ME}/labels`, { chat: ANA, label: '9' })
  const labelled = (label: string) => (event: Record<string, unknown>) =>
    JSON.stringify(event.label_associations ?? null).includes(`"label":"${label}"`)
  await receiver.waitFor('what changes later', labelled('9'))
  assert.deepEqual(receiver.events('received').filter(labelled('8')), [])
})
