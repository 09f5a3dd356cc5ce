import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { node, silenceLibsignal } from '../../packages/sandbox/src/testing.ts'
import { startSimulator } from '../harness/network.ts'
import { find } from '../harness/nodes.ts'
import { jidOf, pair } from './client.ts'

/**
 * Tests queries for which the library has no function, as the web client and other clients send them. They are sent
 * over the library's socket.
 */

silenceLibsignal()
const PHONE = '5511900000001'
const SHOP = '5511900000002'
const SERVER = '@s.whatsapp.net'

const simulator = await startSimulator()
simulator.control.createPhone({ phone: PHONE })
const picture = `data:image/jpeg;base64,${Buffer.alloc(64, 7).toString('base64')}`
simulator.control.createContact(SHOP, { name: 'Shop', business: true, about: 'open', picture })
const client = await pair(simulator, PHONE)

after(async () => {
  await client?.close()
  await simulator?.stop()
})

const query = (xmlns: string, type: 'get' | 'set', content: BinaryNode[], to = SERVER) =>
  client.socket.query(node('iq', { to, type, xmlns }, content)) as Promise<BinaryNode>

const all = (item: BinaryNode | undefined, tag: string) =>
  Array.isArray(item?.content) ? item.content.filter((child) => child.tag === tag) : []

async function mex(id: string, variables: unknown): Promise<{ data: Record<string, unknown> | null; errors?: unknown }> {
  const answer = await query('w:mex', 'get', [node('query', { query_id: id }, JSON.stringify({ variables }))])
  return JSON.parse(Buffer.from(find(answer, 'result')?.content as Uint8Array).toString())
}

test('people are looked up with what they show; who has no account says so by the number that was asked for', async () => {
  const asked = ['contact', 'picture', 'text_status', 'business'].map((tag) => node(tag))
  const users = [SHOP, '5511900000000'].map((phone) => node('user', {}, [node('contact', {}, `+${phone}`)]))
  const usync = node('usync', { sid: '1', mode: 'query', last: 'true', index: '0', context: 'interactive' }, [
    node('query', {}, asked),
    node('list', {}, users),
  ])
  const [shop, nobody] = all(find(await query('usync', 'get', [usync]), 'usync', 'list'), 'user')
  assert.equal(find(shop, 'contact')?.attrs.type, 'in')
  assert.ok(find(shop, 'picture')?.attrs.id)
  assert.equal(find(shop, 'text_status')?.attrs.text, 'open')
  const certificate = find(shop, 'business', 'verified_name')?.content as Uint8Array
  const { details } = proto.VerifiedNameCertificate.decode(certificate)
  assert.equal(proto.VerifiedNameCertificate.Details.decode(details!).verifiedName, 'Shop')
  assert.deepEqual([find(nobody, 'contact')?.attrs.type, String(find(nobody, 'contact')?.content)], ['out', '+5511900000000'])
})

async function lookUp(contact: BinaryNode, about: BinaryNode[] = [node('contact')]): Promise<BinaryNode> {
  const usync = node('usync', { sid: '3', mode: 'query', last: 'true', index: '0', context: 'interactive' }, [
    node('query', {}, about),
    node('list', {}, [node('user', {}, [contact])]),
  ])
  return all(find(await query('usync', 'get', [usync]), 'usync', 'list'), 'user')[0]!
}

test('a number is found in every spelling that clients send, and the answer repeats it as it was written', async () => {
  const spellings = [`+${SHOP}`, `+${SHOP}@c.us`, `+${SHOP}@s.whatsapp.net`, `+${SHOP}:3@s.whatsapp.net`, '+55 (11) 90000-0002']
  for (const written of spellings) {
    const user = await lookUp(node('contact', {}, written))
    const contact = find(user, 'contact')
    assert.deepEqual([user.attrs.jid, contact?.attrs.type, String(contact?.content)], [jidOf(SHOP), 'in', written])
  }
  // All of these are invalid. For example, a number without the plus sign is not an international number.
  for (const written of [SHOP, `${SHOP}@c.us`, '+1', '+49abc4567890', '+', `+${SHOP}@g.us`]) {
    const contact = find(await lookUp(node('contact', {}, written)), 'contact')
    assert.deepEqual([contact?.attrs.type, String(contact?.content)], ['invalid', written])
  }
})

test('a look-up by LID addressing names the LID, with the number beside it', async () => {
  const about = [node('contact', { addressing_mode: 'lid' })]
  const { attrs } = await lookUp(node('contact', {}, `+${SHOP}@c.us`), about)
  assert.deepEqual([attrs.jid?.endsWith('@lid'), attrs.pn_jid], [true, jidOf(SHOP)])
  assert.deepEqual((await lookUp(node('contact', {}, '+5511900000000'), about)).attrs, { jid: '5511900000000@s.whatsapp.net' })
})

