/**
 * The service requests an undecryptable message again from the sender and from the account's phone. If no readable copy
 * comes within 10 s, it reports the message without content.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ANA, ANA_LID, BEN, chatOf, content, ME, nothingOr, type Story, startStory } from './received/story.ts'

let story: Story
before(async () => {
  story = await startStory()
  await story.fromAna({ text: 'first' }, { message_type: 'text', text: text('first') })
})
after(() => story.world.stop())

const text = (message: string) => ({ message, title: null, description: null, url: null })
const told = (id: string) => story.world.receiver.events('received').filter(({ message_id }) => message_id === id)
const damage = () =>
  story.world.sandbox.fault({ on: 'message', match: { direction: 'to_client' }, do: { corrupt: true }, times: 1 })
/** Drops the next retry receipt, so that the sender is not asked to send its message again. */
const muteRetries = () => story.world.sandbox.fault({ on: 'receipt', match: { type: 'retry' }, do: 'drop', times: 1 })

test('a message whose retry comes in time is told once, readable', async () => {
  await damage()
  const { id } = await story.world.sandbox.send(ANA, ME, { text: 'again' })
  const event = await story.received(id)
  assert.deepEqual(content(event), story.full({ message_id: id, message_type: 'text', text: text('again') }))
  assert.equal(told(id).length, 1)
})

// An earlier bug: the copy from the phone was never reported, because the library's buffer drops the field by which the
// copy is recognized.
test('a message whose sender stays silent is fetched from the phone', async () => {
  await damage()
  await muteRetries()
  const { id } = await story.world.sandbox.send(ANA, ME, { text: 'by the phone' })
  const event = await story.received(id)
  assert.deepEqual(content(event), story.full({ message_id: id, message_type: 'text', text: text('by the phone') }))
  assert.equal(told(id).length, 1)
})

test('a message that linked devices get no content of is fetched from the phone, alone and in a group', async () => {
  const { sandbox } = story.world
  const alone = await sandbox.send(ANA, ME, { text: 'an ad' }, { unavailable: 'fanout' })
  assert.deepEqual(
    content(await story.received(alone.id)),
    story.full({ message_id: alone.id, message_type: 'text', text: text('an ad') }),
  )
  const { id: group } = await sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, BEN, ME] })
  const inGroup = await sandbox.send(ANA, group, { text: 'to all' }, { unavailable: 'fanout' })
  story.compare(await story.received(inGroup.id), {
    message_id: inGroup.id,
    message_type: 'text',
    phone: chatOf(group),
    chat_lid: null,
    is_group: true,
    chat_name: nothingOr('Team'),
    participant_phone: ANA,
    participant_lid: ANA_LID,
    text: text('to all'),
  })
  for (const { id } of [alone, inGroup]) assert.equal(told(id).length, 1)
})

// An earlier bug: each undecryptable message blocked the library's queue for 260 ms, so one sender with a broken key
// delayed everybody.
test('a burst that cannot be read holds up nobody else, and is read in the end', async () => {
  const { sandbox, receiver } = story.world
  const BURST = 120
  await sandbox.fault({ on: 'message', match: { direction: 'to_client' }, do: { corrupt: true }, times: BURST })
  await sandbox.burst(ANA, ME, BURST, 'unreadable ')
  const { id } = await sandbox.send(BEN, ME, { text: 'meanwhile' })
  // An earlier bug delayed this message by half a minute.
  await story.received(id)
  const texts = () => receiver.events('received').filter((event) => JSON.stringify(event.text ?? '').includes('unreadable '))
  assert.ok(texts().length < BURST)
  while (new Set(texts().map(({ message_id }) => message_id)).size < BURST)
    await new Promise((resolve) => setTimeout(resolve, 50))
})
