import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { createAsking } from '../harness/answers.ts'
import { type Json, startStage } from '../harness/stage.ts'

const ME = '5511999990001'
const ANA = '5511988880001'
/** A mobile number of Brazil that is registered with its ninth digit. */
const BEN = '5511988880002'
const BEN_WITHOUT_NINTH = '551188880002'
const NOBODY = '5511977770000'

const stage = await startStage(ME)
await stage.world.sandbox.createContact(ANA, { name: 'Ana' })
await stage.world.sandbox.createContact(BEN, { name: 'Ben' })
after(() => stage.world.stop())
const { good, asUsual, ...asking } = createAsking(() => stage)
afterEach(asUsual)

const settings = () => good('privacy.get', 'GET', '/privacy')
const leftOut = async (type: string) =>
  (await good('privacy.disallowedContacts', 'GET', `/privacy/disallowed-contacts?type=${type}`)).disallowed_contacts
const write = async (path: string, body: Json) =>
  assert.deepEqual(await stage.world.gateway.must(stage.instance, 'PUT', `/privacy/${path}`, body), { value: true })
const refused = (path: string, body: unknown) => asking.refused('PUT', `/privacy/${path}`, body)
/**
 * Makes the network answer one query of this kind with the action. If `more` has no `times`, every query of
 * this kind gets this answer.
 */
const instead = (match: Json, action: unknown, more?: Json) => asking.instead({ account: ME, ...match }, action, more)

interface Phone {
  phone: string
  lid: string
  privacy: Record<string, string>
  privacy_lists: Record<string, string[]>
  default_ephemeral_seconds: number
}
async function phone(): Promise<Phone> {
  const { phones } = await stage.world.sandbox.get<{ phones: Phone[] }>('/state')
  return phones.find((each) => each.phone === ME)!
}

test('an account that never chose is open to all, and new chats keep their messages', async () => {
  assert.deepEqual(await settings(), {
    last_seen: 'all',
    online: 'all',
    profile_photo: 'all',
    about: 'all',
    groups_add: 'all',
    read_receipts: true,
    messages_duration: 0,
  })
  for (const type of ['last_seen', 'profile_photo', 'about', 'groups_add']) assert.deepEqual(await leftOut(type), [])
})

const CHOICES: [path: string, value: unknown, field: string, name: string, onPhone: string][] = [
  ['last-seen', 'none', 'last_seen', 'last', 'none'],
  ['profile-photo', 'contacts', 'profile_photo', 'profile', 'contacts'],
  ['about', 'NONE', 'about', 'status', 'none'],
  ['groups-add', 'contacts', 'groups_add', 'groupadd', 'contacts'],
  ['online', 'match_last_seen', 'online', 'online', 'match_last_seen'],
  ['read-receipts', false, 'read_receipts', 'readreceipts', 'none'],
]
for (const [path, value, field, name, onPhone] of CHOICES) {
  test(`${path} chosen here is so on the phone, and is read back`, async () => {
    await write(path, { value })
    assert.equal((await phone()).privacy[name], onPhone)
    assert.equal((await settings())[field], typeof value === 'string' ? value.toLowerCase() : value)
  })
}

test('new chats of the account let their messages disappear as chosen', async () => {
  for (const value of [604_800, 0]) {
    await write('messages-duration', { value })
    assert.equal((await phone()).default_ephemeral_seconds, value)
    assert.equal((await settings()).messages_duration, value)
  }
})

test('settings that are changed on the phone are read, and what this service cannot name is null', async () => {
  const { sandbox } = stage.world
  await sandbox.put(`/phones/${ME}/privacy`, { name: 'profile', value: 'contact_blacklist', phones: [ANA] })
  assert.equal((await settings()).profile_photo, 'contact_blacklist')
  assert.deepEqual(await leftOut('profile_photo'), [ANA])
  const odd = [
    [
      'privacy',
      {},
      [
        ['category', { name: 'last', value: 'error' }],
        ['category', { name: 'status', value: 'all' }],
      ],
    ],
  ]
  await instead({ xmlns: 'privacy', type: 'get' }, { result: odd })
  const read = await settings()
  assert.deepEqual([read.last_seen, read.about, read.online, read.read_receipts], [null, 'all', null, null])
})

