/**
 * Tests calls in the format of the compatible gateway (Z-API). They must have the intended effect, and the answers must
 * have the field names that its clients read.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DIALECTS } from '../../src/domain/dialect.ts'
import { reshapes, zapiRoutes } from '../../src/features/dialects/zapi-requests.ts'
import { endpoints } from '../../src/features/index.ts'
import { image } from '../harness/media-files.ts'
import { openService, type Service } from './http/service.ts'
import { type TheirCall, theirCalls } from './zapi-calls.ts'

let service: Service
before(async () => {
  service = await openService({ instanceSlots: 10_000 })
  service.double.answer = (_, operation) => {
    const endpoint = endpoints.find(({ id }) => id === operation)!
    if (endpoint.kind === 'send') return { message_id: '3EB0EE97803A91FF2C0ED1', svc_id: '01JD3V8Q6ZP4M5T7X9K2B0C1DE' }
    return endpoint.examples.find(({ reply }) => reply)?.reply
  }
})
after(() => service.close())

const ZAPI = { 'X-Dialect': 'zapi' }

async function instanceOf(dialect: 'zapi' | null) {
  const made = await service.newInstance()
  await service.directory.update(made.id, { settings: { dialect } })
  return made
}

/**
 * Creates an instance and sends one call to it. The clock first advances by a second, so that no rate limit is reached.
 */
async function ask({ route, body }: TheirCall, dialect: 'zapi' | null = 'zapi', headers: Record<string, string> = {}) {
  service.time.now += 1_000
  service.double.calls.length = 0
  const { id, base } = await instanceOf(dialect)
  const [method = '', path = ''] = route.split(' ')
  const answered = await service.ask(method, base + path, body, headers)
  const [call] = service.double.calls
  return { ...answered, id, input: call?.input as Record<string, unknown> | undefined, operation: call?.operation }
}

const call = (route: string, body?: unknown): TheirCall => ({ route, ...(body === undefined ? {} : { body }) })

/**
 * Matches the names of fields without an effect, by the last part of the name. The answer may list only such fields of
 * a call as ignored.
 */
const UNUSED = /^(groupMentioned|salePrice|profileImage|amount|lastMessageId)$/

test(`${theirCalls.length} calls of theirs are answered 200, or refused for the reason that stands beside them`, async (t) => {
  let good = 0
  for (const each of theirCalls) {
    const { status, body, headers } = await ask(each)
    const about = `${each.route} ${JSON.stringify(each.body)} → ${status} ${JSON.stringify(body)}`
    assert.equal(status, each.refused?.status ?? 200, about)
    if (each.refused) {
      assert.match(body.message, each.refused.why, about)
      t.diagnostic(`refused: ${each.route} → ${status} ${body.message}`)
    } else good++
    for (const name of headers.get('X-Svc-Ignored-Fields')?.split(', ') ?? []) assert.match(name, UNUSED, about)
    assertNoSnakeCase(body, about)
  }
  t.diagnostic(`${good} of ${theirCalls.length} answered 200, the others refused for a reason`)
})

function assertNoSnakeCase(value: unknown, about: string): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value)) {
    assert.ok(!/[a-z]_/.test(name), `${name} of ${about}`)
    assertNoSnakeCase(part, about)
  }
}

