import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { MEX } from '../../../workers/shard/wire/mex.ts'
import { column, columns } from '../../harness/columns.ts'
import { detailsOf } from '../../harness/operations.ts'
import type { Json } from '../../harness/stage.ts'
import { ANA, BEN, EVA, ME, startGround } from './ground.ts'

const ground = await startGround()
after(() => ground.stop())
afterEach(() => ground.asUsual())

const DONE = { value: true }
const namesOf = ({ data }: Json) => (data as Json[]).map(({ name }) => name)

test('a channel that is followed counts one more, is listed here, and one less when it is not followed any more', async () => {
  const { id } = await ground.channel({ owner: EVA, subscribers: [] })
  const followers = async () => (await ground.eva.must('newsletters.metadata', { newsletter_id: id })).subscribers_count
  assert.equal(await followers(), 1)
  assert.deepEqual(await ground.must('newsletters.follow', { newsletter_id: id }), DONE)
  assert.ok((await ground.noticesOf(ME)).includes('20601216'))
  assert.equal(await followers(), 2)
  const listed = (await ground.must('newsletters.list', {})).data as Json[]
  const { role, subscribers_count, muted, reaction_codes } = listed.find((each) => each.id === id)!
  assert.deepEqual([role, subscribers_count, muted, reaction_codes], ['subscriber', null, false, 'all'])
  assert.deepEqual(await ground.must('newsletters.follow', { newsletter_id: id }), DONE, 'once more is harmless')
  assert.equal(await followers(), 2)
  assert.deepEqual(await ground.must('newsletters.unfollow', { newsletter_id: id }), DONE)
  assert.equal(await followers(), 1)
  const { role: none } = await ground.must('newsletters.metadata', { newsletter_id: id })
  assert.equal(none, 'guest', 'who does not follow reads it all the same')
})

test('its owner cannot unfollow a channel', async () => {
  const { id } = await ground.channel()
  assert.equal(await ground.refused('newsletters.unfollow', { newsletter_id: id }), 'not_allowed')
  assert.equal((await ground.inNetwork(id))?.subscribers[ME], 'OWNER')
})

test('own channels are listed first, then those the account administers, then the others, by pages', async () => {
  const { total: before } = await ground.must('newsletters.list', {})
  const followed = await ground.channel({ name: 'Followed', owner: ANA, subscribers: [ME] })
  const administered = await ground.channel({ name: 'Administered', owner: ANA, admins: [ME] })
  await ground.channel({ name: 'Not ours', owner: ANA })
  const owned = await ground.channel({ name: 'Owned' })
  const all = await ground.must('newsletters.list', { page_size: 500 })
  assert.equal(all.total, Number(before) + 3)
  const ids = (all.data as Json[]).map(({ id }) => id)
  const at = [owned, administered, followed].map(({ id }) => ids.indexOf(id))
  assert.ok(
    at.every((position, index) => position > (at[index - 1] ?? -1)),
    JSON.stringify(at),
  )
  const page = async (number: number) => namesOf(await ground.must('newsletters.list', { page: number, page_size: 2 }))
  assert.deepEqual([...(await page(1)), ...(await page(2))], namesOf(all).slice(0, 4))
  assert.deepEqual(await page(1_000), [])
})

test('a channel is muted and not muted any more, for this account alone', async () => {
  const { id } = await ground.channel({ owner: ANA, subscribers: [ME, EVA] })
  const seen = async () => (await ground.must('newsletters.metadata', { newsletter_id: id })).muted
  assert.equal(await seen(), false)
  assert.deepEqual(await ground.must('newsletters.mute', { newsletter_id: id }), DONE)
  assert.equal(await seen(), true)
  assert.deepEqual((await ground.inNetwork(id))?.muted, [ME])
  assert.deepEqual(await ground.must('newsletters.unmute', { newsletter_id: id }), DONE)
  assert.deepEqual((await ground.inNetwork(id))?.muted, [])
})

