import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Json } from '../../harness/stage.ts'
import { until as eventually } from '../../harness/until.ts'
import { ANA, BEN, EVA, ME, startGround } from './ground.ts'

const ground = await startGround()
after(() => ground.stop())

const list = async (query: Json = {}) => (await ground.must('groups.list', query)) as unknown as { data: Json[]; total: number }
const entry = async (chat: string) => (await list()).data.find(({ phone }) => phone === chat)

const until = (chat: string, fits: (found: Json | undefined) => boolean) => eventually(() => entry(chat), fits)

async function questions(child: string, work: () => Promise<void>): Promise<number> {
  const { sandbox } = ground.me.world
  const match = { from: 'client', account: ME, tag: 'iq', xmlns: 'w:g2', type: 'get', child }
  const { id } = await sandbox.post<{ id: string }>('/expect', { match, count: 1_000, wait_ms: 0 })
  await work()
  return (await sandbox.get<{ items: unknown[] }>(`/expect/${id}?wait_ms=0`)).items.length
}

test('a group that we make, are taken into, or leave is in the list, or not any more', async () => {
  const { phone } = await ground.must('groups.create', { name: 'Ours', phones: [EVA, ANA] })
  const { last_message_at, ...made } = (await until(String(phone), Boolean)) ?? {}
  assert.ok(last_message_at === null || Math.abs(Date.parse(String(last_message_at)) - Date.now()) < 60_000)
  assert.deepEqual(made, {
    phone,
    name: 'Ours',
    community_id: null,
    is_group_announcement: false,
    participants_count: 3,
    unread: 0,
    archived: false,
    pinned: false,
    muted: false,
    mute_ends_at: null,
  })
  const theirs = await ground.group({ owner: ANA, participants: [ANA, BEN], subject: 'Theirs' })
  assert.equal(await entry(theirs.chat), undefined)
  await ground.people(theirs.id, 'add', [ME])
  assert.equal((await until(theirs.chat, Boolean))?.participants_count, 3)
  await ground.must('groups.leave', { group_id: String(phone) })
  await until(String(phone), (found) => found === undefined)
  await ground.people(theirs.id, 'remove', [ME])
  await until(theirs.chat, (found) => found === undefined)
})

test('its name and how many are in it follow what happens in the group, without a question', async () => {
  const { id, chat } = await ground.group({ owner: ANA, subject: 'Before' })
  assert.equal((await until(chat, Boolean))?.name, 'Before')
  const asked = await questions('query', async () => {
    await ground.change(id, { subject: 'After' })
    await until(chat, (found) => found?.name === 'After')
    await ground.people(id, 'add', [BEN])
    await until(chat, (found) => found?.participants_count === 4)
    await ground.people(id, 'remove', [BEN, EVA])
    await until(chat, (found) => found?.participants_count === 2)
  })
  assert.equal(asked, 0)
})

test('the last activity comes first, with what is unread', async () => {
  const { sandbox } = ground.me.world
  const [quiet, busy] = [await ground.group({ subject: 'Quiet' }), await ground.group({ owner: ANA, subject: 'Busy' })]
  await until(quiet.chat, Boolean)
  await sandbox.send(ANA, busy.id, { text: 'news' })
  const found = await until(busy.chat, (one) => one?.unread === 1)
  assert.ok(Math.abs(Date.parse(String(found?.last_message_at)) - Date.now()) < 60_000)
  assert.equal((await list()).data[0]?.phone, busy.chat)
})

test('pages are cut from one list', async () => {
  // A new group appears in the list of groups first, and a moment later also in the list of chats. So the test waits
  // for the list of chats.
  for (let count = 0; count < 3; count++)
    await until((await ground.group({ subject: `Page ${count}` })).chat, (found) => Boolean(found?.last_message_at))
  const { data, total } = await list()
  assert.equal(data.length, total)
  const pages = []
  for (let page = 1; page <= total + 1; page++) pages.push(...(await list({ page: String(page), page_size: '1' })).data)
  assert.deepEqual(pages, data)
  assert.deepEqual(await list({ page: '100000', page_size: '500' }), { data: [], page: 100_000, page_size: 500, total })
  assert.equal(await ground.refused('groups.list', { page_size: '501' }), 'invalid_request')
  assert.equal(await ground.refused('groups.list', { page: '0' }), 'invalid_request')
})

test('the network is asked once; a restart asks nothing, and has what happened meanwhile', async () => {
  const { world, instance } = ground.me
  const kept = await ground.group({ subject: 'Kept' })
  await until(kept.chat, Boolean)
  const asked = await questions('participating', async () => {
    await list()
    await list()
    const restarted = world.restartService()
    await ground.change(kept.id, { by: ME, subject: 'Renamed' })
    await restarted
    await world.gateway.waitForStatus(instance, 'connected')
    await until(kept.chat, (found) => found?.name === 'Renamed')
  })
  assert.equal(asked, 0)
})

test('a text to a group asks nothing about it, also the first one after a restart; after a change it is asked about again', async () => {
  const { world, instance } = ground.me
  const { id, chat } = await ground.group({ subject: 'Asked' })
  const text = async () => {
    const { message_id } = await world.gateway.must(instance, 'POST', '/send-text', { phone: chat, message: 'hello' })
    assert.equal((await ground.me.deliveryOf(String(message_id))).status, 'sent')
  }
  await until(chat, Boolean)
  await text()
  assert.equal(await questions('query', text), 0)
  const restarted = await questions('query', async () => {
    await world.restartService()
    await world.gateway.waitForStatus(instance, 'connected')
    await text()
  })
  assert.equal(restarted, 0)
  const changed = await questions('query', async () => {
    await ground.people(id, 'add', [BEN], ME)
    await until(chat, (found) => found?.participants_count === 4)
    await text()
  })
  assert.equal(changed, 1)
})

