import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { json } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { toDataURL } from 'qrcode'
import { ROUTES, startControlServer } from '../../packages/sandbox/src/testing.ts'
import { startSimulator } from '../harness/network.ts'

const PHONE = '5511900000001'
const CONTACT = '5511900000002'
const OTHER = '5511900000003'

const simulator = await startSimulator()
const server = await startControlServer(simulator.control, { port: 0, host: '127.0.0.1', onDefect: assert.fail })

after(async () => {
  await server.stop()
  await simulator.stop()
})

interface Answer {
  status: number
  body: Record<string, unknown> & { error?: { code: string; message: string } }
}

async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(server.url + path, {
    method,
    ...(body === undefined ? {} : { body: text, headers: { 'content-type': 'application/json' } }),
  })
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

async function refused(status: number, code: string, [method, path, body]: [string, string, unknown?], message?: RegExp) {
  const answer = await ask(method, path, body)
  const told = `${method} ${path}: ${JSON.stringify(answer.body)}`
  assert.equal(answer.status, status, told)
  assert.equal(answer.body.error?.code, code, told)
  if (message) assert.match(answer.body.error?.message ?? '', message)
}

test('phones, contacts and groups made over HTTP are in the state', async () => {
  assert.equal((await ask('POST', '/phones', { phone: `+${PHONE}`, name: 'Ann', platform: 'ios' })).status, 201)
  assert.equal((await ask('POST', '/contacts', { phone: CONTACT, name: 'Ben', devices: 2 })).status, 201)
  const changed = await ask('PUT', `/contacts/${CONTACT}`, { about: 'busy' })
  assert.deepEqual([changed.status, changed.body.about, changed.body.name], [200, 'busy', 'Ben'])
  const group = await ask('POST', '/groups', { subject: 'Team', owner: CONTACT, participants: [PHONE], addressing: 'pn' })
  assert.equal(group.status, 201)
  const id = encodeURIComponent(group.body.id as string)
  assert.equal((await ask('PUT', `/groups/${id}`, { by: CONTACT, subject: 'Crew' })).status, 200)
  assert.equal((await ask('POST', `/groups/${id}/participants`, { by: CONTACT, action: 'add', phones: [OTHER] })).status, 200)
  const { body } = await ask('GET', '/state')
  assert.match(JSON.stringify(body.phones), new RegExp(PHONE))
  assert.match(JSON.stringify(body.contacts), new RegExp(CONTACT))
  assert.match(JSON.stringify(body.groups), /Crew/)
  assert.deepEqual(Object.keys(body).sort(), ['contacts', 'groups', 'newsletters', 'phones'])
})

test('what a contact writes to another is in the inbox, from the number asked for on', async () => {
  const sent = await ask('POST', `/contacts/${CONTACT}/send`, { to: OTHER, message: { text: 'hello' }, id: 'AAA1' })
  assert.deepEqual([sent.status, sent.body.id], [201, 'AAA1'])
  const first = await ask('GET', `/contacts/${OTHER}/inbox?after=0&wait_ms=5000`)
  const [item] = first.body.items as { seq: number; id: string; kind: string; text: string }[]
  assert.deepEqual([item?.id, item?.kind, item?.text], ['AAA1', 'text', 'hello'])
  const next = await ask('GET', `/contacts/${OTHER}/inbox?after=${item?.seq}`)
  assert.deepEqual(next.body.items, [])
})

test('an inbox that is waited for answers when something comes', async () => {
  const waiting = ask('GET', '/contacts/5511900000009/inbox?wait_ms=30000')
  await ask('POST', `/contacts/${CONTACT}/send`, { to: '5511900000009', message: { text: 'at last' } })
  assert.equal(((await waiting).body.items as unknown[]).length, 1)
})

test('settings change one by one and are answered whole', async () => {
  const before = await ask('PUT', '/settings', {})
  const changed = await ask('PUT', '/settings', { echo: false })
  assert.deepEqual(changed.body, { ...before.body, echo: false })
})