test("a network that does not take today's form of muting is asked in the form of older clients", async () => {
  const { id } = await ground.channel({ owner: ANA, subscribers: [ME] })
  for (const [operation, muted] of [
    ['newsletters.mute', [ME]],
    ['newsletters.unmute', []],
  ] as const) {
    await ground.refuses('UpdateNewsletterUserSetting', 400)
    await ground.must(operation, { newsletter_id: id })
    assert.deepEqual((await ground.inNetwork(id))?.muted, muted)
  }
})

test('the directory is read by view and country, searched by text, and goes on where it ended', async () => {
  const listing = { views: ['TRENDING'], country: 'BR' }
  for (const name of ['Football', 'Recipes', 'Football abroad'])
    await ground.channel({ name, owner: ANA, subscribers: [], listing, verified: true, handle: name.replace(' ', '.') })
  await ground.channel({
    name: 'Elsewhere',
    owner: ANA,
    subscribers: [],
    listing: { views: ['TRENDING', 'RECOMMENDED'], country: 'US' },
  })
  const search = (input: Json) => ground.must('newsletters.search', input)
  const first = await search({ view: 'Trending', country_codes: ['br'], limit: 2 })
  assert.deepEqual(namesOf(first), ['Football', 'Recipes'])
  const [football] = first.data as Json[]
  const { state, verified, handle, subscribers_count, preview_url, reaction_codes, role, muted } = football!
  assert.deepEqual([state, verified, handle, subscribers_count], ['active', true, 'Football', 1])
  assert.deepEqual([preview_url, reaction_codes, role, muted], [null, null, null, null])
  const second = await search({ view: 'trending', country_codes: ['BR'], limit: 2, cursor: first.next_cursor })
  assert.deepEqual([namesOf(second), second.next_cursor], [['Football abroad'], null])
  assert.equal(namesOf(await search({ view: 'trending' })).length, 4)
  assert.deepEqual(namesOf(await search({})), ['Elsewhere'])
  const found = await search({ search_text: ' football ', view: 'nonsense', country_codes: 'nonsense' })
  assert.deepEqual(namesOf(found), ['Football', 'Football abroad'])
  assert.deepEqual((await search({ search_text: 'nothing like it' })).data, [])
})

test('a search is refused for what it is asked with', async () => {
  for (const odd of [{ search_text: ' ' }, { country_codes: ['BRA'] }])
    assert.equal(await ground.refused('newsletters.search', odd), 'invalid_request', JSON.stringify(odd))
})

test('a link leads to its channel in each form, and to nothing where there is none', async () => {
  const { id, invite } = await ground.channel({ owner: ANA })
  const links = [`https://whatsapp.com/channel/${invite}`, `https://www.whatsapp.com/channel/${invite}/?ref=1`, invite]
  for (const url of links) {
    const found = await ground.must('newsletters.invitationMetadata', { url })
    assert.deepEqual([found.id, found.role, found.muted, found.subscribers_count], [id, null, null, 2])
    assert.equal(found.invite_link, links[0])
  }
  await ground.must('newsletters.follow', { newsletter_id: id })
  const { role, muted } = await ground.must('newsletters.invitationMetadata', { url: invite })
  assert.deepEqual([role, muted], ['subscriber', false])
  const refused = (url: string) => ground.refused('newsletters.invitationMetadata', { url })
  for (const url of ['https://chat.whatsapp.com/AAAA', 'https://example.com/channel/AAAA', 'a b', '0029VaNothing'])
    assert.equal(await refused(url), 'invite_link_invalid', url)
  assert.equal(await refused('x'.repeat(257)), 'invalid_request')
  for (const [code, expected] of [
    [400, 'invite_link_invalid'],
    [404, 'invite_link_invalid'],
    [405, 'invite_link_invalid'],
    [423, 'invite_link_invalid'],
    [429, 'action_failed'],
    [500, 'action_failed'],
  ] as const) {
    await ground.refuses('FetchNewsletter', code)
    assert.equal(await refused(invite), expected, String(code))
  }
  await ground.answers('FetchNewsletter', null)
  assert.equal(await refused(invite), 'invite_link_invalid')
})

