import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { detailsOf } from '../../harness/operations.ts'
import type { Json } from '../../harness/stage.ts'
import { ANA, EVA, ME, NOBODY, SHOP, startGround } from './ground.ts'

const ground = await startGround()
after(() => ground.stop())
afterEach(() => ground.asUsual())

const DONE = { value: true }
const seenByEva = (phone = ME) => ground.eva.must('business.profile', { phone })
const issuesOf = async (operation: string, input: Json) => {
  const answer = await ground.ask(operation, input)
  assert.equal(answer.status, 400, JSON.stringify(answer.body))
  return (detailsOf(answer).issues as { path: string }[]).map(({ path }) => path)
}

test('what is changed of the profile is seen by others, and what is not named stays', async () => {
  const fields = {
    description: 'Home repairs',
    address: 'Rua A, 10',
    email: 'hi@example.com',
    websites: ['https://example.com', 'https://example.org/shop'],
    categories: ['273819889375819', '2250'],
  }
  assert.deepEqual(await ground.must('business.updateProfile', fields), DONE)
  const expected = {
    ...fields,
    phone: ME,
    categories: [
      { id: '2250', name: 'Education' },
      { id: '273819889375819', name: 'Restaurant' },
    ],
    hours: null,
    cart_enabled: true,
    has_cover_photo: false,
  }
  assert.deepEqual(await seenByEva(), expected)
  await ground.must('business.updateProfile', { websites: ['https://example.com'] })
  assert.deepEqual(await seenByEva(), { ...expected, websites: ['https://example.com'] })
  await ground.must('business.updateProfile', { description: '', address: '', email: '', websites: [] })
  const cleared = { description: null, address: null, email: null, websites: [] }
  assert.deepEqual(await seenByEva(), { ...expected, ...cleared })
  assert.deepEqual(await ground.must('business.profile', {}), { ...expected, ...cleared }, 'the own one, when nobody is named')
})

test('opening hours are seen by others, by day and interval', async () => {
  const days = [
    { day: 'mon', open_time: '08:00', close_time: '12:00' },
    { day: 'MON', mode: 'SPECIFIC_HOURS', open_time: '12:00', close_time: '23:59' },
    { day: 'sat', mode: 'appointment_only' },
    { day: 'sun', mode: 'open_24h', open_time: '10:00', close_time: '11:00' },
  ]
  assert.deepEqual(await ground.must('business.updateHours', { timezone: 'America/Sao_Paulo', days }), DONE)
  assert.deepEqual((await seenByEva()).hours, {
    timezone: 'America/Sao_Paulo',
    days: [
      { day: 'mon', mode: 'specific_hours', open_time: '08:00', close_time: '12:00' },
      { day: 'mon', mode: 'specific_hours', open_time: '12:00', close_time: '23:59' },
      { day: 'sat', mode: 'appointment_only', open_time: null, close_time: null },
      { day: 'sun', mode: 'open_24h', open_time: null, close_time: null },
    ],
  })
  await ground.must('business.updateHours', { timezone: 'Europe/Lisbon', days: [] })
  assert.deepEqual((await seenByEva()).hours, { timezone: 'Europe/Lisbon', days: [] })
})

test('a time zone in another letter case reaches the others as the tz database writes it', async () => {
  for (const [given, seen] of [
    ['utc', ['UTC']],
    ['AMERICA/SAO_PAULO', ['America/Sao_Paulo']],
    ['america/port-au-prince', ['America/Port-au-Prince']],
    // The tz database has two names for some time zones. The service keeps the given name if its case is right. A name
    // in another case may be replaced by the other name of the zone.
    ['Asia/Kolkata', ['Asia/Kolkata']],
    ['US/Pacific', ['US/Pacific']],
    ['asia/kolkata', ['Asia/Calcutta', 'Asia/Kolkata']],
  ] as const) {
    await ground.must('business.updateHours', { timezone: given, days: [] })
    const { timezone } = (await seenByEva()).hours as { timezone: string }
    assert.ok((seen as readonly string[]).includes(timezone), `${given}: ${timezone}`)
  }
})

test('hours that cannot be are told by their field', async () => {
  const hours = (...days: Json[]) => issuesOf('business.updateHours', { timezone: 'UTC', days })
  const at = (open_time: string, close_time: string, more: Json = {}) => ({ day: 'tue', open_time, close_time, ...more })
  const rows: [Json[], string[]][] = [
    [[{ day: 'tue' }], ['days.0.open_time']],
    [[{ day: 'tue', open_time: '08:00' }], ['days.0.close_time']],
    [[at('09:00', '09:00')], ['days.0.close_time']],
    [[at('24:00', '09:00')], ['days.0.open_time']],
    [[at('9:00', '10:00')], ['days.0.open_time']],
    [[at('08:00', '12:00'), at('11:59', '13:00')], ['days.1.day']],
    [[at('08:00', '12:00'), { day: 'tue', mode: 'open_24h' }], ['days.1.day']],
    [[at('01:00', '02:00'), at('03:00', '04:00'), at('05:00', '06:00'), at('07:00', '08:00')], ['days.3.day']],
    [[{ day: 'someday', mode: 'open_24h' }], ['days.0.day']],
    [[{ day: 'tue', mode: 'sometimes' }], ['days.0.mode']],
  ]
  for (const [days, paths] of rows) assert.deepEqual(await hours(...days), paths, JSON.stringify(days))
  for (const timezone of ['Mars/Olympus', '+02:00', '', 'x'.repeat(65)])
    assert.deepEqual([...new Set(await issuesOf('business.updateHours', { timezone, days: [] }))], ['timezone'], timezone)
})