for (const [path, type, name] of [
  ['last-seen', 'last_seen', 'last'],
  ['profile-photo', 'profile_photo', 'profile'],
  ['about', 'about', 'status'],
  ['groups-add', 'groups_add', 'groupadd'],
] as const) {
  test(`${path} leaves people out, by number in any form and by LID, and takes them back`, async () => {
    await write(path, { value: 'contacts' })
    const { contacts } = await stage.world.sandbox.get<{ contacts: Phone[] }>('/state')
    const { lid } = contacts.find((each) => each.phone === ANA)!
    const change = (action: string, ...people: string[]) =>
      write(path, { value: 'contact_blacklist', contacts: people.map((each) => ({ action, phone: each })) })
    await change('add', `${lid}@lid`, BEN_WITHOUT_NINTH)
    assert.deepEqual((await phone()).privacy_lists[name], [ANA, BEN])
    assert.equal((await phone()).privacy[name], 'contact_blacklist')
    assert.deepEqual(await leftOut(type), [ANA, BEN])
    await change('remove', ANA)
    assert.deepEqual(await leftOut(type), [BEN])
    await write(path, { value: 'contacts' })
    assert.deepEqual(await leftOut(type), [], 'no list while the setting is another one')
  })
}

test('of a person that is named twice the last word counts', async () => {
  const contacts = [
    { action: 'add', phone: ANA },
    { action: 'remove', phone: ANA },
    { action: 'add', phone: BEN },
  ]
  await write('last-seen', { value: 'contact_blacklist', contacts: [{ action: 'remove', phone: ANA }] })
  await write('last-seen', { value: 'contact_blacklist', contacts })
  assert.deepEqual(await leftOut('last_seen'), [BEN])
})

test('a list that the phone has changed since is read again and written once more', async () => {
  const { sandbox } = stage.world
  await sandbox.put(`/phones/${ME}/privacy`, { name: 'status', value: 'contact_blacklist', phones: [BEN] })
  const old = ['privacy', { addressing_mode: 'lid' }, [['list', { name: 'status', value: 'contact_blacklist', dhash: 'old' }]]]
  // The change on the phone makes the service read the settings, so only queries about a list match.
  const ofLists = { xmlns: 'privacy', child: 'privacy', child_attrs: { addressing_mode: 'lid' } }
  await instead({ ...ofLists, type: 'get' }, { result: [old] })
  const { id } = await sandbox.post<{ id: string }>('/expect', {
    match: { account: ME, from: 'client', ...ofLists },
    count: 10,
    wait_ms: 0,
  })
  await write('about', { value: 'contact_blacklist', contacts: [{ action: 'add', phone: ANA }] })
  assert.deepEqual((await phone()).privacy_lists.status, [BEN, ANA])
  const { items } = await sandbox.get<{ items: unknown[] }>(`/expect/${id}?wait_ms=0`)
  assert.equal(items.length, 4, 'the list is read and written twice; no version is sent again after its refusal')
  await instead({ xmlns: 'privacy', type: 'set' }, { error: [409, 'conflict'] }, {})
  const again = await refused('about', { value: 'contact_blacklist', contacts: [{ action: 'remove', phone: ANA }] })
  assert.deepEqual([again.status, again.code, again.details], [502, 'action_failed', { network_code: 409 }])
  assert.deepEqual((await phone()).privacy_lists.status, [BEN, ANA])
})

test('of changes of one list at once each is made', async () => {
  const people = [ANA, BEN]
  const change = (action: string) =>
    Promise.all(people.map((each) => write('about', { value: 'contact_blacklist', contacts: [{ action, phone: each }] })))
  await change('remove')
  assert.deepEqual(await leftOut('about'), [])
  await change('add')
  assert.deepEqual(new Set((await leftOut('about')) as string[]), new Set(people))
})

