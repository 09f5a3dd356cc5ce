import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { createAsking } from '../../harness/answers.ts'
import { phoneOf } from '../../harness/app-state.ts'
import { type Json, startStage } from '../../harness/stage.ts'
import { until } from '../../harness/until.ts'

const ME = '5511999990012'
const ANA = '5511988880001'
const BEN = '5511988880002'
const BEN_WITHOUT_NINTH = '551188880002'
const SHOP = '5511988880003'
const CAT = '5511988880004'
const NOBODY = '5511977770000'
const STRANGER = '123456789012345@lid'
const PICTURE = 'https://127.0.0.1/ana.jpg'

const stage = await startStage(ME)
const { sandbox } = stage.world
await sandbox.createContact(ANA, { name: 'Ana', about: 'Busy', picture: PICTURE })
await sandbox.createContact(BEN, { name: 'Ben', blocked_me: true, picture: PICTURE })
await sandbox.createContact(SHOP, { name: 'Shop', business: true })
await sandbox.createContact(CAT, { name: 'Cat' })
await stage.named()
after(() => stage.world.stop())
const { good, refused, instead, asUsual } = createAsking(() => stage)
afterEach(asUsual)
const { entry, action, act } = phoneOf(() => stage, ME)

const pn = (number: string) => `${number}@s.whatsapp.net`
async function lidOf(number: string): Promise<string> {
  const { contacts } = await stage.world.sandbox.get<{ contacts: { phone: string; lid: string }[] }>('/state')
  return `${contacts.find((each) => each.phone === number)!.lid}@lid`
}
const list = async (query = '') => (await good('contacts.list', 'GET', `/contacts${query}`)) as { data: Json[]; total: number }
const contact = (who: string) => good('contacts.get', 'GET', `/contacts/${who}`)
const add = async (...contacts: Json[]) =>
  (await good('contacts.add', 'POST', '/contacts', { contacts })) as { value: boolean; results: Json[] }
const remove = async (...phones: string[]) =>
  (await good('contacts.remove', 'POST', '/contacts/remove', { phones })) as { value: boolean; results: Json[] }

async function hear(from: string, to = ME) {
  const { sandbox, receiver } = stage.world
  const { id } = await sandbox.send(from, to, { text: 'hello' })
  await receiver.waitFor(`received ${id}`, (event) => event.type === 'received' && event.message_id === id)
}

test('a person is saved on the phone, and known by that name here', async () => {
  const { value, results } = await add(
    { phone: ANA, first_name: 'Ana', last_name: 'Souza' },
    { phone: NOBODY, first_name: 'Nobody' },
    { phone: BEN_WITHOUT_NINTH, first_name: ' Ben ', sync_to_addressbook: false },
  )
  assert.equal(value, false)
  assert.deepEqual(results, [
    { phone: ANA, saved: true, error: null },
    { phone: NOBODY, saved: false, error: 'phone_not_on_whatsapp' },
    { phone: BEN, saved: true, error: null },
  ])
  assert.deepEqual((await action('contact', pn(ANA))).contactAction, {
    fullName: 'Ana Souza',
    firstName: 'Ana',
    lidJid: await lidOf(ANA),
    saveOnPrimaryAddressbook: true,
  })
  const ben = (await action('contact', pn(BEN))).contactAction!
  assert.deepEqual([ben.fullName, ben.saveOnPrimaryAddressbook], ['Ben', false])
  const { data, total } = await list()
  assert.equal(total, 2)
  assert.deepEqual(data[0], {
    phone: ANA,
    lid: await lidOf(ANA),
    name: 'Ana Souza',
    short_name: 'Ana',
    push_name: null,
    verified_name: null,
  })
  assert.equal(await entry('contact', pn(NOBODY)), undefined)
})