test('a profile that cannot be is told by its field', async () => {
  const rows: [Json, string][] = [
    [{}, ''],
    [{ description: 'x'.repeat(513) }, 'description'],
    [{ address: 'x'.repeat(257) }, 'address'],
    [{ email: 'nobody' }, 'email'],
    [{ email: `${'x'.repeat(120)}@example.com` }, 'email'],
    [{ websites: ['ftp://example.com'] }, 'websites.0'],
    [{ websites: [`https://example.com/${'x'.repeat(256)}`] }, 'websites.0'],
    [{ websites: ['https://a.example', 'https://b.example', 'https://c.example'] }, 'websites'],
    [{ categories: [] }, 'categories'],
    [{ categories: ['1', '2', '3', '4'] }, 'categories'],
    [{ categories: ['shop'] }, 'categories.0'],
  ]
  for (const [input, path] of rows)
    assert.deepEqual(await issuesOf('business.updateProfile', input), [path], JSON.stringify(input))
})

test('a profile is read of anybody who has one, in whatever form they are named', async () => {
  await ground.business(SHOP, { description: 'Tools', cover_photo: true, cart_enabled: false })
  const { contacts } = await ground.me.world.sandbox.get<{ contacts: { phone: string; lid: string }[] }>('/state')
  const { lid } = contacts.find(({ phone }) => phone === SHOP)!
  for (const phone of [SHOP, SHOP.replace('55119', '5511'), `${lid}@lid`]) {
    const { description, has_cover_photo, cart_enabled, phone: told } = await ground.must('business.profile', { phone })
    assert.deepEqual([told, description, has_cover_photo, cart_enabled], [SHOP, 'Tools', true, false])
  }
  assert.equal(await ground.refused('business.profile', { phone: ANA }), 'not_found')
  assert.equal(await ground.eva.refused('business.profile', {}), 'not_found')
  assert.equal(await ground.refused('business.profile', { phone: NOBODY }), 'phone_not_on_whatsapp')
  assert.equal(await ground.refused('business.profile', { phone: '1-group' }), 'invalid_phone')
})

test('an odd answer is read as far as it goes', async () => {
  const profile = [
    'profile',
    { jid: `${SHOP}@s.whatsapp.net` },
    [
      ['website', {}, 'https://example.com'],
      ['website', {}],
      ['categories', {}, [['category', {}, 'without id']]],
      [
        'business_hours',
        {},
        [
          ['business_hours_config', { day_of_week: 'mon', mode: 'specific_hours', open_time: '480', close_time: '1440' }],
          ['business_hours_config', { day_of_week: 'mon', mode: 'on_request' }],
          ['business_hours_config', { day_of_week: 'tue', mode: 'specific_hours', open_time: 'x' }],
        ],
      ],
    ],
  ]
  await ground.answers('business_profile', [['business_profile', {}, [profile]]])
  assert.deepEqual(await ground.must('business.profile', { phone: SHOP }), {
    phone: SHOP,
    description: null,
    address: null,
    email: null,
    websites: ['https://example.com'],
    categories: [],
    hours: {
      timezone: null,
      days: [
        { day: 'mon', mode: 'specific_hours', open_time: '08:00', close_time: '23:59' },
        { day: 'tue', mode: 'specific_hours', open_time: null, close_time: null },
      ],
    },
    cart_enabled: null,
    has_cover_photo: false,
  })
})

test('categories are found by a text in their name; not to be a business is none of them', async () => {
  const all = (await ground.must('business.categories', {})).data as Json[]
  assert.ok(all.length > 3)
  assert.ok(all.every(({ id }) => id !== '0'))
  assert.deepEqual((await ground.must('business.categories', { q: ' REST ' })).data, [
    { id: '273819889375819', name: 'Restaurant' },
  ])
  assert.equal(await ground.refused('business.categories', { q: 'x'.repeat(101) }), 'invalid_request')
})

test('the cart is switched off and on, as the network says', async () => {
  for (const cart_enabled of [false, true]) {
    assert.deepEqual(await ground.must('business.updateCatalogConfig', { cart_enabled }), { cart_enabled })
    assert.equal((await seenByEva()).cart_enabled, cart_enabled)
  }
  await ground.answers('commerce_settings', [['commerce_settings', {}, [['cart', { enabled: 'true' }]]]])
  const kept = await ground.must('business.updateCatalogConfig', { cart_enabled: false })
  assert.deepEqual(kept, { cart_enabled: true }, 'what holds now')
  assert.equal(await ground.refused('business.updateCatalogConfig', {}), 'invalid_request')
})

const WRITES: [operation: string, input: Json, child: string][] = [
  ['business.updateProfile', { description: 'Not ours' }, 'business_profile'],
  ['business.updateHours', { timezone: 'UTC', days: [] }, 'business_profile'],
  ['business.updateCatalogConfig', { cart_enabled: true }, 'commerce_settings'],
  ['business.categories', {}, 'request'],
]
for (const [operation, input, child] of WRITES)
  test(`${operation} needs a business account, and is refused as the network refuses it`, async () => {
    assert.equal(await ground.eva.refused(operation, input), 'not_allowed')
    assert.equal(await ground.eva.refused('business.profile', { phone: EVA }), 'not_found')
    await ground.refuses(child, 406)
    assert.equal(await ground.refused(operation, input), 'invalid_request')
  })