test('a channel is asked about as what the account is to it, as far as that is known', async () => {
  const { sandbox } = ground.me.world
  const child_attrs = { query_id: MEX.FetchNewsletter.id }
  const match = { account: ME, from: 'client', xmlns: 'w:mex', child: 'query', child_attrs }
  async function roles(newsletter_id: string, status = 200): Promise<unknown[]> {
    const { id } = await sandbox.post<{ id: string }>('/expect', { match, count: 100, wait_ms: 0 })
    assert.equal((await ground.ask('newsletters.metadata', { newsletter_id })).status, status)
    const { items } = await sandbox.get<{ items: { node: [string, Json, [string, Json, string | { b64: string }][]] }[] }>(
      `/expect/${id}?wait_ms=0`,
    )
    return items.map(({ node: [, , [query]] }) => {
      const said = query![2]
      const { variables } = JSON.parse(typeof said === 'string' ? said : Buffer.from(said.b64, 'base64').toString())
      return variables.input.view_role
    })
  }
  const own = await ground.channel()
  const foreign = await ground.channel({ owner: ANA })
  assert.deepEqual(await roles(own.id), ['SUBSCRIBER'])
  assert.deepEqual(await roles(own.id), ['OWNER'])
  // The service also claims the role of a subscriber if the account does not follow the channel, because the network
  // accepts this role.
  assert.deepEqual(await roles(foreign.id), ['SUBSCRIBER'])
  assert.deepEqual(await roles(foreign.id), ['SUBSCRIBER'])
  await ground.must('newsletters.follow', { newsletter_id: foreign.id })
  assert.deepEqual(await roles(foreign.id), ['SUBSCRIBER'])
  const listed = await ground.channel({ owner: ANA, admins: [ME] })
  await ground.must('newsletters.list', {})
  assert.deepEqual(await roles(listed.id), ['ADMIN'])
  // When the account unfollows the channel, the data that the service has stored about it become invalid.
  await ground.must('newsletters.unfollow', { newsletter_id: foreign.id })
  assert.deepEqual(await roles(foreign.id), ['SUBSCRIBER'])
  await ground.refuses('FetchNewsletter', 405)
  assert.deepEqual(await roles(own.id), ['OWNER', 'SUBSCRIBER'])
  await ground.refuses('FetchNewsletter', 405)
  assert.deepEqual(await roles(foreign.id, 404), ['SUBSCRIBER', 'GUEST'])
})

test('a channel that the network suspended says so; one that it does not show is not found', async () => {
  const { id } = await ground.channel({ state: 'SUSPENDED' })
  assert.equal((await ground.must('newsletters.metadata', { newsletter_id: id })).state, 'suspended')
  const read = () => ground.ask('newsletters.metadata', { newsletter_id: id })
  await ground.refuses('FetchNewsletter', 423, 2)
  const refusal = await read()
  assert.deepEqual([refusal.status, detailsOf(refusal)], [404, { network_code: 423 }])
  await ground.asUsual()
  await ground.answers('FetchNewsletter', null)
  assert.equal((await read()).status, 404)
})

