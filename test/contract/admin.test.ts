import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { hashOf } from '../../src/account/credentials.ts'
import { workspaceRecords } from '../../src/account/records.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { ADMIN_KEY, openService } from './http/service.ts'

const service = await openService({ instanceSlots: 3, hasOwnAdminKey: true })
const base = (await service.newInstance()).base
beforeEach(async () => {
  service.time.now += 60_000
  await put('security/ip-allowlist', { enabled: false, entries: [] })
  await put('security/require-api-key', { value: false })
  await put('security/require-client-token', { value: false })
  await put('subscription', { status: 'active', due_at: '2036-01-01T00:00:00.000Z', instance_slots: 3 })
  const { body } = await service.admin('GET', '/admin/api-keys?page_size=500')
  for (const { id } of body.data) await service.admin('DELETE', `/admin/api-keys/${id}`)
  service.time.now += 60_000
})
after(() => service.close())

const put = (path: string, body: unknown) => service.admin('PUT', `/admin/${path}`, body)
const importToken = (value: string) => service.admin('POST', '/admin/api-keys/client-token', { value })
const revoke = (id: string) => service.admin('DELETE', `/admin/api-keys/${id}`)
const me = (headers: Record<string, string> = {}) => service.ask('GET', `${base}/me`, undefined, headers)
const bearer = (value: string) => ({ Authorization: `Bearer ${value}` })
type Answer = { status: number; body: { error?: { code: string } } }
const codeOf = ({ status, body }: Answer) => [status, body.error?.code]
const REFUSED = [403, 'not_allowed']
const TOKEN = 'F7a1b2c3d4e5f60718293a4b5c6d7e8f9'

describe('requirements', () => {
  for (const [path, field, code] of [
    ['security/require-api-key', 'require_api_key', 'api_key_required'],
    ['security/require-client-token', 'require_client_token', 'client_token_required'],
  ] as const) {
    test(`${field} cannot be turned on while nobody could meet it, and counts at once for every instance`, async () => {
      await service.newKey(['instances:read', 'instances:write'])
      assert.deepEqual(codeOf(await put(path, { value: true })), REFUSED)
      assert.equal((await service.admin('GET', '/admin/security')).body[field], false)
      const { value } = await service.newKey(['instances:operate'])
      const on = await put(path, { value: true })
      assert.deepEqual([on.status, on.body[field], on.body.operate_keys], [200, true, 1])
      assert.deepEqual((await service.admin('GET', '/admin/security')).body, on.body)
      assert.deepEqual(codeOf(await me()), [401, code])
      assert.equal((await me({ 'Client-Token': value })).status, 200)
      assert.equal((await put(path, { value: false })).body[field], false)
      assert.equal((await me()).status, 200)
    })

    test(`${field} keeps the last key that may operate: it neither goes nor loses its scope`, async () => {
      const [one, other] = [await service.newKey(['instances:operate']), await service.newKey(['instances:operate'])]
      const reader = await service.newKey(['instances:read'])
      await put(path, { value: true })
      assert.equal((await revoke(reader.id)).status, 200, 'a key that cannot operate may go')
      const narrowed = await put(`api-keys/${one.id}`, { scopes: ['instances:read'] })
      assert.deepEqual([narrowed.status, narrowed.body.scopes], [200, ['instances:read']])
      assert.deepEqual(codeOf(await revoke(other.id)), REFUSED)
      assert.deepEqual(codeOf(await put(`api-keys/${other.id}`, { scopes: ['webhooks:read'] })), REFUSED)
      assert.equal((await put(`api-keys/${other.id}`, { scopes: ['webhooks:read', 'instances:operate'] })).status, 200)
      assert.equal((await put(`api-keys/${other.id}`, { name: 'renamed' })).status, 200)
      assert.equal((await put(path, { value: false })).status, 200)
      assert.equal((await revoke(other.id)).status, 200)
    })

    test(`${field} and the end of the last key at once: never both`, async () => {
      for (let round = 0; round < 5; round++) {
        service.time.now += 1_000
        const { id } = await service.newKey(['instances:operate'])
        const answers = await Promise.all(
          round % 2 ? [put(path, { value: true }), revoke(id)] : [revoke(id), put(path, { value: true })],
        )
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403])
        await put(path, { value: false })
        await revoke(id)
      }
    })
  }

  test('one after the other: while either is on, the last key stays', async () => {
    const { id } = await service.newKey(['instances:operate'])
    await put('security/require-api-key', { value: true })
    await put('security/require-client-token', { value: true })
    await put('security/require-api-key', { value: false })
    assert.deepEqual(codeOf(await revoke(id)), REFUSED)
  })
})

