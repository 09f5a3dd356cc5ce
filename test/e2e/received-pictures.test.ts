/**
 * Events contain the URLs of profile and group pictures that the service already knows. It queries unknown URLs after
 * the event, but only for some of the authors in a large group.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { must } from '../harness/http.ts'
import { ANA, ANA_LID, BEN, CAROL, chatOf, type Event, ME, startStory } from './received/story.ts'

const ANA_PICTURE = 'https://127.0.0.1/ana.jpg?oe=7FFFFFFF'
const GROUP_PICTURE = 'https://127.0.0.1/group.jpg'
/** The beginning and the end of a JPEG file, without pixels, because nobody decodes it. */
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex').toString('base64')

const story = await startStory({ webhooks: { notify_sent_by_me: true } })
after(() => story.world.stop())

interface Counted {
  phone?: string
  id?: string
  picture_queries?: number
  metadata_queries?: number
}
interface State {
  phones: Counted[]
  contacts: Counted[]
  groups: Counted[]
  newsletters: Counted[]
}

const state = () => story.world.sandbox.get<State>('/state')
const all = ({ phones, contacts, groups }: State) => [...phones, ...contacts, ...groups]

async function questionsAbout(name: string): Promise<number> {
  const found = all(await state()).find(({ phone, id }) => phone === name || id === name)
  assert.ok(found, `${name} is on the network`)
  return found.picture_queries ?? 0
}

async function says(from: string, to = ME): Promise<Event> {
  const { id } = await story.world.sandbox.send(from, to, { text: 'hello' })
  return story.received(id)
}

/**
 * Sends messages for up to 20 s, until an event matches. The answer of the network to a query arrives after the event, and nothing
 * shows when, so one message is not enough.
 */
async function eventually(say: () => Promise<Event>, fits: (event: Event) => boolean): Promise<Event> {
  const until = Date.now() + 20_000
  for (;;) {
    const event = await say()
    if (fits(event)) return event
    assert.ok(Date.now() < until, `still ${JSON.stringify(event)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const saysUntil = (fits: (event: Event) => boolean, from: string, to = ME) => eventually(() => says(from, to), fits)

/**
 * Waits until the answers to all earlier queries of pictures have arrived. The queries are sent one after the other, so
 * the answer about a new person comes last.
 */
async function allAsked(newcomer: string) {
  await story.world.sandbox.createContact(newcomer, { picture: ANA_PICTURE })
  await saysUntil(({ photo }) => photo !== null, newcomer)
}

test('the first message of a chat has no picture yet, and a later one has', async () => {
  const { sandbox } = story.world
  await sandbox.updateContact(ANA, { picture: ANA_PICTURE })
  const first = await says(ANA)
  assert.deepEqual([first.photo, first.sender_photo, first.chat_name], [null, null, 'Ana'])
  const later = await saysUntil(({ photo }) => photo !== null, ANA)
  assert.deepEqual([later.photo, later.sender_photo], [ANA_PICTURE, ANA_PICTURE])
  for (let count = 0; count < 10; count++) assert.equal((await says(ANA)).photo, ANA_PICTURE)
  assert.equal(await questionsAbout(ANA), 1)
})

test('a changed picture is forgotten and requested again; a removed picture is gone', async () => {
  const { sandbox } = story.world
  const asked = await questionsAbout(ANA)
  const changed = 'https://127.0.0.1/ana-2.jpg'
  await sandbox.updateContact(ANA, { picture: changed })
  await saysUntil(({ photo }) => photo === changed, ANA)
  assert.equal(await questionsAbout(ANA), asked + 1)

  await sandbox.updateContact(ANA, { picture: '' })
  await saysUntil(({ photo }) => photo === null, ANA)
  await sandbox.updateContact(ANA, { picture: JPEG })
  const { photo } = await saysUntil(({ photo }) => photo !== null, ANA)
  assert.match(String(photo), /^https:\/\/127\.0\.0\.1:\d+\/pps\/\d+\.jpg$/)
})

test('a picture told by number is forgotten for the chat known by LID, and by LID too', async () => {
  const { sandbox } = story.world
  for (const addressing of ['pn', 'lid']) {
    await sandbox.settings({ addressing })
    const picture = `https://127.0.0.1/by-${addressing}.jpg`
    await sandbox.updateContact(ANA, { picture })
    const { chat_lid } = await saysUntil(({ photo }) => photo === picture, ANA)
    assert.equal(chat_lid, ANA_LID)
  }
})

test('somebody without a picture, or who hides it, is asked about once', async () => {
  const { sandbox } = story.world
  await sandbox.updateContact(CAROL, { blocked_me: true, picture: ANA_PICTURE })
  for (const who of [BEN, CAROL]) {
    assert.equal((await says(who)).photo, null)
    await allAsked(`${who}00`)
    assert.equal(await questionsAbout(who), 1)
    for (let count = 0; count < 5; count++) assert.equal((await says(who)).photo, null)
    assert.equal(await questionsAbout(who), 1)
  }
})