test('posts are read newest first, by pages, without those that were deleted', async () => {
  const { id } = await ground.channel({ owner: ANA, subscribers: [ME] })
  const { sandbox } = ground.me.world
  const post = (message: Json) => sandbox.post<{ id: string; server_id: string }>(`/newsletters/${id}/posts`, { message })
  const text = await post({ text: 'Version 1 is out' })
  const image = await post({ image: Buffer.from('jpeg').toString('base64'), mime: 'image/jpeg', caption: 'A picture' })
  const poll = await post({ poll: { question: 'Which?', options: ['One', 'Two'] } })
  const place = await post({ location: { latitude: 1, longitude: 2 } })
  const deleted = await post({ text: 'Not this' })
  await sandbox.put(`/newsletters/${id}/posts`, { post: deleted.id })
  await sandbox.put(`/newsletters/${id}/posts`, { post: text.id, message: { text: 'Version 2 is out' } })
  const read = (more: Json = {}) => ground.must('newsletters.messages', { newsletter_id: id, ...more })
  const { data, next_cursor } = await read()
  assert.equal(next_cursor, null)
  assert.deepEqual(columns(data as Json[], 'message_id', 'server_id', 'type', 'text'), [
    [place.id, place.server_id, 'unknown', null],
    [poll.id, poll.server_id, 'poll', null],
    [image.id, image.server_id, 'image', 'A picture'],
    [text.id, text.server_id, 'text', 'Version 2 is out'],
  ])
  for (const { sent_at } of data as Json[]) assert.ok(Math.abs(Date.parse(String(sent_at)) - Date.now()) < 60_000)
  const first = await read({ limit: 3 })
  assert.deepEqual(column(first.data as Json[], 'message_id'), [place.id, poll.id, image.id])
  const second = await read({ limit: 3, cursor: first.next_cursor })
  assert.deepEqual([(second.data as Json[]).map(({ message_id }) => message_id), second.next_cursor], [[text.id], null])
})

test('a post from before the account followed is reacted to and forwarded once it was read', async () => {
  const { id } = await ground.channel({ owner: ANA, subscribers: [] })
  const { sandbox } = ground.me.world
  const post = await sandbox.post<{ id: string }>(`/newsletters/${id}/posts`, { message: { text: 'From before' } })
  await ground.must('newsletters.follow', { newsletter_id: id })
  const react = () => ground.me.outcome('/send-reaction', { phone: id, message_id: post.id, reaction: '👍' })
  assert.equal((await react()).error_code, 'message_not_found')
  const { data } = await ground.must('newsletters.messages', { newsletter_id: id })
  assert.equal((data as Json[])[0]?.message_id, post.id)
  assert.equal((await react()).status, 'sent')
  const { items } = await sandbox.get<{ items: { reactions: Json }[] }>(`/newsletters/${id}/posts`)
  assert.deepEqual(items[0]?.reactions, { [ME]: '👍' })
  const input = { phone: BEN, message_id: post.id, message_phone: id }
  const forwarded = await ground.me.shown('/forward-message', input)
  assert.equal(forwarded.text, 'From before')
})

test('a page of posts that were all deleted has none, and leads on', async () => {
  const { id } = await ground.channel({ owner: ANA, subscribers: [ME] })
  const messages = [
    'messages',
    { jid: id },
    [
      ['message', { server_id: '102', t: '1790000000', edit: '8' }],
      ['message', { server_id: '103', t: '1790000001', edit: '8' }],
    ],
  ]
  await ground.me.world.sandbox.post('/answers', {
    match: { account: ME, xmlns: 'newsletter', child: 'messages' },
    do: { result: [messages] },
    times: 1,
  })
  assert.deepEqual(await ground.must('newsletters.messages', { newsletter_id: id, limit: 2 }), { data: [], next_cursor: '102' })
})

test('posts are read with a cursor that is an id of a post', async () => {
  const { id } = await ground.channel()
  for (const cursor of ['abc', '-1'])
    assert.equal(await ground.refused('newsletters.messages', { newsletter_id: id, cursor }), 'invalid_request', cursor)
})

const CHOICES: [operation: string, name: 'JoinNewsletter' | 'LeaveNewsletter' | 'UpdateNewsletterUserSetting'][] = [
  ['newsletters.follow', 'JoinNewsletter'],
  ['newsletters.unfollow', 'LeaveNewsletter'],
  ['newsletters.mute', 'UpdateNewsletterUserSetting'],
  ['newsletters.unmute', 'UpdateNewsletterUserSetting'],
]
for (const [operation, name] of CHOICES)
  test(`${operation} tells what the network refuses of a channel that is there`, async () => {
    const { id } = await ground.channel({ owner: ANA, subscribers: [ME] })
    for (const [code, expected] of [
      [403, 'not_allowed'],
      [404, 'newsletter_not_found'],
    ] as const) {
      await ground.refuses(name, code)
      assert.equal(await ground.refused(operation, { newsletter_id: id }), expected, String(code))
    }
  })