test('every kind of fault is taken, and cleared', async () => {
  const actions = [
    'drop',
    'duplicate',
    'cut',
    'unanswered',
    { delay_ms: 5 },
    { query_error: [404, 'item-not-found'] },
    { ack_error: 463 },
    { stream_error: 503 },
    { stream_error: 'replaced' },
    { failure: 402, code: '101', expire: 60 },
    { http_status: 503 },
    { corrupt: true },
  ]
  for (const action of actions) {
    const answer = await ask('POST', '/faults', { on: 'message', match: { phone: PHONE }, do: action, times: 1 })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    assert.equal(typeof answer.body.id, 'string')
  }
  assert.equal((await ask('DELETE', '/faults')).status, 200)
})

test('the network goes down and up, forges and counts', async () => {
  assert.equal((await ask('PUT', '/network', { down: true })).status, 200)
  assert.equal((await ask('PUT', '/network', { down: false })).status, 200)
  assert.equal((await ask('POST', '/forge', { what: 'leaf' })).status, 200)
  assert.equal((await ask('POST', `/phones/${PHONE}/cut`)).status, 200)
  assert.equal((await ask('POST', `/phones/${PHONE}/unlink`)).status, 200)
  const { body } = await ask('GET', '/stats')
  assert.deepEqual(Object.keys(body).sort(), [
    'connections',
    'stanzas_in',
    'stanzas_out',
    'undecryptable',
    'unknown_queries',
    'uploads',
  ])
})

test('a missing or wrong field is told by its name', async () => {
  const wrong: [string, string, unknown, RegExp][] = [
    ['POST', '/phones', {}, /phone: is needed/],
    ['POST', '/phones', { phone: 'abc' }, /phone: must be a phone number/],
    ['POST', '/phones', { phone: PHONE, platform: 'fax' }, /platform/],
    ['POST', '/phones', { phone: PHONE, colour: 'red' }, /colour: unknown field/],
    ['PUT', '/settings', { receipts: 'maybe' }, /receipts/],
    ['POST', '/contacts', { phone: CONTACT, devices: 5 }, /devices/],
    ['PUT', `/contacts/${CONTACT}`, { group_add: 'some' }, /group_add/],
    ['POST', `/contacts/${CONTACT}/send`, { message: { text: 'a' } }, /to: is needed/],
    ['POST', `/contacts/${CONTACT}/send`, { to: OTHER, message: { dance: 1 } }, /message: it needs one of/],
    ['POST', `/contacts/${CONTACT}/burst`, { to: OTHER, count: 0, text_prefix: '' }, /count/],
    ['GET', `/contacts/${CONTACT}/inbox?wait_ms=30001`, undefined, /wait_ms/],
    ['GET', `/contacts/${CONTACT}/inbox?after=x`, undefined, /after: must be a whole number/],
    ['POST', `/contacts/${CONTACT}/receipt`, { chat: OTHER, ids: [], type: 'read' }, /ids/],
    ['POST', `/contacts/${CONTACT}/presence`, { to: OTHER, state: 'asleep' }, /state/],
    ['POST', `/contacts/${CONTACT}/call`, { to: OTHER, end: 'never' }, /end/],
    ['POST', `/phones/${PHONE}/scan`, {}, /exactly one of image/],
    ['POST', `/phones/${PHONE}/scan`, { image: 'nonsense' }, /image: must be a data URL/],
    ['POST', `/phones/${PHONE}/enter-code`, {}, /code: is needed/],
    ['POST', '/groups', { subject: 'x', owner: CONTACT }, /participants: is needed/],
    ['POST', '/groups/1@g.us/participants', { by: CONTACT, action: 'add' }, /phones: needed to add/],
    ['PUT', '/groups/1@g.us', { by: CONTACT, announce: 'yes' }, /announce/],
    ['POST', '/faults', { on: 'sunday', do: 'drop' }, /on/],
    ['POST', '/faults', { on: 'query', do: { explode: true } }, /do: must be drop/],
    ['PUT', '/network', { down: 'yes' }, /down/],
    ['POST', '/forge', { what: 'money' }, /what/],
    ['POST', '/phones', '{"phone":', /not JSON/],
    ['POST', '/phones', '[]', /./],
  ]
  for (const [method, path, body, message] of wrong) await refused(400, 'invalid_request', [method, path, body], message)
})