test('a person is found by user name', async () => {
  await mex('25757341163897635', { input: 'ann.found', reserved: false, session_id: '', source: 'USER_INPUT' })
  const user = await lookUp(node('contact', { username: 'ann.found' }), [node('contact', { addressing_mode: 'lid' })])
  assert.deepEqual(find(user, 'contact')?.attrs, { type: 'in', username: 'ann.found' })
  assert.equal(user.attrs.pn_jid, jidOf(PHONE))
  const nobody = await lookUp(node('contact', { username: 'nobody.here' }))
  assert.deepEqual([nobody.attrs, find(nobody, 'contact')?.attrs], [{}, { type: 'out', username: 'nobody.here' }])
  await mex('25757341163897635', {})
  assert.deepEqual((await mex('25347099718279209', {})).data, { xwa2_username_get: null })
})

// An earlier bug: the time of an about text was the time of the query, so two answers a second apart had different
// times.
test('an about text has the moment at which it was set, however late it is asked for', async (t) => {
  const usync = node('usync', { sid: '2', mode: 'query', last: 'true', index: '0', context: 'interactive' }, [
    node('query', {}, [node('status'), node('text_status')]),
    node('list', {}, [node('user', { jid: jidOf(SHOP) })]),
  ])
  const moments = async () => {
    const [shop] = all(find(await query('usync', 'get', [usync]), 'usync', 'list'), 'user')
    return [find(shop, 'status')?.attrs.t, find(shop, 'text_status')?.attrs.last_update_time]
  }
  const before = await moments()
  assert.deepEqual(before, [before[0], before[0]])
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 })
  assert.deepEqual(await moments(), before)
  simulator.control.updateContact(SHOP, { about: 'open' })
  assert.equal(Number((await moments())[0]) - Number(before[0]) >= 3_600, true)
})

test('a picture that is known already is not sent again', async () => {
  const ask = (id?: string) =>
    client.socket.query(
      node('iq', { to: SERVER, type: 'get', xmlns: 'w:profile:picture', target: jidOf(SHOP) }, [
        node('picture', { type: 'preview', id }),
      ]),
    ) as Promise<BinaryNode>
  const { id } = find(await ask(), 'picture')!.attrs
  assert.equal(find(await ask(id), 'picture'), undefined)
  assert.equal(find(await ask('0'), 'picture')?.attrs.id, id)
})

test('contact links, terms, an email address, push settings and verified names', async () => {
  const own = async (action: string) =>
    find(await query('w:qr', 'set', [node('qr', { type: 'contact', action })]), 'qr')!.attrs.code!
  const code = await own('get')
  assert.equal(await own('get'), code)
  const target = find(await query('w:qr', 'get', [node('qr', { code })]), 'qr')!
  assert.equal(target.attrs.jid, jidOf(PHONE))
  assert.notEqual(await own('revoke'), code)
  await assert.rejects(query('w:qr', 'get', [node('qr', { code })]), /item-not-found/)

  const notice = node('request', {}, [node('notice', { id: '20601218' })])
  const state = async () => find(await query('tos', 'get', [notice]), 'tos', 'notice')?.attrs.state
  assert.equal(await state(), 'false')
  await query('tos', 'set', [notice])
  assert.equal(await state(), 'true')

  const account = 'urn:xmpp:whatsapp:account'
  assert.deepEqual(find(await query(account, 'get', [node('email')]), 'email')?.content ?? [], [])
  await query(account, 'set', [node('email', {}, [node('email_address', {}, 'ann@example.org')])])
  const email = find(await query(account, 'get', [node('email')]), 'email', 'email_address')?.content
  assert.equal(String(email), 'ann@example.org')
  assert.ok(find(await query('urn:xmpp:whatsapp:push', 'get', [node('settings')]), 'settings'))
  assert.ok(find(await query('w:biz', 'get', [node('verified_name', { jid: jidOf(SHOP) })]), 'verified_name')?.content)
})