test('somebody known by LID alone is saved as such', async () => {
  const { value, results } = await add({ phone: STRANGER, first_name: 'Eve', last_name: '' })
  assert.deepEqual([value, results], [true, [{ phone: STRANGER, saved: true, error: null }]])
  assert.deepEqual((await action('lid_contact', STRANGER)).lidContactAction, { fullName: 'Eve', firstName: 'Eve' })
  assert.deepEqual((await remove(STRANGER)).results, [{ phone: STRANGER, removed: true, error: null }])
  assert.equal(await entry('lid_contact', STRANGER), undefined)
})

test('a new name takes the place of the old one, the last where a person is named twice, and chats and events have it', async () => {
  await add({ phone: ANA, first_name: 'Anna' }, { phone: ANA, first_name: 'Ana Maria' })
  assert.equal((await action('contact', pn(ANA))).contactAction!.fullName, 'Ana Maria')
  await hear(ANA)
  const event = stage.world.receiver.events('received').at(-1)!
  assert.equal(event.chat_name, 'Ana Maria')
  const { data } = (await good('chats.list', 'GET', '/chats')) as { data: Json[] }
  assert.equal(data[0]!.name, 'Ana Maria')
})

test('a person is shown with what it shows: by number in any form, by LID, also one who is not saved', async () => {
  const shown = await contact(ANA)
  assert.deepEqual(
    [shown.name, shown.short_name, shown.push_name, shown.about, shown.picture_url, shown.is_business],
    ['Ana Maria', 'Ana Maria', 'Ana', 'Busy', PICTURE, false],
  )
  assert.ok(shown.about_set_at === null || !Number.isNaN(Date.parse(String(shown.about_set_at))))
  assert.deepEqual(await contact(await lidOf(ANA)), shown)
  const hidden = await contact(BEN_WITHOUT_NINTH)
  assert.deepEqual([hidden.phone, hidden.about, hidden.picture_url], [BEN, null, null])
  const shop = await contact(SHOP)
  assert.deepEqual([shop.name, shop.verified_name, shop.is_business], [null, 'Shop', true])
  const { status, code } = await refused('GET', `/contacts/${NOBODY}`)
  assert.deepEqual([status, code], [404, 'phone_not_on_whatsapp'])
  assert.equal((await refused('GET', '/contacts/123-group')).code, 'invalid_phone')
})

test('who shows no verified name is a business when there is a business profile, and none where that is not to be seen', async () => {
  const about = [
    'usync',
    {},
    [
      ['result', {}, []],
      ['list', {}, [['user', { jid: await lidOf(SHOP) }, [['status', { t: '1' }, 'Open']]]]],
    ],
  ]
  const forgotten = async (business: unknown) => {
    await instead({ account: ME, xmlns: 'usync', child: 'usync' }, { result: [business] }, { times: 1 })
    return contact(CAT)
  }
  await contact(CAT)
  const profile = ['business_profile', {}, [['profile', { jid: pn(CAT) }, []]]]
  assert.equal((await forgotten(about)).is_business, false)
  await instead({ account: ME, xmlns: 'w:biz' }, { result: [profile] })
  assert.equal((await forgotten(about)).is_business, true)
  await instead({ account: ME, xmlns: 'w:biz' }, { error: [403, 'forbidden'] })
  assert.equal((await forgotten(about)).is_business, false)
  // The answer to the usync query says that the account is not a business. A business profile in the answer to the
  // query `w:biz` must not change that.
  const none = ['user', { jid: await lidOf(CAT) }, [['business', {}, [['error', { code: '404' }]]]]]
  await instead({ account: ME, xmlns: 'w:biz' }, { result: [profile] })
  assert.equal(
    (
      await forgotten([
        'usync',
        {},
        [
          ['result', {}, []],
          ['list', {}, [none]],
        ],
      ])
    ).is_business,
    false,
  )
})

test('a person is not shown when the network refuses a part of it', async () => {
  for (const xmlns of ['usync', 'w:profile:picture']) {
    await asUsual()
    await instead({ account: ME, xmlns }, { error: [429, 'rate-overlimit'] }, {})
    const { status, code, details } = await refused('GET', `/contacts/${ANA}`)
    assert.deepEqual([status, code, details], [502, 'action_failed', { network_code: 429 }], xmlns)
  }
})