describe('an imported client token', () => {
  test('is a key with instances:operate, works in its header only, and its value is shown by nobody', async () => {
    const made = await importToken(TOKEN)
    assert.equal(made.status, 201)
    const { id, created_at, ...rest } = made.body
    assert.deepEqual(rest, {
      name: 'Client-Token (migrado)',
      scopes: ['instances:operate'],
      hint: '…e8f9',
      kind: 'client_token',
      last_used_at: null,
      last_used_ip: null,
    })
    assert.equal((await put('security/require-client-token', { value: true })).status, 200, 'it is a key that may operate')
    assert.equal((await me({ 'Client-Token': TOKEN })).status, 200)
    assert.deepEqual(codeOf(await me({ 'Client-Token': `${TOKEN}x` })), [401, 'client_token_required'])
    await put('security/require-client-token', { value: false })
    await put('security/require-api-key', { value: true })
    assert.deepEqual(codeOf(await me(bearer(TOKEN))), [401, 'api_key_required'])
    assert.equal((await me({ 'Client-Token': TOKEN })).status, 200)
    assert.deepEqual(codeOf(await service.ask('GET', '/account/instances', undefined, bearer(TOKEN))), [401, 'api_key_required'])
    const listed = await service.admin('GET', '/admin/api-keys')
    assert.equal(listed.body.data[0].last_used_at, new Date(service.time.now).toISOString())
    assert.ok(!JSON.stringify(listed.body).includes(TOKEN.slice(0, -4)))
    assert.deepEqual(codeOf(await revoke(id)), REFUSED, 'the last one that may operate')
  })

  test('comes once, and again when it was revoked', async () => {
    const answers = await Promise.all([importToken(TOKEN), importToken('another-token')])
    assert.deepEqual(answers.map(codeOf).sort(), [[201, undefined], REFUSED])
    const made = answers.find(({ status }) => status === 201)!
    assert.equal((await revoke(made.body.id)).status, 200)
    assert.equal((await importToken('another token, with spaces')).status, 201)
    await put('security/require-client-token', { value: true })
    assert.equal((await me({ 'Client-Token': 'another token, with spaces' })).status, 200)
    assert.equal((await me({ 'Client-Token': TOKEN })).status, 401, 'the revoked one is void')
  })

  test('keeps its one scope, and may be renamed', async () => {
    const { body } = await importToken(TOKEN)
    for (const scopes of [['instances:read'], ['instances:operate', 'instances:read']]) {
      const refused = await put(`api-keys/${body.id}`, { scopes })
      assert.deepEqual(codeOf(refused), [400, 'invalid_request'])
      assert.equal(refused.body.error.details.issues[0].path, 'scopes')
    }
    assert.equal(
      (await put(`api-keys/${body.id}`, { scopes: ['instances:operate'], name: 'the old one' })).body.name,
      'the old one',
    )
  })

  test('has 8 to 128 printable characters, no space at an end, and does not begin like a value of ours', async () => {
    for (const value of [
      'x'.repeat(7),
      'x'.repeat(129),
      'with\ttab in it',
      'ümlaut-token',
      ' leading-space',
      'trailing-space ',
      `svc_key_${'0'.repeat(48)}`,
    ]) {
      const refused = await importToken(value)
      assert.deepEqual(codeOf(refused), [400, 'invalid_request'], value)
      assert.equal(refused.body.error.details.issues[0].path, 'value')
    }
    assert.equal((await importToken('x'.repeat(128))).status, 201)
  })

  test('does not take the name of a key that there is', async () => {
    await service.newKey(['instances:read'], 'Client-Token (migrado)')
    const refused = await importToken(TOKEN)
    assert.deepEqual(codeOf(refused), REFUSED)
    assert.match(refused.body.error.message, /name/)
  })
})