test('one query resolves a whole list, and who has no account is named', async () => {
  const { sandbox } = stage.world
  const { id } = await sandbox.post<{ id: string }>('/expect', {
    match: { account: ME, from: 'client', tag: 'iq', xmlns: 'usync' },
    count: 2,
    wait_ms: 0,
  })
  const contacts = [ANA, NOBODY, BEN].map((each) => ({ action: 'add', phone: each }))
  const answer = await refused('last-seen', { value: 'contact_blacklist', contacts })
  assert.deepEqual(
    [answer.status, answer.code, answer.details.issues],
    [400, 'invalid_phone', [{ path: 'contacts.1.phone', message: 'has no WhatsApp account' }]],
  )
  const { complete, items } = await sandbox.get<{ complete: boolean; items: unknown[] }>(`/expect/${id}?wait_ms=0`)
  assert.deepEqual([complete, items.length], [false, 1])
})

test('a list is refused beside another setting, and with what is no person', async () => {
  const contacts = [{ action: 'add', phone: ANA }]
  const beside = await refused('last-seen', { value: 'none', contacts })
  assert.deepEqual([beside.status, beside.code], [400, 'invalid_request'])
  const group = await refused('about', { value: 'contact_blacklist', contacts: [{ action: 'add', phone: '123-group' }] })
  assert.deepEqual([group.status, group.code], [400, 'invalid_phone'])
  assert.equal((await refused('groups-add', { value: 'none' })).code, 'invalid_request')
  assert.equal((await refused('online', { value: 'none' })).code, 'invalid_request')
  assert.equal((await refused('messages-duration', { value: 3_600 })).code, 'invalid_request')
})

const WRITES: [path: string, body: Json, xmlns: string][] = [
  ['last-seen', { value: 'all' }, 'privacy'],
  ['profile-photo', { value: 'all' }, 'privacy'],
  ['about', { value: 'contact_blacklist', contacts: [{ action: 'add', phone: ANA }] }, 'privacy'],
  ['groups-add', { value: 'all' }, 'privacy'],
  ['online', { value: 'all' }, 'privacy'],
  ['read-receipts', { value: true }, 'privacy'],
  ['messages-duration', { value: 0 }, 'disappearing_mode'],
]
for (const [path, body, xmlns] of WRITES) {
  test(`${path} says what the network refused`, async () => {
    await instead({ xmlns, type: 'set' }, { error: [403, 'refused'] })
    const { status, code } = await refused(path, body)
    assert.deepEqual([status, code], [403, 'not_allowed'])
  })
}

test('the reads say what the network refused, whichever of their questions it was', async () => {
  const failing = async (match: Json, path: string, action: unknown = { error: [429, 'rate-overlimit'] }) => {
    await instead(match, action)
    assert.deepEqual(await asking.refused('GET', path), { status: 502, code: 'action_failed', details: { network_code: 429 } })
  }
  await failing({ xmlns: 'privacy', type: 'get' }, '/privacy')
  await failing({ xmlns: 'usync' }, '/privacy')
  const inResult = [
    'usync',
    {},
    [
      ['result', {}, [['disappearing_mode', {}, [['error', { code: '429' }]]]]],
      ['list', {}, []],
    ],
  ]
  await failing({ xmlns: 'usync' }, '/privacy', { result: [inResult] })
  await failing({ xmlns: 'privacy', type: 'get' }, '/privacy/disallowed-contacts?type=about')
})

test('once read receipts are switched off here a message that is read tells only the own devices', async () => {
  const { sandbox, receiver } = stage.world
  const isReadWith = async (type: string) => {
    const { id } = await sandbox.send(ANA, ME, { text: 'hello' })
    await receiver.waitFor(`received ${id}`, (event) => event.type === 'received' && event.message_id === id)
    const { id: expected } = await sandbox.post<{ id: string }>('/expect', {
      match: { account: ME, from: 'client', tag: 'receipt', attrs: { id, type } },
      wait_ms: 0,
    })
    await stage.world.gateway.must(stage.instance, 'POST', '/read-message', { phone: ANA, message_id: id })
    return (await sandbox.get<{ complete: boolean }>(`/expect/${expected}?wait_ms=10000`)).complete
  }
  await write('read-receipts', { value: true })
  assert.ok(await isReadWith('read'))
  await write('read-receipts', { value: false })
  assert.ok(await isReadWith('read-self'))
})
