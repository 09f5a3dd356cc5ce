import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { createAsking } from '../../harness/answers.ts'
import { phoneOf } from '../../harness/app-state.ts'
import { column, columns } from '../../harness/columns.ts'
import { type Json, type Stage, startStage } from '../../harness/stage.ts'
import { until } from '../../harness/until.ts'

const ME = '5511999990011'
const ANA = '5511988880001'
const BEN = '5511988880002'
const BEN_WITHOUT_NINTH = '551188880002'
const CAT = '5511988880003'
const DAN = '5511988880004'
const EVA = '5511988880005'
const NOBODY = '5511977770000'
const PICTURE = 'https://127.0.0.1/ana.jpg'
const STRANGE_GROUP = '120363999999999999-group'

let stage: Stage
let group: string
before(async () => {
  stage = await startStage(ME)
  const { sandbox } = stage.world
  await sandbox.createContact(ANA, { name: 'Ana', about: 'Busy', picture: PICTURE })
  for (const [phone, name] of Object.entries({ [BEN]: 'Ben', [CAT]: 'Cat', [DAN]: 'Dan', [EVA]: 'Eva' }))
    await sandbox.createContact(phone, { name })
  const { id } = await sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, ME] })
  group = id.replace('@g.us', '-group')
  await stage.named()
})
after(() => stage.world.stop())
const { good, refused, instead, asUsual } = createAsking(() => stage)
afterEach(asUsual)

const { phone, action: onPhone, act } = phoneOf(() => stage, ME)
const pn = (number: string) => `${number}@s.whatsapp.net`
/**
 * Returns the JID by which app state entries of this kind name a person: the JID that the directory of the service has
 * stored.
 */
async function indexOf(number: string, kind: string): Promise<string> {
  const { contacts } = await stage.world.sandbox.get<{ contacts: { phone: string; lid: string }[] }>('/state')
  const lid = `${contacts.find((each) => each.phone === number)!.lid}@lid`
  const names = Object.keys((await phone()).app_state).map((index) => JSON.parse(index) as string[])
  return names.find(([each, jid]) => each === kind && (jid === lid || jid === pn(number)))?.[1] ?? `no ${kind} of ${number}`
}

async function hear(from: string, text = 'hello', to = ME): Promise<string> {
  const { sandbox, receiver } = stage.world
  const { id } = await sandbox.send(from, to, { text })
  await receiver.waitFor(`received ${id}`, (event) => event.type === 'received' && event.message_id === id)
  return id
}

const list = async (query = '') => (await good('chats.list', 'GET', `/chats${query}`)) as { data: Json[]; total: number }
const chat = (who: string) => good('chats.get', 'GET', `/chats/${who}`)
const write = (id: string, method: string, path: string, body?: Json) => good(id, method, `/chats/${path}`, body)

const becomes = (who: string, fits: (shown: Json) => boolean) => until(() => chat(who), fits)

test('chats come newest first, with their names, counters and times, people under their number', async () => {
  await hear(BEN)
  await hear(ANA)
  await hear(ANA)
  await hear(ANA, 'to all', group.replace('-group', '@g.us'))
  const { data, total } = await list()
  assert.equal(total, 3)
  assert.deepEqual(columns(data, 'phone', 'name', 'unread', 'is_group'), [
    [group, 'Team', 1, true],
    [ANA, 'Ana', 2, false],
    [BEN, 'Ben', 1, false],
  ])
  assert.ok(Math.abs(Date.parse(String(data[0]!.last_message_at)) - Date.now()) < 600_000)
  assert.match(String(data[1]!.lid), /^\d+@lid$/)
  assert.deepEqual(column((await list('?page=2&page_size=1')).data, 'phone'), [ANA])
  assert.deepEqual((await list('?page=9')).data, [])
  assert.equal((await refused('GET', '/chats?page_size=501')).code, 'invalid_request')
})