describe('a new key', () => {
  test('is shown once, recognised by its last four characters, and listed newest first without its value', async () => {
    const make = (name: string) => service.admin('POST', '/admin/api-keys', { name, scopes: ['INSTANCES:READ'] })
    const [older, newer] = [await make('older'), await make(' newer ')]
    const { value, ...shown } = newer.body
    assert.equal(newer.status, 201)
    assert.match(value, /^svc_key_[0-9a-f]{48}$/)
    assert.deepEqual([shown.name, shown.hint, shown.kind], ['newer', `svc_key_…${value.slice(-4)}`, 'api_key'])
    assert.deepEqual([shown.scopes, shown.last_used_at, shown.last_used_ip], [['instances:read'], null, null])
    const { body } = await service.admin('GET', '/admin/api-keys')
    assert.deepEqual([body.data[0], body.data[1].id, body.total], [shown, older.body.id, 2])
    const last = await service.admin('GET', '/admin/api-keys?page=2&page_size=1')
    assert.deepEqual([last.body.data[0].id, last.body.page, last.body.total], [older.body.id, 2, 2])
    assert.deepEqual((await service.admin('GET', '/admin/api-keys?page=9')).body.data, [], 'past the end')
    await revoke(newer.body.id)
    assert.equal((await service.admin('GET', '/admin/api-keys')).body.total, 1)
  })

  test('has one to five scopes, each once', async () => {
    for (const scopes of [[], ['instances:read', 'instances:read'], ['everything'], 'instances:read', undefined])
      assert.deepEqual(codeOf(await service.admin('POST', '/admin/api-keys', { name: 'odd', scopes })), [400, 'invalid_request'])
  })
})

test('of many mistakes in one request fifty are named', async () => {
  const entries = Array.from({ length: 60 }, () => ({ cidr: 'nowhere' }))
  const { status, body } = await put('security/ip-allowlist', { enabled: false, entries })
  assert.deepEqual([status, body.error.details.issues.length], [400, 50])
  const short = await put('security/ip-allowlist', { enabled: false, entries: entries.map(() => ({ cidr: '' })) })
  assert.deepEqual([short.status, short.body.error.details.issues.length], [400, 50])
})

describe('the name and the scopes of a key', () => {
  test('change without its value, at once', async () => {
    const { id, value } = await service.newKey(['instances:read'], 'CRM')
    const list = () => service.ask('GET', '/account/instances', undefined, bearer(value))
    assert.equal((await list()).status, 200)
    const changed = await put(`api-keys/${id}`, { scopes: ['WEBHOOKS:read'], name: '  CRM of sales ' })
    assert.deepEqual([changed.body.scopes, changed.body.name, changed.body.value], [['webhooks:read'], 'CRM of sales', undefined])
    assert.deepEqual(codeOf(await list()), [403, 'insufficient_scope'])
    await put(`api-keys/${id}`, { scopes: ['instances:read'] })
    assert.equal((await list()).status, 200)
  })

  test('a name is unique, its own is no obstacle; what there is none of is not found; nothing is no change', async () => {
    const [one, two] = [await service.newKey(['instances:read'], 'one'), await service.newKey(['instances:read'], 'two')]
    const taken = await put(`api-keys/${two.id}`, { name: 'one' })
    assert.deepEqual([...codeOf(taken), taken.body.error.details.issues[0].path], [400, 'invalid_request', 'name'])
    assert.equal((await put(`api-keys/${one.id}`, { name: 'one' })).status, 200)
    assert.deepEqual(codeOf(await put(`api-keys/${one.id}`, {})), [400, 'invalid_request'])
    await revoke(two.id)
    assert.deepEqual(codeOf(await put(`api-keys/${two.id}`, { name: 'gone' })), [404, 'not_found'])
  })
})