test('settings of groups that the library does not know', async () => {
  const { id } = (await client.socket.groupCreate('Team', [jidOf(SHOP)]))!
  const before = find(await query('w:g2', 'get', [node('query', { request: 'interactive' })], id), 'group')!.attrs
  for (const tag of ['no_frequently_forwarded', 'group_history', 'allow_admin_reports'])
    await query('w:g2', 'set', [node(tag)], id)
  await query('w:g2', 'set', [node('member_link_mode', {}, 'admin_link')], id)
  await query('w:g2', 'set', [node('member_share_group_history_mode', {}, 'admin_share')], id)
  await query('w:g2', 'set', [node('no_group_history')], id)
  await assert.rejects(query('w:g2', 'set', [node('member_link_mode', {}, 'everybody')], id), /bad-request/)
  const group = find(await query('w:g2', 'get', [node('query', { request: 'interactive' })], id), 'group')
  assert.ok(find(group, 'no_frequently_forwarded') && find(group, 'allow_admin_reports') && !find(group, 'group_history'))
  assert.equal(String(find(group, 'member_link_mode')?.content), 'admin_link')
  assert.equal(String(find(group, 'member_share_group_history_mode')?.content), 'admin_share')
  assert.equal(group?.attrs.p_v_id, before.p_v_id, 'nobody came or went')
  assert.ok(Number(group?.attrs.a_v_id) > Number(before.a_v_id))
  const described = await query(
    'w:g2',
    'set',
    [node('create', { subject: 'Told', key: 'K1' }, [node('description', { id: 'D1' }, [node('body', {}, 'About us')])])],
    '@g.us',
  )
  assert.equal(String(find(described, 'group', 'description', 'body')?.content), 'About us')
})

test('a community names the people and the groups in it', async () => {
  const community = (await client.socket.communityCreate('All', 'Everybody'))!.id
  const { id } = (await client.socket.communityCreateGroup('Some', [jidOf(SHOP)], community))!
  const answer = await query('w:g2', 'get', [node('linked_groups_participants')], community)
  const listed = all(find(answer, 'linked_groups_participants'), 'participant').map(({ attrs }) => attrs.phone_number)
  assert.deepEqual(listed.sort(), [PHONE, SHOP].map(jidOf))
  const { data } = await mex('9935467776504344', { group_id: community, query_context: 'INTERACTIVE', sub_group_hint_id: '' })
  const parent = data?.xwa2_group_query_by_id as { default_sub_group: unknown; sub_groups: { edges: { node: { id: string } }[] } }
  assert.ok(parent.default_sub_group)
  assert.ok(parent.sub_groups.edges.some((edge) => edge.node.id === id))
})

test('a word beside the name is set and taken back by GraphQL, and read by it and by usync', async () => {
  const set = async (input: unknown) => (await mex('9152604461510864', { input })).data?.xwa2_update_text_status
  const listed = async () =>
    (await mex('24072923595647473', { input: { user_jids: [jidOf(PHONE), jidOf(SHOP)] } })).data?.xwa2_text_status_list as {
      jid: string
      text: string | null
      emoji: { content: string } | null
    }[]
  const asked = async () => {
    const list = [node('user', { jid: jidOf(PHONE) })]
    const parts = [node('query', {}, [node('text_status')]), node('list', {}, list)]
    const attrs = { sid: 'TEXT', mode: 'query', context: 'interactive', last: 'true', index: '0' }
    return find(await query('usync', 'get', [node('usync', attrs, parts)]), 'usync', 'list', 'user', 'text_status')
  }
  // Only the shop has set a text, so only its text is listed.
  const own = async () => (await listed()).filter(({ jid }) => jid === jidOf(PHONE))
  assert.deepEqual(
    (await listed()).map(({ text }) => text),
    ['open'],
  )
  assert.equal(await asked(), undefined)
  assert.deepEqual(await set({ text: 'away', emoji: { content: '🌴' }, ephemeral_duration_sec: 86_400 }), { result: 'SUCCESS' })
  assert.deepEqual(
    (await own()).map(({ text, emoji }) => [text, emoji?.content]),
    [['away', '🌴']],
  )
  const said = await asked()
  assert.deepEqual([said?.attrs.text, said?.attrs.ephemeral_duration_sec], ['away', '86400'])
  assert.equal(find(said, 'emoji')?.attrs.content, '🌴')
  await set({ text: null, ephemeral_duration_sec: 0 })
  assert.deepEqual(await own(), [])
  // These inputs are from captured queries, whose answers were errors.
  for (const [id, input] of [
    ['9152604461510864', { text: '' }],
    ['24072923595647473', {}],
  ] as const)
    assert.ok((await mex(id, { input })).errors)
})

test('the list of bots has a default and sections with names, in both of its versions', async () => {
  const [bot] = await client.socket.getBotListV2()
  assert.deepEqual([typeof bot?.jid, typeof bot?.personaId], ['string', 'string'])
  for (const v of ['2', '3']) {
    const list = find(await query('bot', 'get', [node('bot', { v })]), 'bot')
    assert.deepEqual([list?.attrs.v, find(list, 'default')?.attrs], [v, { jid: bot?.jid, persona_id: bot?.personaId }])
    const [section] = all(list, 'section')
    assert.deepEqual([section?.attrs.type, section?.attrs.name], ['all', 'All'])
    assert.equal(section?.attrs.display_type, v === '3' ? 'listview' : undefined)
  }
})