test('members of groups that the network lists are contacts, by their numbers and LIDs', async () => {
  const { sandbox } = ground.me.world
  const people = ['5511988881001', '5511988881002']
  for (const phone of people) await sandbox.createContact(phone, { name: `Member ${phone}` })
  const { chat } = await ground.group({ owner: people[0]!, participants: [...people, ME], subject: 'Members' })
  await until(chat, Boolean)
  const dirty = ['ib', { from: '@s.whatsapp.net' }, [['dirty', { type: 'groups', timestamp: '1700000001' }]]]
  await sandbox.post('/stanzas', { phone: ME, node: dirty })
  const { contacts } = await sandbox.get<{ contacts: { phone: string; lid: string }[] }>('/state')
  const end = Date.now() + 10_000
  for (;;) {
    const { data } = (await ground.must('contacts.list', { page_size: '500' })) as unknown as { data: Json[] }
    const found = data.filter(({ phone }) => people.includes(String(phone)))
    if (found.length === 2) {
      for (const { phone, lid } of found) assert.equal(lid, `${contacts.find((one) => one.phone === phone)!.lid}@lid`)
      break
    }
    assert.ok(Date.now() < end, 'members are no contacts')
  }
})

test('lists that the network reports as out of date are completely read again', async () => {
  const { sandbox } = ground.me.world
  const { id, chat } = await ground.group({ subject: 'Dirty' })
  await until(chat, Boolean)
  const named = String(id).split('@')[0]
  const match = { account: ME, tag: 'iq', xmlns: 'w:g2', child: 'participating' }
  const group = ['group', { id: named, subject: 'Clean', creation: '1700000000', size: '7', s_t: '1700000000', p_v_id: '1' }, []]
  const truncated = ['group', { id: (await ground.group({ subject: 'Long' })).id.split('@')[0], size: '3', truncated: 'true' }]
  await sandbox.post('/answers', { match, do: { result: [['groups', {}, [group, truncated]]] }, times: 1 })
  await sandbox.post('/stanzas', {
    phone: ME,
    node: ['ib', { from: '@s.whatsapp.net' }, [['dirty', { type: 'groups', timestamp: '1700000000' }]]],
  })
  const found = await until(chat, (one) => one?.name === 'Clean')
  assert.equal(found?.participants_count, 7)
  const { data } = await list()
  // The answer for the group `Long` was marked as truncated, so the service had to query this group.
  assert.deepEqual(data.map(({ name, participants_count }) => [name, participants_count]).sort(), [
    ['Clean', 7],
    ['Long', 3],
  ])
})

for (const [code, expected] of [
  [400, 'action_failed'],
  [429, 'action_failed'],
  [500, 'action_failed'],
] as const)
  test(`a first list that the network refuses with ${code} is ${expected}, and the next one is asked for again`, async () => {
    const { sandbox } = ground.me.world
    const { id, chat } = await ground.group({ subject: 'Again' })
    await until(chat, Boolean)
    // This notification marks a part of the list as outdated, so that the next request has to query it.
    const dirty = [
      'notification',
      { from: '@g.us', type: 'w:gp2', id: `D${code}`, t: '1700000000' },
      [['groups_dirty', {}, [['group', { jid: id }]]]],
    ]
    await sandbox.post('/answers', {
      match: { account: ME, tag: 'iq', xmlns: 'w:g2', child: 'query' },
      do: { error: [code, 'refused'] },
      times: 1,
    })
    await sandbox.post('/stanzas', { phone: ME, node: dirty })
    const end = Date.now() + 10_000
    for (;;) {
      const answer = await ground.ask('groups.list', {})
      if (answer.status === 502) break
      assert.ok(Date.now() < end, 'the list was not asked for')
    }
    assert.equal((await entry(chat))?.name, 'Again')
  })

// An earlier bug: the lists were updated by the notification of a change, which arrives after the answer. So a renamed
// group still had its old name.
test('what the account itself has done to a group is in the lists with the answer', async () => {
  const left: string[] = []
  for (let round = 0; round < 8; round += 1) {
    const group_id = String((await ground.must('groups.create', { name: 'Made', phones: [EVA] })).phone)
    assert.equal((await entry(group_id))?.participants_count, 2)
    await ground.must('groups.updateName', { group_id, value: `Round ${round}` })
    assert.equal((await entry(group_id))?.name, `Round ${round}`)
    await ground.must('groups.addParticipants', { group_id, phones: [ANA] })
    assert.equal((await entry(group_id))?.participants_count, 3)
    await ground.heard(group_id, 'group_participant_add')
    await ground.must('groups.leave', { group_id })
    assert.equal(await entry(group_id), undefined)
    left.push(group_id)
  }
  const { data } = await list()
  assert.deepEqual(
    data.filter(({ phone }) => left.includes(String(phone))),
    [],
  )
})

test('the list of chats has the new name of a group with the answer', async () => {
  const { sandbox } = ground.me.world
  for (let round = 0; round < 6; round += 1) {
    const { id, chat } = await ground.group({ owner: ANA, subject: 'Old' })
    await sandbox.send(ANA, id, { text: 'hello' })
    await until(chat, (found) => found?.unread === 1)
    await ground.must('groups.updateName', { group_id: chat, value: 'New' })
    const { data } = (await ground.must('chats.list', {})) as { data: Json[] }
    assert.equal(data.find(({ phone }) => phone === chat)?.name, 'New')
  }
})