test('one chat is shown with what its person shows, by number in any form and by LID', async () => {
  const shown = await chat(ANA)
  assert.deepEqual([shown.about, shown.picture_url, shown.unread], ['Busy', PICTURE, 2])
  assert.deepEqual(await chat(String(shown.lid)), shown)
  assert.equal((await chat(BEN_WITHOUT_NINTH)).phone, BEN)
  const team = await chat(group)
  assert.deepEqual([team.phone, team.about, team.picture_url, team.is_group_announcement], [group, null, null, false])
  for (const match of [{ xmlns: 'usync' }, { xmlns: 'w:profile:picture' }])
    await instead({ account: ME, ...match }, { error: [429, 'rate-overlimit'] }, {})
  const { about, picture_url } = await chat(ANA)
  assert.deepEqual([about, picture_url], [null, null], 'what the network would not tell')
  await asUsual()
  const long = ['user', { jid: String(shown.lid) }, [['status', { t: '1' }, 'x'.repeat(500)]]]
  const answer = [
    'usync',
    {},
    [
      ['result', {}, []],
      ['list', {}, [long]],
    ],
  ]
  await instead({ account: ME, xmlns: 'usync' }, { result: [answer] })
  assert.equal((await chat(ANA)).about, 'x'.repeat(139))
  for (const nowhere of [CAT, NOBODY, STRANGE_GROUP]) {
    const { status, code } = await refused('GET', `/chats/${nowhere}`)
    assert.deepEqual([status, code], [404, 'chat_not_found'], nowhere)
  }
  assert.equal((await refused('GET', '/chats/ana')).code, 'invalid_phone')
})

test('a chat is archived on the phone, with how far that reaches, and is not pinned then', async () => {
  await write('chats.pin', 'PUT', `${ANA}/pin`, { value: true })
  assert.equal((await chat(ANA)).pinned, true)
  const index = await indexOf(ANA, 'pin_v1')
  assert.deepEqual((await onPhone('pin_v1', index)).pinAction, { pinned: true })
  await write('chats.archive', 'PUT', `${ANA}/archive`, { value: true })
  const { archived, pinned } = await chat(ANA)
  assert.deepEqual([archived, pinned], [true, false])
  assert.deepEqual((await onPhone('pin_v1', index)).pinAction, { pinned: false })
  const { archiveChatAction } = (await onPhone('archive', index)) as { archiveChatAction: Json & { messageRange: Json } }
  assert.equal(archiveChatAction.archived, true)
  const range = archiveChatAction.messageRange as { lastMessageTimestamp: string; messages: { key: Json; timestamp: string }[] }
  assert.ok(Number(range.lastMessageTimestamp) > 1_700_000_000)
  assert.equal(range.messages[0]!.key.remoteJid, index)
  await write('chats.pin', 'PUT', `${ANA}/pin`, { value: true })
  assert.equal((await chat(ANA)).archived, false)
  assert.equal((await onPhone('archive', index)).archiveChatAction!.archived, false)
  await write('chats.pin', 'PUT', `${ANA}/pin`, { value: false })
})

test('a chat that neither the directory nor the network knows is not found; one that only the network knows is', async () => {
  await write('chats.archive', 'PUT', `${CAT}/archive`, { value: true })
  assert.equal((await onPhone('archive', pn(CAT))).archiveChatAction!.archived, true)
  assert.equal((await list()).total, 3, 'nothing was written there')
  for (const nowhere of [NOBODY, STRANGE_GROUP]) {
    const { status, code } = await refused('PUT', `/chats/${nowhere}/archive`, { value: true })
    assert.deepEqual([status, code], [404, 'chat_not_found'], nowhere)
  }
  assert.equal((await refused('PUT', '/chats/status@broadcast/archive', { value: true })).code, 'invalid_phone')
})