test('a phone demands its passkey until that is taken back; what it signs is told, and a wrong key by its field', async () => {
  const path = `/phones/${PHONE}/passkey`
  await refused(404, 'not_found', ['GET', path], /demands no passkey/)
  await refused(404, 'not_found', ['POST', `${path}/sign`, { public_key: { challenge: 'AAAA' } }])
  const made = await ask('PUT', path, { app: 'back', bend: { options: 'query' } })
  assert.deepEqual([made.body.app, made.body.answers, made.body.limit, made.body.ceremony], ['back', 'yes', false, null])
  const changed = await ask('PUT', path, { answers: 'never' })
  assert.deepEqual(changed.body, { ...made.body, answers: 'never' })
  const signed = await ask('POST', `${path}/sign`, { public_key: { challenge: 'AAAA', rpId: 'whatsapp.com', more: 1 } })
  const { id } = signed.body.assertion as { id: string }
  assert.equal(id, made.body.credential_id)
  const state = (await ask('GET', '/state')).body as { phones: { phone: string; demands_passkey: boolean }[] }
  assert.equal(state.phones.find(({ phone }) => phone === PHONE)?.demands_passkey, true)

  const { x } = made.body.public_jwk as { x: string }
  const elsewhere = { kty: 'EC', crv: 'P-256', x, y: x }
  await refused(400, 'invalid_request', ['PUT', path, { public_jwk: elsewhere }], /^public_jwk: /)
  for (const [name, value] of [
    ['credential_id', ''],
    ['credential_id', 'AAAA='],
    ['credential_id', 5],
    ['user_handle', 'a+b/'],
    ['public_jwk.x', { ...elsewhere, x: '' }],
    ['public_jwk.kty', { ...elsewhere, kty: 'RSA' }],
    ['public_jwk.crv', { ...elsewhere, crv: 'P-384' }],
    ['public_jwk.d', { ...elsewhere, d: 'AAAA' }],
    ['app', 'side'],
    ['answers', 'maybe'],
    ['limit', 'true'],
    ['played_by', 'nobody'],
    ['bend.options', { options: 'none' }],
    ['bend.challenge', { challenge: 'fresh' }],
    ['bend.proof', { proof: 'take' }],
    ['bend.continuation', { continuation: 'never' }],
    ['bend.continuation_delay_ms', { continuation_delay_ms: -1 }],
    ['bend.continuation_delay_ms', { continuation_delay_ms: 0.5 }],
    ['bend.pair_success', { pair_success: 'late' }],
    ['bend.cut_after', { cut_after: 'everything' }],
    ['bend.more', { more: true }],
  ] as const)
    await refused(400, 'invalid_request', ['PUT', path, { [name.split('.')[0]!]: value }], new RegExp(`^${name}: `))
  for (const [action, body, problem] of [
    ['sign', {}, /^public_key: is needed/],
    ['sign', { public_key: {} }, /^public_key.challenge: /],
    ['sign', { public_key: { challenge: 'AAAA=' } }, /^public_key.challenge: /],
    ['sign', { public_key: { challenge: 'AAAA', rpId: '' } }, /^public_key.rpId: /],
    ['sign', { public_key: { challenge: 'AAAA' }, origin: '' }, /^origin: /],
    ['sign', { public_key: { challenge: 'AAAA' }, flags: -1 }, /^flags: /],
    ['sign', { public_key: { challenge: 'AAAA' }, flags: 256 }, /^flags: /],
    ['sign', { public_key: { challenge: 'AAAA' }, spoil: 'all' }, /^spoil: /],
    ['accept', { yes: 'yes' }, /^yes: /],
    ['accept', { code: '' }, /^code: /],
    ['say', {}, /^what: is needed/],
    ['say', { what: 'hello' }, /^what: /],
    ['relay', {}, /exactly one of/],
    ['relay', { adv_secret: '' }, /./],
    ['relay', { adv_secret: 'a_b-' }, /./],
    ['relay', { adv_secret: 'AAAA', primary_ephemeral_identity: 'AAAA' }, /exactly one of/],
  ] as const)
    await refused(400, 'invalid_request', ['POST', `${path}/${action}`, body], problem)
  assert.equal((await ask('PUT', path, { public_jwk: made.body.public_jwk, credential_id: 'AAAA' })).body.private_key, null)
  await refused(409, 'conflict', ['POST', `${path}/sign`, { public_key: { challenge: 'AAAA' } }], /only the public key/)
  await refused(409, 'conflict', ['POST', `${path}/accept`, {}], /not accepted a code/)
  await refused(409, 'conflict', ['POST', `${path}/say`, { what: 'request' }])
  await refused(409, 'conflict', ['POST', `${path}/relay`, { adv_secret: 'AAAA' }], /the simulator plays/)
  assert.deepEqual((await ask('GET', `${path}/relay?after=0`)).body, { items: [] })
  assert.deepEqual(await ask('DELETE', path), { status: 200, body: {} })
  await refused(404, 'not_found', ['DELETE', path])
})