describe('the allowlist', () => {
  const list = (...cidrs: string[]) => cidrs.map((cidr) => ({ cidr }))
  const allow = (body: unknown) => put('security/ip-allowlist', body)

  test('counts from the moment on which it is enabled, for instance and account routes and not for this one', async () => {
    const { value } = await service.newKey(['instances:read'])
    const account = () => service.ask('GET', '/account/instances', undefined, bearer(value))
    const prepared = await allow({
      enabled: false,
      entries: [{ cidr: '203.0.113.0/24', note: 'office' }, { cidr: '2001:db8::7' }],
    })
    assert.deepEqual(prepared.body.ip_allowlist, {
      enabled: false,
      entries: [
        { cidr: '203.0.113.0/24', note: 'office' },
        { cidr: '2001:db8::7', note: null },
      ],
    })
    assert.equal((await me()).status, 200)
    const enabled = await allow({ enabled: true })
    assert.deepEqual(enabled.body.ip_allowlist.entries, prepared.body.ip_allowlist.entries, 'what is not given stays')
    for (const answer of [await me(), await account()]) assert.deepEqual(codeOf(answer), [403, 'ip_not_allowed'])
    for (const address of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8:0::7']) {
      service.peer.address = address
      for (const answer of [await me(), await account()]) assert.equal(answer.status, 200, address)
    }
    service.peer.address = '198.51.100.7'
    assert.equal((await allow({ enabled: true, entries: list('198.51.100.7') })).status, 200, 'a wrong list can be mended')
    assert.equal((await me()).status, 200)
  })

  test('enabled and empty is refused, whichever of the two comes first', async () => {
    assert.deepEqual(codeOf(await allow({ enabled: true })), REFUSED)
    assert.deepEqual(codeOf(await allow({ enabled: true, entries: [] })), REFUSED)
    await allow({ enabled: true, entries: list('198.51.100.0/24') })
    assert.deepEqual(codeOf(await allow({ enabled: true, entries: [] })), REFUSED)
    assert.equal((await me()).status, 200, 'and the list is as it was')
  })

  test('an entry is an address or a range of whole networks', async () => {
    for (const cidr of [
      '203.0.113.0/33',
      '10.1',
      'example.com',
      '203.0.113.9/24',
      '2001:db8::1/64',
      ' 203.0.113.9',
      '::ffff:203.0.113.9/120',
      '10.0.0.0/8/8',
    ]) {
      const refused = await allow({ enabled: false, entries: list('192.0.2.1', cidr) })
      assert.deepEqual(codeOf(refused), [400, 'invalid_request'], cidr)
      assert.deepEqual(
        refused.body.error.details.issues.map(({ path }: { path: string }) => path),
        ['entries.1.cidr'],
      )
    }
    const most = Array.from({ length: 200 }, (_, at) => ({ cidr: `203.0.113.${at}/32`, note: 'n'.repeat(100) }))
    const good = await allow({
      enabled: false,
      entries: [...most.slice(5), ...list('0.0.0.0/0', '::/0', '::ffff:203.0.113.0/120', '2001:db8::/32', '::1')],
    })
    assert.equal(good.status, 200, JSON.stringify(good.body))
    assert.equal((await allow({ enabled: false, entries: [...most, ...list('::1')] })).status, 400)
    assert.equal((await allow({ enabled: false, entries: [{ cidr: '::1', note: 'n'.repeat(101) }] })).status, 400)
  })
})

describe('the subscription', () => {
  const subscribe = (body: unknown) => put('subscription', body)

  test('decides at once what may be sent and whether the Account API answers', async () => {
    const { value } = await service.newKey(['instances:read'])
    service.double.answer = () => ({ message_id: 'M', svc_id: 'S' })
    const now = service.time.now
    const at = (ms: number) => new Date(now + ms).toISOString()
    const cases: [object, number, number][] = [
      [{ status: 'trial', trial_ends_at: at(60_000) }, 200, 403],
      [{ status: 'trial', trial_ends_at: at(-1) }, 402, 403],
      [{ status: 'active' }, 200, 200],
      [{ status: 'partner' }, 200, 200],
      [{ status: 'past_due', due_at: at(-1) }, 200, 200],
      [{ status: 'canceled', due_at: at(60_000) }, 200, 200],
      [{ status: 'canceled', due_at: at(-1) }, 402, 403],
      [{ status: 'expired', due_at: at(60_000) }, 402, 403],
    ]
    for (const [change, sends, reads] of cases) {
      assert.equal((await subscribe(change)).status, 200)
      const sent = await service.ask('POST', `${base}/send-text`, { phone: '5511988887777', message: 'Hello' })
      const read = await service.ask('GET', '/account/instances', undefined, bearer(value))
      assert.deepEqual([sent.status, read.status, (await me()).status], [sends, reads, 200], JSON.stringify(change))
    }
  })

  test('a trial has an end, and nothing else has', async () => {
    for (const body of [{ status: 'trial' }, { status: 'trial', trial_ends_at: null }]) {
      const refused = await subscribe(body)
      assert.deepEqual([...codeOf(refused), refused.body.error.details.issues[0].path], [400, 'invalid_request', 'trial_ends_at'])
    }
    const trial = await subscribe({ status: 'trial', trial_ends_at: '2026-03-01T00:00:00+02:00' })
    assert.deepEqual([trial.body.status, trial.body.trial_ends_at], ['trial', '2026-02-28T22:00:00.000Z'])
    assert.equal((await subscribe({ trial_ends_at: null })).status, 400)
    assert.equal((await subscribe({ instance_slots: 9 })).body.trial_ends_at, '2026-02-28T22:00:00.000Z')
    assert.equal((await subscribe({ trial_ends_at: '2026-04-01T00:00:00Z' })).body.trial_ends_at, '2026-04-01T00:00:00.000Z')
    assert.equal((await subscribe({ status: 'active' })).body.trial_ends_at, null)
    assert.equal((await subscribe({ trial_ends_at: '2026-04-01T00:00:00Z' })).body.trial_ends_at, null)
    assert.equal((await subscribe({})).status, 400)
  })

  test('fewer slots than instances: those that exist stay, and none is made', async () => {
    const { value } = await service.newKey(['instances:write'])
    const create = () => service.ask('POST', '/account/instances', { name: 'one more' }, bearer(value))
    const cut = await subscribe({ instance_slots: 0 })
    assert.deepEqual([cut.body.instance_slots, cut.body.instances_used], [0, 1])
    const refused = await create()
    assert.deepEqual(codeOf(refused), [409, 'instance_limit_reached'])
    assert.deepEqual(refused.body.error.details, { instance_slots: 0, instances_used: 1 })
    assert.equal((await me()).status, 200)
    await subscribe({ instance_slots: 2 })
    const made = await create()
    assert.equal(made.status, 201)
    await service.ask('DELETE', `/account/instances/${made.body.id}`, undefined, bearer(value))
  })
})

