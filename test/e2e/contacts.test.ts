import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { createAsking } from '../harness/answers.ts'
import { column } from '../harness/columns.ts'
import { type Json, startStage } from '../harness/stage.ts'

const ME = '5511999990004'
const ANA = '5511988880001'
/** A mobile number of Brazil that is registered with its ninth digit. */
const BEN = '5511988880002'
const BEN_WITHOUT_NINTH = '551188880002'
const CAT = '5511988880003'
const NOBODY = '5511977770000'
const PICTURE = 'https://127.0.0.1/ana.jpg'

const stage = await startStage(ME)
const { sandbox } = stage.world
await sandbox.createContact(ANA, { name: 'Ana', picture: PICTURE })
await sandbox.createContact(BEN, { name: 'Ben' })
await sandbox.createContact(CAT, { name: 'Cat', picture: PICTURE, blocked_me: true })
after(() => stage.world.stop())
const { good, refused, instead, asUsual } = createAsking(() => stage)
afterEach(asUsual)

interface Person {
  phone: string
  lid: string
  blocklist: string[]
  reports: string[]
}
const state = () => stage.world.sandbox.get<{ phones: Person[]; contacts: Person[] }>('/state')
const phone = async () => (await state()).phones.find((each) => each.phone === ME)!
const lidOf = async (number: string) => `${(await state()).contacts.find((each) => each.phone === number)!.lid}@lid`

async function counted(match: Json, work: () => Promise<unknown>): Promise<number> {
  const { sandbox } = stage.world
  const { id } = await sandbox.post<{ id: string }>('/expect', {
    match: { account: ME, from: 'client', ...match },
    count: 100,
    wait_ms: 0,
  })
  await work()
  return (await sandbox.get<{ items: unknown[] }>(`/expect/${id}?wait_ms=0`)).items.length
}

test('a number that has an account is told in its registered form, with its LID', async () => {
  for (const number of [BEN, BEN_WITHOUT_NINTH])
    assert.deepEqual(await good('contacts.exists', 'GET', `/phone-exists/${number}`), {
      exists: true,
      phone: BEN,
      lid: await lidOf(BEN),
    })
  assert.deepEqual(await good('contacts.exists', 'GET', `/phone-exists/${NOBODY}`), { exists: false, phone: NOBODY, lid: null })
  for (const odd of ['1234', '123456789012345678901', '123@lid', 'ana']) {
    const { status, code } = await refused('GET', `/phone-exists/${odd}`)
    assert.deepEqual([status, code], [400, 'invalid_phone'], odd)
  }
})

test('fifty numbers are one query, answered in their order, one that is none among them', async () => {
  const strangers = Array.from({ length: 45 }, (_, index) => `55118877${String(index + 1).padStart(5, '0')}`)
  const phones = [NOBODY, BEN_WITHOUT_NINTH, '12345678901234567890', ANA, ANA, ...strangers]
  let answer: Json = {}
  const queries = await counted({ tag: 'iq', xmlns: 'usync' }, async () => {
    answer = await good('contacts.existsBatch', 'POST', '/phone-exists-batch', { phones })
  })
  assert.equal(queries, 1)
  const data = answer.data as Json[]
  assert.deepEqual(column(data, 'input_phone'), phones)
  const none = (number: string) => ({ input_phone: number, output_phone: number, exists: false, lid: null })
  const ana = { input_phone: ANA, output_phone: ANA, exists: true, lid: await lidOf(ANA) }
  assert.deepEqual(data.slice(0, 5), [
    none(NOBODY),
    { input_phone: BEN_WITHOUT_NINTH, output_phone: BEN, exists: true, lid: await lidOf(BEN) },
    none('12345678901234567890'),
    ana,
    ana,
  ])
  assert.ok(data.slice(5).every(({ exists }) => exists === true))
  assert.equal((await refused('POST', '/phone-exists-batch', { phones: [ANA, 'x'] })).code, 'invalid_phone')
})

test('a number that was told of before is not asked about again, but by whoever asks for just that', async () => {
  const number = '5511977660001'
  const usync = (work: () => Promise<unknown>) => counted({ tag: 'iq', xmlns: 'usync' }, work)
  assert.equal(await usync(() => good('contacts.block', 'POST', `/contacts/${number}/block`)), 1)
  assert.equal(await usync(() => good('contacts.unblock', 'POST', `/contacts/${number}/unblock`)), 0)
  assert.equal(await usync(() => good('contacts.picture', 'GET', `/contacts/${number}/picture`)), 0)
  const exists = async () => (await good('contacts.exists', 'GET', `/phone-exists/${number}`)).exists
  assert.equal(await usync(async () => assert.equal(await exists(), true)), 1)
  // The service does not store that a number has no account, because somebody may create one at any time.
  const nobody = () => refused('POST', `/contacts/${NOBODY}/block`)
  assert.equal(await usync(nobody), 1)
  assert.equal(await usync(nobody), 1)
})

test('a number is not said to have no account when the network would not say', async () => {
  const inResult = [
    'usync',
    {},
    [
      ['result', {}, [['contact', {}, [['error', { code: '429', backoff: '60' }]]]]],
      ['list', {}, []],
    ],
  ]
  for (const action of [{ error: [429, 'rate-overlimit'] }, { result: [inResult] }]) {
    await instead({ account: ME, xmlns: 'usync' }, action, { times: 2 })
    for (const answer of [
      await refused('GET', `/phone-exists/${ANA}`),
      await refused('POST', '/phone-exists-batch', { phones: [ANA] }),
    ])
      assert.deepEqual([answer.status, answer.code, answer.details], [502, 'action_failed', { network_code: 429 }])
  }
})