test('every route that takes a body refuses a field it does not know', async () => {
  const open = ['/communities', '/newsletters', '/business/:phone']
  for (const { method, segments } of ROUTES) {
    const path = `/${segments.join('/')}`
    if (method === 'GET' || open.includes(path)) continue
    const real = path.replace(':phone', PHONE).replace(':id', '1@g.us')
    await refused(400, 'invalid_request', [method, real, { no_such_field: 1 }])
  }
})

test('what is not there is not found', async () => {
  await refused(404, 'not_found', ['POST', '/phones/5511999999999/scan', { qr: 'x' }])
  await refused(404, 'not_found', ['GET', '/calls/none'])
  await refused(404, 'not_found', ['PUT', '/groups/1@g.us', { by: CONTACT, subject: 'x' }])
  await refused(404, 'not_found', ['POST', `/contacts/${CONTACT}/send`, { to: '5511900000000', message: { text: 'nobody' } }])
  await refused(404, 'not_found', ['GET', '/nothing'], /no GET \/nothing/)
  await refused(404, 'not_found', ['GET', '/phones'], /there is POST/)
})

test('what does not fit the state is a conflict', async () => {
  await refused(409, 'conflict', ['POST', '/phones', { phone: PHONE }])
  await refused(409, 'conflict', ['POST', '/contacts', { phone: CONTACT }])
  const text = 'https://wa.me/settings/linked_devices#2@nobody,AAAA,BBBB,CCCC,1'
  await refused(409, 'conflict', ['POST', `/phones/${PHONE}/scan`, { qr: text }])
  await refused(409, 'conflict', ['POST', `/phones/${PHONE}/scan`, { image: await toDataURL(text, { width: 512 }) }])
  await refused(409, 'conflict', ['POST', `/phones/${PHONE}/enter-code`, { code: 'ABCD1234' }])
})

/** Sends a request with exactly these headers. `fetch` would change some of them. */
function raw(port: string, method: string, path: string, headers: Record<string, string> | string[], body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers }, async (response) => {
      resolve({ status: response.statusCode!, body: (await json(response)) as Answer['body'] })
    })
    request.on('error', reject)
    request.end(body)
  })
}