test('a field in camelCase is the field: nothing of a request is lost', async () => {
  const quoted = await ask(
    call('POST /send-image', {
      phone: '5511988887777',
      image: 'https://cdn.example/a.png',
      viewOnce: true,
      messageId: 'A1',
      delayMessage: 4,
      sendAt: '2026-01-31T12:00:00.000Z',
    }),
  )
  assert.equal(quoted.input?.view_once, true)
  assert.equal(quoted.input?.reply_to_message_id, 'A1')
  assert.equal(quoted.input?.delay_message, 4)
  assert.equal(quoted.input?.send_at, Date.parse('2026-01-31T12:00:00.000Z'))
  const reacted = await ask(call('POST /send-reaction', { phone: '5511988887777', reaction: '❤️', messageId: 'A1' }))
  assert.equal(reacted.input?.message_id, 'A1')
  const edited = await ask(call('POST /send-document/pdf', { phone: '5511988887777', caption: 'A', editDocumentMessageId: 'A1' }))
  assert.equal(edited.input?.edit_message_id, 'A1')
  const poll = await ask(
    call('POST /send-poll', {
      phone: '5511988887777',
      message: 'Which?',
      pollMaxOptions: '2',
      poll: [{ name: 'A' }, { name: 'B' }],
    }),
  )
  assert.deepEqual([poll.input?.question, poll.input?.options, poll.input?.poll_max_options], ['Which?', ['A', 'B'], 2])
  const hours = await ask(
    call('POST /business/hours', {
      timezone: 'America/Sao_Paulo',
      days: [{ dayOfWeek: 'MONDAY', openTime: '08:00', closeTime: '12:00' }],
      mode: 'specificHours',
    }),
  )
  assert.deepEqual(hours.input?.days, [{ day: 'mon', mode: 'specific_hours', open_time: '08:00', close_time: '12:00' }])
  const product = await ask(
    call('POST /products', {
      name: 'Mug',
      images: 'https://cdn.example/a.png',
      price: '20.5',
      currency: 'BRL',
      isHidden: 'true',
      integrationId: '7',
    }),
  )
  assert.deepEqual([product.input?.price, product.input?.is_hidden, product.input?.retailer_id], [20.5, true, '7'])
  assert.equal((product.input as { images: unknown[] }).images.length, 1)
  const invited = await ask(
    call('POST /send-newsletter-admin-invite', {
      phone: '5511988887777',
      adminInviteMessage: { newsletterId: '120363166555745933@newsletter', caption: 'C' },
    }),
  )
  assert.equal(invited.input?.caption, 'C')
  const page = await ask(call('GET /chats?page=2&pageSize=7'))
  assert.deepEqual([page.input?.page, page.input?.page_size], [2, 7])
  const blocked = await ask(
    call('POST /privacy/group-add', {
      type: 'CONTACT_BLACKLIST',
      contactsBlacklist: [{ action: 'add', phone: '5511988887777' }],
    }),
  )
  assert.equal((blocked.input as { contacts: unknown[] }).contacts.length, 1)
})

test('the time of an event may have its offset in a field of its own', async () => {
  const start = async (event: object) => {
    const { status, input, body, headers } = await ask(
      call('POST /send-event', { phone: '120363019502650977-group', event: { name: 'Planning', ...event } }),
    )
    const { date_time, end_date_time } = (input?.event ?? {}) as { date_time?: string; end_date_time?: string }
    return { status, date_time, end_date_time, body, ignored: headers.get('X-Svc-Ignored-Fields') }
  }
  const local = await start({ dateTime: '2026-04-29T09:30:53', endDateTime: '2026-04-29T10:30', timeZone: 'UTC-3' })
  assert.deepEqual(
    [local.status, local.date_time, local.end_date_time, local.ignored],
    [200, '2026-04-29T09:30:53-03:00', '2026-04-29T10:30-03:00', null],
  )
  const india = await start({ dateTime: '2026-04-29T09:30:53.309', timeZone: 'UTC+5:30' })
  assert.equal(india.date_time, '2026-04-29T09:30:53.309+05:30')
  assert.equal((await start({ dateTime: '2026-04-29T09:30:53', timeZone: 'UTC' })).date_time, '2026-04-29T09:30:53+00:00')
  const both = await start({ dateTime: '2026-04-29T09:30:53.309Z', timeZone: 'UTC-3' })
  assert.deepEqual([both.status, both.date_time], [200, '2026-04-29T09:30:53.309Z'])
  assert.equal(both.ignored, 'event.timeZone', 'the offset of the time itself counts')
  const unknown = await start({ dateTime: '2026-04-29T09:30:53', timeZone: 'Brasilia' })
  assert.deepEqual([unknown.status, unknown.body.details.issues[0].path], [400, 'event.dateTime'])
  const edited = await ask(
    call('POST /send-edit-event', {
      phone: '120363019502650977-group',
      eventMessageId: 'A1',
      event: { name: 'Planning', dateTime: '2026-04-29T09:30:53', timeZone: 'UTC-3' },
    }),
  )
  assert.equal((edited.input as { event: { date_time: string } }).event.date_time, '2026-04-29T09:30:53-03:00')
})

test('the answer of a send has their names, and what ours says beside them', async () => {
  const { body } = await ask(call('POST /send-text', { phone: '5511988887777', message: 'Hello' }))
  assert.deepEqual(body, {
    zaapId: '01JD3V8Q6ZP4M5T7X9K2B0C1DE',
    id: '3EB0EE97803A91FF2C0ED1',
    messageId: '3EB0EE97803A91FF2C0ED1',
    svcId: '01JD3V8Q6ZP4M5T7X9K2B0C1DE',
    status: 'queued',
  })
})