test('people come by name, then by number, with those who only wrote, in a group too, behind them', async () => {
  const { sandbox } = stage.world
  await sandbox.createContact('5511988880009', { name: 'Quiet' })
  const { id } = await sandbox.createGroup({ subject: 'Team', owner: CAT, participants: [CAT, ME] })
  await hear(CAT, id)
  const names = (await list()).data.map(({ phone, name, push_name }) => [phone, name, push_name])
  assert.deepEqual(names.slice(0, 2), [
    [ANA, 'Ana Maria', 'Ana'],
    [BEN, 'Ben', null],
  ])
  assert.ok(names.some(([phone, name, push]) => phone === CAT && name === null && push === 'Cat'))
  assert.ok(names.slice(2).every(([, name]) => name === null))
  const { total } = await list()
  const second = await list(`?page=2&page_size=1`)
  assert.deepEqual([second.data.map(({ phone }) => phone), second.total], [[BEN], total])
  assert.deepEqual((await list('?page=99')).data, [])
  assert.equal((await refused('GET', '/contacts?page_size=501')).code, 'invalid_request')
})

test('whom the phone saves and removes is known here', async () => {
  await act('critical_unblock_low', ['contact', pn(CAT)], {
    contactAction: { fullName: 'Catherine Jones', firstName: 'Catherine' },
  })
  const named = (name: string | null) => async () => (await list()).data.find(({ phone }) => phone === CAT)?.name === name
  await until(named('Catherine Jones'), Boolean)
  await act('critical_unblock_low', ['contact', pn(CAT)], { contactAction: {} })
  await until(named(null), Boolean)
})

test('a person is saved no more, also one whom the phone had saved, and twice is as good as once', async () => {
  for (const round of [1, 2]) {
    const { value, results } = await remove(ANA, BEN_WITHOUT_NINTH, NOBODY)
    assert.deepEqual(
      [value, results],
      [
        false,
        [
          { phone: ANA, removed: true, error: null },
          { phone: BEN, removed: true, error: null },
          { phone: NOBODY, removed: false, error: 'phone_not_on_whatsapp' },
        ],
      ],
      `round ${round}`,
    )
    assert.equal(await entry('contact', pn(ANA)), undefined)
    assert.equal(await entry('contact', pn(BEN)), undefined)
  }
  assert.equal((await contact(ANA)).name, null)
  assert.equal(
    (await list()).data.every(({ name }) => name === null),
    true,
  )
  // The network accepts a second change only if both sides have computed the same hash of the collection after the
  // first one.
  await add({ phone: ANA, first_name: 'Again' })
  assert.equal((await action('contact', pn(ANA))).contactAction!.fullName, 'Again')
})

test('a write says what the network refused, and nothing is saved', async () => {
  const person = { phone: CAT, first_name: 'Cat' }
  for (const [path, body] of [
    ['/contacts', { contacts: [person] }],
    ['/contacts/remove', { phones: [ANA] }],
  ] as const) {
    await instead({ account: ME, xmlns: 'w:sync:app:state' }, { error: [403, 'refused'] })
    const { status, code } = await refused('POST', path, body)
    assert.deepEqual([status, code], [403, 'not_allowed'], path)
  }
  assert.deepEqual((await entry('contact', pn(CAT)))?.contactAction, {})
  assert.ok(await entry('contact', pn(ANA)))
})

test('more than fifty at a time, groups and empty names are refused', async () => {
  const many = Array.from({ length: 51 }, () => ANA)
  assert.equal((await refused('POST', '/contacts/remove', { phones: many })).code, 'invalid_request')
  const person = (more: Json) => refused('POST', '/contacts', { contacts: [{ phone: ANA, first_name: 'Ana', ...more }] })
  assert.equal((await person({ phone: '123-group' })).code, 'invalid_phone')
  for (const odd of [{ first_name: ' ' }, { first_name: 'x'.repeat(51) }, { last_name: 'x'.repeat(51) }])
    assert.equal((await person(odd)).code, 'invalid_request')
})