test('no more than three chats are pinned', async () => {
  const pinned = [ANA, BEN, group]
  for (const who of pinned) await write('chats.pin', 'PUT', `${who}/pin`, { value: true })
  await hear(DAN)
  const { status, code } = await refused('PUT', `/chats/${DAN}/pin`, { value: true })
  assert.deepEqual([status, code], [403, 'not_allowed'])
  await write('chats.pin', 'PUT', `${ANA}/pin`, { value: true })
  for (const who of pinned) await write('chats.pin', 'PUT', `${who}/pin`, { value: false })
})

test('a chat is mute for a while, for ever, and not any more', async () => {
  await write('chats.mute', 'PUT', `${group}/mute`, { value: true, duration_seconds: 28_800 })
  const until = Date.parse(String((await chat(group)).mute_ends_at))
  assert.ok(Math.abs(until - Date.now() - 28_800_000) < 600_000)
  const jid = group.replace('-group', '@g.us')
  assert.equal(Number((await onPhone('mute', jid)).muteAction!.muteEndTimestamp), until)
  await write('chats.mute', 'PUT', `${group}/mute`, { value: true })
  const { muted, mute_ends_at } = await chat(group)
  assert.deepEqual([muted, mute_ends_at], [true, null])
  assert.deepEqual((await onPhone('mute', jid)).muteAction, { muted: true, muteEndTimestamp: '-1' })
  await write('chats.mute', 'PUT', `${group}/mute`, { value: false })
  assert.equal((await chat(group)).muted, false)
  assert.deepEqual((await onPhone('mute', jid)).muteAction, { muted: false })
  const odd = await refused('PUT', `/chats/${group}/mute`, { value: false, duration_seconds: 60 })
  assert.deepEqual([odd.status, odd.code], [400, 'invalid_request'])
})

test('a chat that is read here is read everywhere: receipts go to who wrote, the phone is told; and it is marked unread again', async () => {
  const { sandbox } = stage.world
  const ids = [await hear(EVA, 'one'), await hear(EVA, 'two')]
  assert.equal((await chat(EVA)).unread, 2)
  await write('chats.read', 'PUT', `${EVA}/read`, { value: true })
  const { unread, marked_unread } = await chat(EVA)
  assert.deepEqual([unread, marked_unread], [0, false])
  type Heard = { kind: string; type: string; ids: string[] }
  const { contacts } = await sandbox.get<{ contacts: { phone: string; heard: Heard[] }[] }>('/state')
  const read = contacts
    .find((each) => each.phone === EVA)!
    .heard.filter(({ kind, type }) => kind === 'receipt' && type === 'read')
  assert.deepEqual(read.flatMap((each) => each.ids).sort(), [...ids].sort())
  const index = await indexOf(EVA, 'markChatAsRead')
  assert.equal((await onPhone('markChatAsRead', index)).markChatAsReadAction!.read, true)
  await write('chats.read', 'PUT', `${EVA}/read`, { value: false })
  assert.equal((await chat(EVA)).marked_unread, true)
  assert.equal((await onPhone('markChatAsRead', index)).markChatAsReadAction!.read, false)
})

test('messages of a chat live as long as is set here, with people and in groups', async () => {
  const { sandbox } = stage.world
  await write('chats.expiration', 'PUT', `${ANA}/expiration`, { value: 604_800 })
  assert.equal((await chat(ANA)).ephemeral_seconds, 604_800)
  const shown = JSON.stringify((await stage.next(ANA)).proto)
  assert.match(shown, /"ephemeralExpiration":604800/)
  const text = await stage.shown('/send-text', { phone: ANA, message: 'gone in a week' })
  assert.match(JSON.stringify(text.proto), /"expiration":604800/)
  await write('chats.expiration', 'PUT', `${ANA}/expiration`, { value: 0 })
  assert.equal((await chat(ANA)).ephemeral_seconds, 0)
  const mine = await sandbox.createGroup({ subject: 'Mine', owner: ME, participants: [ANA, ME] })
  const id = mine.id.replace('@g.us', '-group')
  await write('chats.expiration', 'PUT', `${id}/expiration`, { value: 86_400 })
  const { groups } = await sandbox.get<{ groups: { id: string; ephemeral_seconds: number }[] }>('/state')
  assert.equal(groups.find((each) => each.id === mine.id)!.ephemeral_seconds, 86_400)
  await write('chats.expiration', 'PUT', `${id}/expiration`, { value: 0 })
  // If the group is not locked, every member may change the setting.
  await write('chats.expiration', 'PUT', `${group}/expiration`, { value: 0 })
  await sandbox.put(`/groups/${encodeURIComponent(group.replace('-group', '@g.us'))}`, { by: ANA, restrict: true })
  const locked = await refused('PUT', `/chats/${group}/expiration`, { value: 86_400 })
  assert.deepEqual([locked.status, locked.code], [403, 'not_allowed'])
  for (const nowhere of [NOBODY, STRANGE_GROUP]) {
    const { status, code } = await refused('PUT', `/chats/${nowhere}/expiration`, { value: 0 })
    assert.deepEqual([status, code], [404, 'chat_not_found'], nowhere)
  }
  assert.equal((await refused('PUT', `/chats/${ANA}/expiration`, { value: 60 })).code, 'invalid_request')
})