test('a group has its picture, its author has its own, and the subject is the name', async () => {
  const { sandbox } = story.world
  const { id: group } = await sandbox.createGroup({
    subject: 'Pictured',
    owner: ANA,
    participants: [ANA, BEN, ME],
    settings: { picture: GROUP_PICTURE },
  })
  const { photo: ana } = await says(ANA)
  assert.ok(ana)
  const event = await saysUntil(({ photo, chat_name }) => photo !== null && chat_name !== null, ANA, group)
  assert.equal(event.photo, GROUP_PICTURE)
  assert.equal(event.sender_photo, ana)
  assert.equal(event.chat_name, 'Pictured')
  assert.equal((await says(BEN, group)).sender_photo, null)
  const asked = await questionsAbout(group)
  for (let count = 0; count < 5; count++) assert.equal((await says(ANA, group)).photo, GROUP_PICTURE)
  assert.equal(await questionsAbout(group), asked)

  const other = 'https://127.0.0.1/group-2.jpg'
  await must('PUT', `${sandbox.url}/groups/${group}`, { by: ANA, picture: other, subject: 'Renamed' })
  const renamed = await saysUntil(({ photo }) => photo === other, ANA, group)
  assert.equal(renamed.chat_name, 'Renamed')
})

// If the picture of every author were queried, fifty people who write in a group would cause fifty queries.
test('of the authors of a large group a handful is asked about', async () => {
  const { sandbox, receiver } = story.world
  const authors = Array.from({ length: 50 }, (_, index) => `55118877${String(index).padStart(5, '0')}`)
  for (const author of authors) await sandbox.createContact(author, { picture: `https://127.0.0.1/${author}.jpg` })
  const { id: group } = await sandbox.createGroup({ subject: 'Crowd', owner: ANA, participants: [ANA, ME, ...authors] })
  for (const author of authors) await says(author, group)
  await allAsked('5511988870098')
  for (const author of authors) await says(author, group)

  const asked = all(await state()).filter(({ phone, picture_queries }) => authors.includes(phone ?? '') && picture_queries)
  assert.deepEqual(
    asked.map(({ picture_queries }) => picture_queries),
    Array.from({ length: 10 }, () => 1),
  )
  const shown = receiver
    .events('received')
    .filter(({ phone, text, sender_photo }) => phone === chatOf(group) && text && sender_photo)
  assert.deepEqual(shown.map(({ participant_phone }) => participant_phone).sort(), asked.map(({ phone }) => phone).sort())
})

test('the chat of a message we write has the picture that is known, and nobody is asked for it', async () => {
  const { sandbox, gateway } = story.world
  const stranger = '5511988870099'
  await sandbox.createContact(stranger, { name: 'Stranger', picture: ANA_PICTURE })
  const { message_id } = await gateway.sendText(story.instance, stranger, 'hello')
  const sent = await story.received(message_id)
  assert.deepEqual([sent.from_api, sent.photo, sent.chat_name], [true, null, null])
  const { message_id: toAna } = await gateway.sendText(story.instance, ANA, 'hello')
  assert.notEqual((await story.received(toAna)).photo, null)
  await allAsked('5511988870097')
  assert.equal(await questionsAbout(stranger), 0)
  const answer = await says(stranger)
  assert.deepEqual([answer.chat_name, answer.sender_name, answer.photo], ['Stranger', 'Stranger', null])
  assert.equal((await saysUntil(({ photo }) => photo !== null, stranger)).photo, ANA_PICTURE)
})

test('a channel has the picture of its description, which is asked for once', async () => {
  const { sandbox } = story.world
  const { id: channel } = await sandbox.post<{ id: string }>('/newsletters', {
    owner: ANA,
    name: 'News',
    subscribers: [ME],
    picture: JPEG,
  })
  const post = async () => {
    const { id } = await sandbox.post<{ id: string }>(`/newsletters/${channel}/posts`, { message: { text: 'news' } })
    return story.received(id)
  }
  const first = await post()
  assert.deepEqual([first.photo, first.chat_name, first.sender_photo], [null, null, null])
  const later = await eventually(post, ({ photo }) => photo !== null)
  assert.match(String(later.photo), /^https:\/\/127\.0\.0\.1:\d+\/pps\/\d+\.jpg$/)
  assert.equal(later.chat_name, 'News')
  await post()
  const { newsletters } = await state()
  assert.equal(newsletters.find(({ id }) => id === channel)?.metadata_queries, 1)
})

test('after a restart a saved name is there with the first message, and the picture is asked for again', async () => {
  const { sandbox } = story.world
  await sandbox.post(`/phones/${ME}/contacts`, { phone: BEN, name: 'Ben of the bakery' })
  await saysUntil(({ chat_name }) => chat_name === 'Ben of the bakery', BEN)
  assert.notEqual((await says(ANA)).photo, null)
  await story.world.restartService()
  await story.world.gateway.waitForStatus(story.instance, 'connected')
  const ben = await says(BEN)
  assert.deepEqual([ben.chat_name, ben.sender_name], ['Ben of the bakery', 'Ben'])
  assert.equal((await says(ANA)).photo, null)
  await saysUntil(({ photo }) => photo !== null, ANA)
})