test('a picture is told where it may be seen', async () => {
  const { sandbox } = stage.world
  const url = async (who: string) => (await good('contacts.picture', 'GET', `/contacts/${who}/picture?size=preview`)).url
  assert.equal(await url(ANA), PICTURE)
  assert.equal(await url(await lidOf(ANA)), PICTURE)
  assert.equal(await url(BEN_WITHOUT_NINTH), null, 'none')
  assert.equal(await url(CAT), null, 'hidden')
  assert.equal(await url(NOBODY), null)
  const { id } = await sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, ME] })
  assert.equal(await url(id.replace('@g.us', '-group')), null)
  for (const [code, status, expected] of [
    [400, 502, 'action_failed'],
    [429, 502, 'action_failed'],
    [500, 502, 'action_failed'],
  ] as const) {
    // One prepared answer is not enough: the service also queries the picture of a new group after the event, and that
    // query could use it up.
    await instead({ account: ME, xmlns: 'w:profile:picture' }, { error: [code, 'refused'] }, {})
    const answer = await refused('GET', `/contacts/${ANA}/picture`)
    await asUsual()
    assert.deepEqual([answer.status, answer.code], [status, expected])
  }
})

const block = async (who: string) => (await good('contacts.block', 'POST', `/contacts/${who}/block`)).blocked
const unblock = async (who: string) => (await good('contacts.unblock', 'POST', `/contacts/${who}/unblock`)).blocked
const blocked = async () => (await good('contacts.blocked', 'GET', '/contacts/blocked')).blocked

test('who is blocked is so on the phone, by number in any form or by LID, and comes off the list again', async () => {
  assert.deepEqual(await blocked(), [])
  assert.deepEqual(await block(BEN_WITHOUT_NINTH), [BEN])
  assert.deepEqual(await block(await lidOf(ANA)), [BEN, ANA])
  assert.deepEqual((await phone()).blocklist, [await lidOf(BEN), await lidOf(ANA)])
  assert.deepEqual(await blocked(), [BEN, ANA])
  assert.deepEqual(await unblock(await lidOf(BEN)), [ANA])
  assert.deepEqual(await unblock(BEN), [ANA], 'who is not on the list is none to take off')
  assert.deepEqual(await unblock(ANA), [])
  assert.deepEqual((await phone()).blocklist, [])
})

test('an answer that only names the new version has the list read', async () => {
  const matched = { result: [['list', { matched: 'true', dhash: 'new' }]] }
  await instead({ account: ME, xmlns: 'blocklist', type: 'set' }, matched, { times: 1, apply: true })
  assert.deepEqual(await block(ANA), [ANA])
  await instead({ account: ME, xmlns: 'blocklist', type: 'set' }, matched, { times: 1, apply: true })
  assert.deepEqual(await unblock(ANA), [])
})

test('a LID whose number nobody knows can be blocked', async () => {
  const lid = '998877665544'
  await stage.world.sandbox.createContact('5511966660001', { lid })
  const list = (await block(`${lid}@lid`)) as string[]
  assert.equal(list.length, 1)
  assert.deepEqual((await phone()).blocklist, [`${lid}@lid`])
  assert.deepEqual(await unblock(`${lid}@lid`), [])
})

test('a person and a group are reported, and the person is blocked besides when that is asked', async () => {
  const { sandbox } = stage.world
  const report = (who: string, body: Json = {}) => good('contacts.report', 'POST', `/contacts/${who}/report`, body)
  assert.deepEqual(await report(ANA), { value: true })
  assert.deepEqual(await blocked(), [])
  const { id } = await sandbox.createGroup({ subject: 'Spam', owner: ANA, participants: [ANA, ME] })
  await report(id.replace('@g.us', '-group'))
  await report(BEN_WITHOUT_NINTH, { block: true })
  assert.deepEqual((await phone()).reports, [await lidOf(ANA), id, await lidOf(BEN)])
  assert.deepEqual(await blocked(), [BEN])
  assert.deepEqual(await unblock(BEN), [])
})

test('who has no account, and a group we are not in, is not found', async () => {
  const { id } = await stage.world.sandbox.createGroup({ subject: 'Others', owner: ANA, participants: [ANA, BEN] })
  for (const [path, expected] of [
    [`/contacts/${NOBODY}/block`, 'phone_not_on_whatsapp'],
    [`/contacts/${NOBODY}/unblock`, 'phone_not_on_whatsapp'],
    [`/contacts/${NOBODY}/report`, 'phone_not_on_whatsapp'],
    [`/contacts/${id.replace('@g.us', '-group')}/report`, 'group_not_found'],
  ] as const) {
    const { status, code } = await refused('POST', path)
    assert.deepEqual([status, code], [404, expected], path)
  }
  for (const what of ['block', 'unblock'])
    assert.equal((await refused('POST', `/contacts/12-group/${what}`)).code, 'invalid_phone')
  assert.equal((await refused('POST', '/contacts/12345-group/report', { block: true })).code, 'invalid_request')
})

test('a write says what the network refused', async () => {
  await block(BEN)
  for (const [what, xmlns, who] of [
    ['block', 'blocklist', ANA],
    ['unblock', 'blocklist', BEN],
    ['report', 'spam', ANA],
  ] as const) {
    await instead({ account: ME, xmlns, type: 'set' }, { error: [403, 'refused'] })
    const answer = await refused('POST', `/contacts/${who}/${what}`)
    assert.deepEqual([answer.status, answer.code], [403, 'not_allowed'], what)
  }
  await instead({ account: ME, xmlns: 'blocklist', type: 'get' }, { error: [429, 'rate-overlimit'] })
  assert.deepEqual((await refused('GET', '/contacts/blocked')).details, { network_code: 429 })
  assert.deepEqual(await blocked(), [BEN])
})