test('a message is starred with its author in a group, and one that is not remembered is not found', async () => {
  const jid = group.replace('-group', '@g.us')
  const id = await hear(ANA, 'star me', jid)
  await write('chats.star', 'PUT', `${group}/messages/${id}/star`, { value: true })
  const starred = Object.entries((await phone()).app_state).filter(([index]) => index.startsWith('["star"'))
  assert.equal(starred.length, 1)
  const [index, action] = starred[0]!
  const [, remote, message, fromMe, author] = JSON.parse(index) as string[]
  assert.deepEqual([remote, message, fromMe, action.starAction], [jid, id, '0', { starred: true }])
  assert.match(author!, /@(lid|s\.whatsapp\.net)$/)
  await write('chats.star', 'PUT', `${group}/messages/${id}/star`, { value: false })
  assert.deepEqual((await phone()).app_state[index]?.starAction, { starred: false })
  const own = await stage.shown('/send-text', { phone: BEN, message: 'mine' })
  await write('chats.star', 'PUT', `${BEN}/messages/${own.id}/star`, { value: true })
  const mine = Object.keys((await phone()).app_state).find((each) => each.includes(String(own.id)))!
  assert.deepEqual((JSON.parse(mine) as string[]).slice(2), [own.id, '1', '0'])
  for (const path of [`${group}/messages/NOT-THERE/star`, `${BEN}/messages/${id}/star`]) {
    const { status, code } = await refused('PUT', `/chats/${path}`, { value: true })
    assert.deepEqual([status, code], [404, 'message_not_found'])
  }
})

test('a chat is cleared, with or without what is starred, and deleted until somebody writes there again', async () => {
  await hear(BEN)
  await write('chats.clear', 'POST', `${BEN}/clear`, { keep_starred: true })
  assert.equal((await chat(BEN)).unread, 0)
  const index = await indexOf(BEN, 'clearChat')
  assert.ok(await onPhone('clearChat', index, '0', '0'))
  await write('chats.clear', 'POST', `${BEN}/clear`)
  const cleared = (await onPhone('clearChat', index, '1', '0')) as { clearChatAction: { messageRange: Json } }
  assert.ok(Number(cleared.clearChatAction.messageRange.lastMessageTimestamp) > 1_700_000_000)
  await write('chats.delete', 'DELETE', BEN)
  assert.ok(await onPhone('deleteChat', index, '1'))
  assert.equal((await refused('GET', `/chats/${BEN}`)).code, 'chat_not_found')
  assert.ok((await list()).data.every(({ phone }) => phone !== BEN))
  await hear(BEN)
  assert.equal((await chat(BEN)).unread, 1)
})