test('an invitation by message is taken back for each person named; who is in the group already stays what they are', async () => {
  const { id } = simulator.control.createGroup({ subject: 'Invited', owner: PHONE, participants: [] }) as { id: string }
  const code = await client.socket.groupInviteCode(id)
  const named = ['5511900000007', '5511900000000'].map((phone) => node('participant', { jid: jidOf(phone) }))
  const revoked = find(await query('w:g2', 'set', [node('revoke', {}, named)], id), 'revoke')
  assert.deepEqual(
    all(revoked, 'participant').map(({ attrs }) => attrs),
    [{ jid: jidOf('5511900000007') }, { jid: jidOf('5511900000000'), error: '404' }],
  )
  assert.notEqual(await client.socket.groupInviteCode(id), code, 'the code is of no use any more')
  const accept = (code: string) => query('w:g2', 'set', [node('accept', { code, admin: jidOf(PHONE), expiration: '0' })], id)
  await assert.rejects(accept((await client.socket.groupInviteCode(id))!), /already-exists/)
  const { participants } = await client.socket.groupMetadata(id)
  assert.equal(participants[0]?.admin, 'superadmin')
  await assert.rejects(query('w:g2', 'set', [node('revoke')], id), /bad-request/)
  await assert.rejects(query('w:g2', 'set', [node('membership_requests_action')], id), /bad-request/)
  await assert.rejects(query('w:g2', 'get', [node('linked_groups_participants')], id), /bad-request/)
})

test('properties of a group have no version of the protocol, those of the account have one; of no disclosures nothing is said', async () => {
  const props = async (attrs: Record<string, string>) =>
    find(await query('abt', 'get', [node('props', attrs)]), 'props')?.attrs.protocol
  assert.deepEqual([await props({ protocol: '1' }), await props({ group: '1@g.us' })], ['1', undefined])
  assert.deepEqual((await query('tos', 'get', [])).content ?? [], [])
})

test("GraphQL by today's numbers: channels, what people say of themselves, user names; an unknown number is an error, and counted", async () => {
  const made = (await mex('25149874324715067', { input: { name: 'News', description: 'All of it' } })).data
    ?.xwa2_newsletter_create as {
    id: string
    viewer_metadata: { role: string }
  }
  assert.equal(made.viewer_metadata.role, 'OWNER')
  const newsletter_id = made.id
  const setting = { type: 'MUTE_FOLLOWER_ACTIVITY', value: 'ON' }
  assert.equal(
    (await mex('31938993655691868', { input: { newsletter_id, settings: [setting] } })).data?.xwa2_newsletter_update_user_setting,
    null,
  )
  const muted = { newsletter_id, ...setting }
  assert.deepEqual((await mex('31938993655691868', { input: muted })).data?.xwa2_newsletter_update_user_setting, {
    id: newsletter_id,
    state: { type: 'ACTIVE' },
  })
  const seen = await mex('27456920720571478', { input: { key: newsletter_id, type: 'JID', view_role: 'OWNER' } })
  const { viewer_metadata } = seen.data!.xwa2_newsletter as { viewer_metadata: { settings: unknown[] } }
  assert.deepEqual(viewer_metadata.settings[0], { type: 'MUTE_FOLLOWER_ACTIVITY', value: 'ON' })
  await mex('9387141988078609', { newsletter_id, user_id: jidOf(SHOP) })
  const invited = await mex('9783111038412085', { newsletter_id })
  const { pending_admin_invites: pending } = invited.data!.xwa2_newsletter_admin as {
    pending_admin_invites: { user: { pn: string } }[]
  }
  assert.deepEqual(
    pending.map(({ user }) => user.pn),
    [jidOf(SHOP)],
  )
  assert.equal(((await mex('25399611239711790', {})).data!.xwa2_newsletter_subscribed as unknown[]).length, 1)

  const about = await mex('24535500086059408', { user: { user_id: jidOf(SHOP) } })
  assert.deepEqual(about.data?.xwa2_users_updates_since, [{ updates: [{ __typename: 'XWA2AboutStatus', text: 'open' }] }])
  assert.equal((await mex('25347099718279209', {})).data?.xwa2_username_get, null)
  await mex('25757341163897635', { input: 'ann.example', reserved: false, session_id: '1', source: 'USER_INPUT' })
  const { username_info } = (await mex('25347099718279209', {})).data!.xwa2_username_get as {
    username_info: { username: string }
  }
  assert.equal(username_info.username, 'ann.example')

  assert.deepEqual(simulator.control.stats().unknown_queries, [])
  const unknown = await mex('1', {})
  assert.equal(unknown.data, null)
  assert.ok(unknown.errors)
  await assert.rejects(query('nothing:like:it', 'get', [node('this')]), /feature-not-implemented/)
  assert.deepEqual(simulator.control.stats().unknown_queries, ['w:mex get query 1', 'nothing:like:it get this'])
})