test('lists are bare, values are of the types that clients read', async () => {
  const { body: chats } = await ask(call('GET /chats'))
  assert.ok(Array.isArray(chats))
  const { isMuted, unread, messagesUnread, lastMessageTime } = chats[0]
  assert.equal(typeof messagesUnread, 'number')
  assert.match(isMuted, /^[01]$/)
  assert.match(unread, /^\d+$/)
  assert.match(lastMessageTime, /^\d{13}$/)
  const { body: group } = await ask(call('GET /group-metadata/120363019502650977-group'))
  assert.equal(group.subject, group.name)
  assert.equal(typeof group.creation, 'number')
  const { body: checked } = await ask(call('POST /phone-exists-batch', { phones: ['5511988887777'] }))
  assert.equal(checked[0].inputPhone, '5511988887777')
  const { body: status } = await ask(call('GET /status'))
  assert.deepEqual([status.connected, status.smartphoneConnected], [false, false])
  const { body: catalog } = await ask(call('GET /catalogs'))
  assert.ok(Array.isArray(catalog.products))
  const { body: image } = await ask(call('GET /qr-code/image'))
  assert.match(image.value, /^data:image\/png;base64,/)
})

test('errors have a code and a sentence as texts, which name the field as it was sent', async () => {
  const { status, body } = await ask(
    call('POST /send-poll', { phone: '5511988887777', message: '', poll: [{ name: 'A' }, { name: 'B' }] }),
  )
  assert.equal(status, 400)
  assert.equal(body.error, 'invalid_request')
  assert.equal(body.message, 'message must not be empty.')
  assert.deepEqual(body.details.issues, [{ path: 'message', message: 'must not be empty' }])
  const nested = await ask(
    call('POST /send-button-list', { phone: '5511988887777', message: 'A', buttonList: { buttons: [{ id: '1' }] } }),
  )
  assert.deepEqual(nested.body.details.issues, [{ path: 'buttonList.buttons.0.label', message: 'is required' }])
  const invited = await ask(
    call('POST /send-newsletter-admin-invite', { phone: '5511988887777', adminInviteMessage: { caption: 'C' } }),
  )
  assert.deepEqual(invited.body.details.issues, [{ path: 'adminInviteMessage.newsletterId', message: 'is required' }])
  const absent = await ask(call('GET /nowhere'))
  assert.deepEqual([absent.status, absent.body.error, absent.body.message], [404, 'not_found', 'No such route exists.'])
  const ours = await ask(call('POST /send-call', {}), null)
  assert.equal(ours.body.error.message, 'No such route exists.', 'only the dialect knows the calls of that gateway')
  const url = await ask(call('PUT /update-webhook-received', { value: 'https://10.0.0.1/hook' }))
  assert.match(url.body.message, /^value must not point/)
})

test('a header asks for the dialect for one call, and for our words on an instance that speaks it', async () => {
  const text = call('POST /send-text', { phone: '5511988887777', message: 'Hello', delayMessage: 3 })
  const plain = await ask(text, null)
  assert.deepEqual(plain.body.error.details.issues, [{ path: 'delayMessage', message: 'must be spelled delay_message' }])
  const once = await ask(text, null, ZAPI)
  assert.equal(once.body.zaapId, '01JD3V8Q6ZP4M5T7X9K2B0C1DE')
  const ours = await ask(text, 'zapi', { 'X-Dialect': 'svc' })
  assert.equal(ours.body.error.code, 'invalid_request')
  const wrong = await ask(text, null, { 'X-Dialect': 'klingon' })
  assert.deepEqual(wrong.body.error.details.issues, [{ path: 'X-Dialect', message: 'must be zapi or svc' }])
})

test('a caller with a wrong token is not told what the instance speaks', async () => {
  const { base } = await instanceOf('zapi')
  const { status, body } = await service.ask('GET', `${base.slice(0, -1)}x/status`)
  assert.deepEqual([status, typeof body.error], [401, 'object'])
})

const CHANGED = ['GET /qr-code/image', 'DELETE /messages']

test('routes of the dialect exist in it alone', async () => {
  const restarted = await ask(call('GET /restart'))
  assert.deepEqual([restarted.status, restarted.operation], [200, 'instance.restart'])
  const head = await ask(call('HEAD /restart'))
  assert.deepEqual([head.status, head.operation], [404, undefined], 'a request for the head alone has no effect')
  for (const { route } of zapiRoutes.filter(({ route }) => !CHANGED.includes(route))) {
    const { status, operation } = await ask(
      call(route.replace(/\{\w+\}/, '120363019502650977-group'), route.startsWith('GET') ? undefined : {}),
      null,
    )
    assert.deepEqual([status, operation], [404, undefined], route)
  }
})

