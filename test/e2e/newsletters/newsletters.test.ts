import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import sharp from 'sharp'
import { serveFiles } from '../../harness/file-server.ts'
import * as files from '../../harness/media-files.ts'
import { codeOf, detailsOf } from '../../harness/operations.ts'
import { pictureAt } from '../../harness/pictures.ts'
import type { Json } from '../../harness/stage.ts'
import { ANA, EVA, ME, startGround } from './ground.ts'

const ground = await startGround()
const web = await serveFiles()
after(async () => {
  await web.stop()
  await ground.stop()
})
afterEach(() => ground.asUsual())

const base64 = async (bytes: Promise<Buffer>) => (await bytes).toString('base64')
const seenByEva = (id: string) => ground.eva.must('newsletters.metadata', { newsletter_id: id })

/** Makes an image of one colour. It is so small that the trace of the query contains the whole image. */
const flat = (format: 'png' | 'webp', width: number, background: string) =>
  sharp({ create: { width, height: 300, channels: 3, background } })
    .toFormat(format)
    .toBuffer()

const picture = (address: unknown) => pictureAt(ground.me.world, String(address))

test('a channel that is made here is there for others, who find it by its link; the terms were accepted once', async () => {
  const made = await ground.must('newsletters.create', { name: ' Product news ', description: 'What changed' })
  const { id, created_at, invite_link, ...rest } = made
  assert.match(String(id), /^\d+@newsletter$/)
  assert.match(String(invite_link), /^https:\/\/whatsapp\.com\/channel\/[\w-]+$/)
  assert.ok(Math.abs(Date.parse(String(created_at)) - Date.now()) < 60_000)
  assert.deepEqual(rest, {
    name: 'Product news',
    description: 'What changed',
    state: 'active',
    subscribers_count: 1,
    verified: false,
    handle: null,
    picture_url: null,
    preview_url: null,
    reaction_codes: null,
    role: 'owner',
    muted: false,
  })
  const found = await ground.eva.must('newsletters.invitationMetadata', { url: invite_link })
  assert.deepEqual(found, { ...made, reaction_codes: 'all', role: null, muted: null })
  assert.deepEqual(await ground.noticesOf(ME), ['20601217'])
  const without = await ground.must('newsletters.create', { name: 'Plain' })
  assert.equal(without.description, null)
  assert.deepEqual(await ground.noticesOf(ME), ['20601217'])
})

test('a channel is made although the terms cannot be read', async () => {
  const { sandbox } = ground.me.world
  await sandbox.post('/answers', { match: { account: ME, xmlns: 'tos' }, do: { error: [500, 'internal-server-error'] } })
  const { id } = await ground.must('newsletters.create', { name: 'All the same' })
  assert.equal((await ground.inNetwork(String(id)))?.name, 'All the same')
})

test('a channel is made with a picture, which is changed and removed again: others see each', async () => {
  const url = web.put('/wide.webp', await flat('webp', 400, 'red'))
  const { id, picture_url, preview_url } = await ground.must('newsletters.create', { name: 'With a picture', picture: url })
  for (const address of [picture_url, preview_url]) {
    const { format, width, height } = await sharp(await picture(address)).metadata()
    assert.deepEqual([format, width, height], ['jpeg', 640, 640])
  }
  const newsletter_id = String(id)
  await ground.must('newsletters.updatePicture', { newsletter_id, value: await base64(flat('png', 300, 'blue')) })
  await ground.eva.must('newsletters.follow', { newsletter_id })
  const seen = await seenByEva(newsletter_id)
  assert.ok(seen.picture_url)
  assert.notEqual(seen.picture_url, picture_url)
  await picture(seen.picture_url)
  assert.deepEqual(await ground.must('newsletters.removePicture', { newsletter_id }), { value: true })
  assert.equal((await seenByEva(newsletter_id)).picture_url, null)
})

test('a network that does not take an empty picture is told that there is none', async () => {
  const { id } = await ground.channel({ picture: await base64(files.image('jpeg')) })
  await ground.refuses('UpdateNewsletter', 400)
  assert.deepEqual(await ground.must('newsletters.removePicture', { newsletter_id: id }), { value: true })
  assert.equal((await ground.inNetwork(id))?.picture, null)
  await ground.refuses('UpdateNewsletter', 400, 2)
  assert.equal(await ground.refused('newsletters.removePicture', { newsletter_id: id }), 'action_failed')
})

test('a new name, a new description and which reactions are taken are seen by those who follow', async () => {
  const { id } = await ground.channel()
  const newsletter_id = id.replace('@newsletter', '')
  const done = { value: true }
  assert.deepEqual(await ground.must('newsletters.updateName', { newsletter_id, value: ' Weekly ' }), done)
  assert.deepEqual(await ground.must('newsletters.updateDescription', { newsletter_id, value: 'Every Monday' }), done)
  assert.deepEqual(await ground.must('newsletters.updateSettings', { newsletter_id, reaction_codes: 'BASIC' }), done)
  const { name, description, reaction_codes, role } = await seenByEva(id)
  assert.deepEqual([name, description, reaction_codes, role], ['Weekly', 'Every Monday', 'basic', 'subscriber'])
  await ground.must('newsletters.updateDescription', { newsletter_id, value: '' })
  assert.equal((await seenByEva(id)).description, null)
})

