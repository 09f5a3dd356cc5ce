import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ANA, BEN, chatOf, type Event, ME, startStory } from './received/story.ts'

const story = await startStory({ webhooks: { notify_sent_by_me: true } })
after(() => story.world.stop())

const POLL = { question: 'Which day?', options: ['Monday', 'Tuesday'] }
const EVENT = { name: 'Planning', start: '2026-03-02T14:00:00Z' }
/** Content of an image. It is never decoded, because only the caption is changed. */
const PICTURE = Buffer.from('a few bytes').toString('base64')

async function heard(from: string, to: string, message: object): Promise<string> {
  const { sandbox } = story.world
  const { id } = from === ME ? await sandbox.sendFromPhone(ME, to, message) : await sandbox.send(from, to, message)
  await story.received(id)
  return id
}

async function sent(path: string, input: object): Promise<string> {
  const { message_id } = await story.world.gateway.must(story.instance, 'POST', path, input)
  await story.received(String(message_id))
  return String(message_id)
}

async function says(from: string, to: string, message: object, type: string, expected: Event): Promise<void> {
  const { id } = await story.world.sandbox.send(from, to, message)
  const event = await story.received(id)
  assert.equal(event.message_type, type, JSON.stringify(event))
  const block = event[type] as Event
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, block[name]])), expected)
}

const votes = (from: string, to: string, id: string) =>
  says(from, to, { poll_vote: { message_id: id, options: ['Tuesday'] } }, 'poll_vote', {
    poll_message_id: id,
    options: ['Tuesday'],
    unknown_options: 0,
  })
const answers = (from: string, to: string, id: string) =>
  says(from, to, { event_response: { message_id: id, response: 'maybe' } }, 'event_response', { response: 'maybe' })
const edits = (to: string, id: string) =>
  says(ANA, to, { edit: { message_id: id, text: 'corrected', encrypted: true } }, 'text', { message: 'corrected' })
const editsCaption = (to: string, id: string) =>
  says(ANA, to, { edit: { message_id: id, text: 'corrected', encrypted: true } }, 'image', { caption: 'corrected' })

test('after a restart votes, answers and edits are read as before it: of received messages, of our own, and of those of our phone', async () => {
  const { sandbox, gateway } = story.world
  const groups = await Promise.all(
    (['lid', 'pn'] as const).map((addressing) =>
      sandbox.createGroup({ subject: addressing, owner: ANA, participants: [ANA, BEN, ME], addressing }),
    ),
  )
  const later: (() => Promise<void>)[] = []

  for (const { chat, to, others } of [
    { chat: ANA, to: ME, others: [ANA] },
    ...groups.map(({ id }) => ({ chat: chatOf(id), to: id, others: [ANA, BEN] })),
  ]) {
    const poll = await heard(ANA, to, { poll: POLL })
    const event = await heard(ANA, to, { event: EVENT })
    const text = await heard(ANA, to, { text: 'as it was' })
    const picture = await heard(ANA, to, { image: PICTURE, caption: 'as it was' })
    const ownPoll = await sent('/send-poll', { phone: chat, ...POLL })
    const ownEvent = await sent('/send-event', { phone: chat, event: { name: 'Ours', date_time: EVENT.start } })
    const phonePoll = await heard(ME, to === ME ? ANA : to, { poll: POLL })
    for (const other of others) {
      later.push(
        () => votes(other, to, poll),
        () => votes(other, to, ownPoll),
        () => votes(other, to, phonePoll),
      )
      later.push(
        () => answers(other, to, event),
        () => answers(other, to, ownEvent),
      )
    }
    later.push(
      () => edits(to, text),
      () => editsCaption(to, picture),
    )
  }

  await story.world.restartService()
  await gateway.waitForStatus(story.instance, 'connected')
  for (const say of later) await say()
})

test('a poll that came under the LID of its author is voted on by number after a restart', async () => {
  const { sandbox, gateway } = story.world
  await sandbox.settings({ addressing: 'lid' })
  const poll = await heard(ANA, ME, { poll: POLL })
  await story.world.restartService()
  await gateway.waitForStatus(story.instance, 'connected')
  await sandbox.settings({ addressing: 'pn' })
  await votes(ANA, ME, poll)
})