test('what the phone does with a chat is shown here, and what it says of an older state is taken first', async () => {
  const index = await indexOf(ANA, 'pin_v1')
  await act('regular_low', ['pin_v1', index], { pinAction: { pinned: true } })
  await becomes(ANA, ({ pinned }) => pinned === true)
  await act('regular_high', ['mute', index], { muteAction: { muted: true, muteEndTimestamp: -1 } })
  await becomes(ANA, ({ muted }) => muted === true)
  await stage.world.sandbox.sendFromPhone(ME, ANA, { text: 'answered on the phone' })
  await becomes(ANA, ({ unread }) => unread === 0)
  await act('regular_high', ['mute', index], { muteAction: { muted: false } })
  await write('chats.mute', 'PUT', `${group}/mute`, { value: false })
  assert.equal((await chat(ANA)).muted, false)
})

test('a version that another device took meanwhile is read, and the change made once more, not twice', async () => {
  const conflict = [
    'sync',
    {},
    [['collection', { name: 'regular_low', type: 'error' }, [['error', { code: '409', text: 'conflict' }]]]],
  ]
  const isPatch = { account: ME, xmlns: 'w:sync:app:state', child: 'sync' }
  // Two queries must be refused, because the read before the patch looks like the patch itself.
  await instead(isPatch, { result: [conflict] }, { times: 2 })
  await write('chats.pin', 'PUT', `${ANA}/pin`, { value: false })
  assert.equal((await chat(ANA)).pinned, false)
  await instead(isPatch, { result: [conflict] }, { times: 10 })
  const second = await refused('PUT', `/chats/${ANA}/pin`, { value: true })
  assert.deepEqual([second.status, second.code, second.details], [502, 'action_failed', { network_code: 409 }])
  await asUsual()
  assert.equal((await chat(ANA)).pinned, false)
  await write('chats.pin', 'PUT', `${ANA}/pin`, { value: false })
})

const FLAGS: [id: string, method: string, path: string, body?: Json][] = [
  ['chats.archive', 'PUT', 'archive', { value: false }],
  ['chats.pin', 'PUT', 'pin', { value: false }],
  ['chats.mute', 'PUT', 'mute', { value: false }],
  ['chats.read', 'PUT', 'read', { value: false }],
  ['chats.clear', 'POST', 'clear', {}],
  ['chats.delete', 'DELETE', ''],
]
for (const [id, method, path, body] of FLAGS) {
  test(`${id} says what the network refused, and nothing is changed`, async () => {
    const before = await list()
    await instead({ account: ME, xmlns: 'w:sync:app:state' }, { error: [404, 'refused'] })
    const answer = await refused(method, `/chats/${DAN}${path && '/'}${path}`, body)
    assert.deepEqual([answer.status, answer.code], [404, 'chat_not_found'])
    assert.deepEqual(await list(), before)
  })
}

test('a restart of the service remembers the list without asking', async () => {
  const before = await list()
  await stage.world.restartService()
  await stage.world.gateway.waitForStatus(stage.instance, 'connected')
  const { sandbox } = stage.world
  const { id } = await sandbox.post<{ id: string }>('/expect', {
    match: { account: ME, from: 'client', tag: 'iq' },
    count: 50,
    wait_ms: 0,
  })
  const seen = async () => (await sandbox.get<{ items: unknown[] }>(`/expect/${id}?wait_ms=0`)).items.length
  const asked = await seen()
  assert.deepEqual(await list(), before)
  assert.equal(await seen(), asked)
})

// An earlier bug: several requests at the same time all counted the pinned chats before any of them pinned its own, so
// too many chats were pinned.
test('of several chats that are pinned at once no more than three are', async () => {
  const people = [ANA, BEN, CAT, DAN, EVA]
  for (const who of people) await hear(who)
  const answers = await Promise.all(
    people.map((who) => stage.world.gateway.ask(stage.instance, 'PUT', `/chats/${who}/pin`, { value: true })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 403, 403])
  const pins = await Promise.all(people.map(async (who) => (await chat(who)).pinned))
  assert.equal(pins.filter(Boolean).length, 3)
  for (const who of people) await write('chats.pin', 'PUT', `${who}/pin`, { value: false })
})