test('nothing is taken from a page in a browser', async () => {
  const { port, host } = new URL(server.url)
  const type = { 'content-type': 'application/json' }
  const wrong: [Record<string, string>, RegExp][] = [
    [{ ...type, host: 'rebound.example' }, /Host/],
    [{ ...type, host: `127.0.0.1.rebound.example:${port}` }, /Host/],
    [{ ...type, host: '192.168.0.1' }, /Host/],
    [{ ...type, host, origin: 'https://site.example' }, /Origin/],
    [{ ...type, host, origin: 'null' }, /Origin/],
    [{ ...type, host, origin: 'http://localhost:3000' }, /Origin/],
    [{ host, 'content-type': 'text/plain' }, /application\/json/],
    [{ host, 'content-type': 'application/x-www-form-urlencoded' }, /application\/json/],
    [{ host, 'content-type': 'application/json-not' }, /application\/json/],
    [{ host }, /application\/json/],
  ]
  for (const [headers, why] of wrong) {
    const { status, body } = await raw(port, 'PUT', '/settings', headers, '{}')
    assert.deepEqual([status, body.error?.code], [400, 'invalid_request'], JSON.stringify(headers))
    assert.match(body.error?.message ?? '', why)
  }
  assert.equal((await raw(port, 'GET', '/stats', { host: 'rebound.example' })).status, 400, 'nor is anything shown')
  const twice = await raw(port, 'GET', '/stats', ['Host', host, 'Host', 'rebound.example'])
  assert.match(twice.body.error?.message ?? '', /sent once/)
  const many = Array.from({ length: 1_010 }, (_, at) => [`n${at}`, '']).flat()
  const hidden = await raw(port, 'GET', '/stats', ['Host', host, ...many, 'Origin', 'https://site.example'])
  assert.match(hidden.body.error?.message ?? '', /Origin/)
  for (const own of [`localhost:${port}`, 'localhost', `127.0.0.1:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`])
    assert.equal((await raw(port, 'PUT', '/settings', { ...type, host: own }, '{}')).status, 200, own)
  const page = { ...type, host, origin: `http://${host}` }
  assert.equal((await raw(port, 'PUT', '/settings', page, '{}')).status, 200, 'its own origin')
  assert.equal((await raw(port, 'DELETE', '/faults', { host })).status, 200, 'no body has no type')
})

test('a defect of the simulator is told to its operator, with its stack, and not to whoever asked', async () => {
  const defects: unknown[] = []
  const broken = Object.assign(Object.create(simulator.control), {
    stats() {
      throw new TypeError('cannot read /home/somebody/secret')
    },
  })
  const other = await startControlServer(broken, { port: 0, host: '127.0.0.1', onDefect: (error) => void defects.push(error) })
  try {
    const { port, host } = new URL(other.url)
    const { status, body } = await raw(port, 'GET', '/stats', { host })
    assert.deepEqual([status, body.error?.code], [500, 'internal'])
    assert.doesNotMatch(JSON.stringify(body), /secret|TypeError|control\.test/)
    assert.match(String((defects[0] as Error).stack), /secret/)
  } finally {
    await other.stop()
  }
})

test('a reset leaves nobody', async () => {
  assert.equal((await ask('POST', '/reset')).status, 200)
  const { body } = await ask('GET', '/state')
  assert.deepEqual([body.phones, body.groups], [[], []])
})

test('a reset restores every setting', async () => {
  const settings = async (changes = {}) => (await ask('PUT', '/settings', changes)).body
  await ask('POST', '/reset')
  const initial = await settings()
  const changed = {
    auto_contacts: !initial.auto_contacts,
    echo: !initial.echo,
    receipts: 'none',
    receipt_delay_ms: 7,
    addressing: 'lid',
    mex_ids: 'older',
    snapshots_above: 3,
    offline_batches: 'required',
  }
  assert.deepEqual(await settings(changed), changed)
  await ask('POST', '/reset')
  assert.deepEqual(await settings(), initial)
})