test('a network that leaves the reactions as they are, whatever way it is asked, has not done it', async () => {
  const { id } = await ground.channel()
  const same = { id, state: { type: 'ACTIVE' }, thread_metadata: { settings: { reaction_codes: { value: 'ALL' } } } }
  await ground.answers('UpdateNewsletter', same)
  await ground.answers('UpdateNewsletter', same)
  const ask = { newsletter_id: id, reaction_codes: 'none' }
  assert.equal(await ground.refused('newsletters.updateSettings', ask), 'action_failed')
  await ground.refuses('UpdateNewsletter', 400)
  assert.equal(await ground.refused('newsletters.updateSettings', ask), 'action_failed', 'this network ignores the other form')
  await ground.must('newsletters.updateSettings', ask)
  assert.equal((await ground.inNetwork(id))?.reaction_codes, 'NONE')
})

test('a channel that is deleted is gone: for others, for its owner, and for what is sent to it', async () => {
  const { id } = await ground.channel()
  assert.deepEqual(await ground.must('newsletters.delete', { newsletter_id: id }), { value: true })
  assert.equal(await ground.inNetwork(id), undefined)
  assert.equal(await ground.eva.refused('newsletters.metadata', { newsletter_id: id }), 'newsletter_not_found')
  assert.equal(await ground.refused('newsletters.delete', { newsletter_id: id }), 'newsletter_not_found')
  const { status, error_code } = await ground.me.outcome('/send-text', { phone: id, message: 'Too late' })
  assert.deepEqual([status, error_code], ['failed', 'newsletter_not_found'])
})

test('who does not follow a channel (any more) finds none to publish in; who follows may not publish', async () => {
  const theirs = await ground.channel({ owner: ANA, subscribers: [] })
  const outcome = async () => (await ground.me.outcome('/send-text', { phone: theirs.id, message: 'Hello' })).error_code
  assert.equal(await outcome(), 'newsletter_not_found')
  await ground.must('newsletters.follow', { newsletter_id: theirs.id })
  assert.equal(await outcome(), 'not_allowed')
  await ground.must('newsletters.unfollow', { newsletter_id: theirs.id })
  assert.equal(await outcome(), 'newsletter_not_found')
})

const WRITES: [string, Json][] = [
  ['newsletters.updateName', { value: 'Mine' }],
  ['newsletters.updateDescription', { value: 'Mine' }],
  ['newsletters.updateSettings', { reaction_codes: 'none' }],
  ['newsletters.removePicture', {}],
  ['newsletters.delete', {}],
]

for (const [operation, input] of WRITES)
  test(`${operation} is for those who run the channel`, async () => {
    const theirs = await ground.channel({ owner: ANA, subscribers: [ME] })
    assert.equal(await ground.refused(operation, { newsletter_id: theirs.id, ...input }), 'not_allowed')
    const { name, description, reaction_codes } = (await ground.inNetwork(theirs.id))!
    assert.deepEqual([name, description, reaction_codes], ['Product news', 'What changed', 'ALL'])
  })

test('what the network says of a change is told by its code', async () => {
  const { id } = await ground.channel()
  await ground.refuses('UpdateNewsletter', 403)
  const answer = await ground.ask('newsletters.updateName', { newsletter_id: id, value: 'New' })
  assert.deepEqual([codeOf(answer), detailsOf(answer).network_code], ['not_allowed', 403])
  await ground.refuses('CreateNewsletter', 403)
  assert.equal(await ground.refused('newsletters.create', { name: 'No' }), 'not_allowed')
  // The code 409 means that another client has changed the channel at the same time. The service must then repeat the
  // change.
  await ground.refuses('UpdateNewsletter', 409)
  await ground.must('newsletters.updateName', { newsletter_id: id, value: 'Second' })
  assert.equal((await ground.inNetwork(id))?.name, 'Second')
})

test('an older number of an operation is asked when the network does not know the newer one', async () => {
  const { sandbox } = ground.me.world
  const unknown = { data: null, errors: [{ extensions: { error_code: 400 }, message: 'Bad Request', path: [] }] }
  await sandbox.post('/answers', {
    match: { account: ME, xmlns: 'w:mex', child: 'query', child_attrs: { query_id: '25149874324715067' } },
    do: { result: [['result', {}, JSON.stringify(unknown)]] },
  })
  const { id } = await ground.must('newsletters.create', { name: 'By an older number' })
  assert.equal((await ground.inNetwork(String(id)))?.subscribers[ME], 'OWNER')
  assert.equal((await ground.inNetwork(String(id)))?.subscribers[EVA], undefined)
})