test('the workspace is renamed, and shows its plan and its switches', async () => {
  await service.newKey(['instances:operate'])
  await put('security/require-api-key', { value: true })
  const renamed = await put('workspace', { name: '  Support team ' })
  assert.deepEqual(renamed.body, {
    id: service.workspace,
    name: 'Support team',
    created_at: '2026-01-31T12:00:00.000Z',
    subscription: {
      status: 'active',
      trial_ends_at: null,
      due_at: '2036-01-01T00:00:00.000Z',
      instance_slots: 3,
      instances_used: 1,
    },
    security: { require_api_key: true, require_client_token: false, ip_allowlist_enabled: false },
    dialect: null,
  })
  assert.deepEqual((await service.admin('GET', '/admin/workspace')).body, renamed.body)
  await put('workspace', { name: 'default' })
})

describe('the admin key', () => {
  test('is replaced by one that is shown once; the old one is void at once', async () => {
    const old = service.credentials.adminKey
    const { status, body } = await service.admin('POST', '/admin/admin-key')
    assert.equal(status, 201)
    assert.match(body.value, /^svc_admin_[0-9a-f]{48}$/)
    assert.deepEqual(codeOf(await service.admin('GET', '/admin/workspace')), [401, 'api_key_required'])
    service.credentials.adminKey = body.value
    const shown = await service.admin('GET', '/admin/workspace')
    assert.equal(shown.status, 200)
    assert.ok(!JSON.stringify(shown.body).includes('svc_admin_'))
    for await (const [key, bytes] of service.store.range(keys.workspaces)) {
      const text = service.sealer.open(key, bytes).toString()
      for (const value of [old, body.value]) assert.ok(!text.includes(value.slice(10)), key)
    }
  })

  test('of two rotations with the same key one counts, and the other is told that its key is void', async () => {
    const answers = await Promise.all([1, 2].map(() => service.admin('POST', '/admin/admin-key')))
    assert.deepEqual(answers.map(codeOf).sort(), [
      [201, undefined],
      [401, 'api_key_required'],
    ])
    service.credentials.adminKey = answers.find(({ status }) => status === 201)!.body.value
    assert.equal((await service.admin('GET', '/admin/workspace')).status, 200)
  })

  test('a reset by the operator beside a rotation has the last word', async () => {
    const key = keys.workspace(service.workspace)
    const records = workspaceRecords(service.sealer)
    const bytes = (await service.store.get(key))!
    const reset = `svc_admin_${'c'.repeat(48)}`
    // The test changes the record directly in the store, as an operator command does. The service reads the record
    // again before it decides, and finds another admin key.
    await service.store.commit({ ops: [records.encode(key, { ...records.decode(key, bytes), adminKeyHash: hashOf(reset) })] })
    await assert.rejects(service.account.rotateAdminKey(service.workspace), { code: 'api_key_required' })
    service.credentials.adminKey = reset
    assert.equal((await service.admin('GET', '/admin/workspace')).status, 200)
  })

  test('belongs to the environment where it sets one', async () => {
    const owned = await openService()
    try {
      assert.deepEqual(codeOf(await owned.admin('POST', '/admin/admin-key', { revoke_oauth: true })), REFUSED)
      assert.equal((await owned.ask('GET', '/admin/workspace', undefined, bearer(ADMIN_KEY))).status, 200)
    } finally {
      await owned.close()
    }
  })
})