test('a large body under the dialect means the same', async () => {
  const fields = {
    phone: '5511988887777',
    image: `data:image/png;base64,${'A'.repeat(400_000)}`,
    viewOnce: true,
    messageId: 'A1',
  }
  const { status, input } = await ask(call('POST /send-image', fields))
  assert.deepEqual([status, input?.view_once, input?.reply_to_message_id], [200, true, 'A1'])
  // Here `images` is one text instead of a list of one picture. A text of more than 1 MB is decoded while it arrives.
  const images = `data:image/png;base64,${(await image('png', 640, 640)).toString('base64')}`
  assert.ok(images.length > 1_048_576)
  const product = await ask(call('POST /products', { name: 'Mug', images }))
  assert.equal(product.status, 200, JSON.stringify(product.body))
  assert.equal((product.input as { images: unknown[] }).images.length, 1)
})

test('nesting that no operation has is no failure of the service', async () => {
  const deep = `{"phone":"5511988887777","message":"A","more":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`
  const there = await ask(call('POST /send-text', deep), null)
  const here = await ask(call('POST /send-text', deep))
  assert.ok(there.status < 500)
  assert.equal(here.status, there.status)
  const filters = await ask(call('POST /search-newsletter', { filters: JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`) }))
  assert.equal(filters.status, 200)
})

test('every field of every operation may be written in camelCase', async () => {
  for (const endpoint of endpoints.filter(
    ({ access, method, path }) => access === 'instance' && method === 'POST' && !path.includes('{type}'),
  ))
    for (const { input } of endpoint.examples) {
      if (!input || endpoint.kind !== 'send') continue
      const row = reshapes[endpoint.id]
      if (row?.values || row?.lift) continue
      const path = endpoint.path.replace(/.*\{token\}/, '').replace(/\{(\w+)\}/g, (_, name) => String(input[name]))
      const ours = await ask(call(`POST ${path}`, input), null)
      const theirs = await ask(call(`POST ${path}`, camel(input)))
      assert.equal(theirs.status, 200, `${endpoint.id} ${JSON.stringify(theirs.body)}`)
      assert.deepEqual(theirs.input, ours.input, endpoint.id)
    }
})

function camel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camel)
  if (typeof value !== 'object' || value === null) return value
  const name = (from: string) => from.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(value).map(([from, part]) => [name(from), camel(part)]))
}

test('ids of buttons may repeat on another card, and not on the same', async () => {
  const card = (...ids: string[]) => ({
    text: 'A card',
    image: 'https://cdn.example/a.png',
    buttons: ids.map((id) => ({ id, type: 'REPLY', label: 'Choose' })),
  })
  const cards = (carousel: object[]) => call('POST /send-carousel', { phone: '5511988887777', message: 'Cards', carousel })
  assert.equal((await ask(cards([card('1'), card('1')]))).status, 200)
  assert.equal((await ask(cards([card('1'), card('1')]), null)).status, 400)
  const twice = await ask(cards([card('1', '1')]))
  assert.equal(twice.body.message, 'carousel.0.buttons.1.id must be unique in the card, but "1" is already used.')
})

test('new instances speak what the workspace is set to, and those that exist stay as they are', async () => {
  const before = await service.newInstance()
  const { status, body } = await service.admin('PUT', '/admin/workspace', { dialect: 'zapi' })
  assert.deepEqual([status, body.dialect, body.name], [200, 'zapi', 'default'])
  const after = await service.newInstance()
  assert.deepEqual(
    [before, after].map(({ id }) => service.directory.settings(id).dialect),
    [null, 'zapi'],
  )
  const { value } = await service.newKey(['instances:write'])
  const made = await service.ask(
    'POST',
    '/account/instances',
    { name: 'own', settings: { dialect: null } },
    { Authorization: `Bearer ${value}` },
  )
  assert.equal(made.body.settings.dialect, null)
  await service.admin('PUT', '/admin/workspace', { dialect: null })
  assert.equal((await service.admin('GET', '/admin/workspace')).body.dialect, null)
})

test('the table speaks of operations that exist', () => {
  const ids = new Set(endpoints.map(({ id }) => id))
  for (const id of [...Object.keys(reshapes), ...zapiRoutes.map(({ operation }) => operation)]) assert.ok(ids.has(id), id)
  assert.deepEqual(DIALECTS, ['zapi'])
})
