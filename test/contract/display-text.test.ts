/** Tests that all fields for a display name or a note follow the same rule (`src/domain/display-text.ts`). */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openService, type Service } from './http/service.ts'

const CALLBACK = 'http://127.0.0.1:9/callback'

const service = await openService({ hasOauth: true })
const instance = await service.newInstance()
const key = await service.newKey(['instances:read', 'instances:write'])
const keyId = key.id
const account = { Authorization: `Bearer ${key.value}` }
after(() => service.close())

interface Field {
  path: string
  give(text: string): ReturnType<Service['ask']>
  read(body: Record<string, unknown>): unknown
}

const nameOf = (body: Record<string, unknown>) => body.name
const FIELDS: Record<string, Field> = {
  'a new instance': {
    path: 'name',
    give: (name) => service.ask('POST', '/account/instances', { name }, account),
    read: nameOf,
  },
  'an instance, by the account': {
    path: 'name',
    give: (name) => service.ask('PUT', `/account/instances/${instance.id}`, { name }, account),
    read: nameOf,
  },
  'an instance, by its token': {
    path: 'value',
    give: (value) => service.ask('PUT', `${instance.base}/name`, { value }),
    read: () => service.directory.render(instance.id as never, '').name,
  },
  'a new API key': {
    path: 'name',
    give: (name) => service.admin('POST', '/admin/api-keys', { name, scopes: ['instances:read'] }),
    read: nameOf,
  },
  'an API key': {
    path: 'name',
    give: (name) => service.admin('PUT', `/admin/api-keys/${keyId}`, { name: `Key ${name}` }),
    read: ({ name }) => String(name).replace(/^Key +/, ''),
  },
  'the workspace': { path: 'name', give: (name) => service.admin('PUT', '/admin/workspace', { name }), read: nameOf },
  'a note of the allowlist': {
    path: 'entries.0.note',
    give: (note) =>
      service.admin('PUT', '/admin/security/ip-allowlist', { enabled: false, entries: [{ cidr: '203.0.113.0/24', note }] }),
    read: (body) => (body.ip_allowlist as { entries: { note: string }[] }).entries[0]!.note,
  },
}

for (const [what, { path, give, read }] of Object.entries(FIELDS))
  test(`${what}: a name is kept trimmed and composed, and what nobody sees or what turns the line is refused`, async () => {
    const taken = await give('  Cafe\u0301 👨\u200d👩\u200d👧 ')
    assert.ok(taken.status < 300, JSON.stringify(taken.body))
    assert.equal(read(taken.body), 'Café 👨\u200d👩\u200d👧')
    for (const character of ['\0', '\u001b', '\u202e', '\u200b', '\u00ad', '\ufe0f', '\u2028']) {
      const { status, body } = await give(`pay${character}roll`)
      assert.deepEqual([status, body.error.code], [400, 'invalid_request'])
      const [issue, ...others] = body.error.details.issues
      assert.deepEqual([issue.path, others], [path, []])
      assert.match(issue.message, new RegExp(`U\\+${character.codePointAt(0)!.toString(16).padStart(4, '0')}$`, 'i'))
    }
    assert.match((await give('line\r\nbreak')).body.error.details.issues[0].message, /line break U\+000D/)
  })

test('the name of an app follows the same rule', async () => {
  const register = (client_name: string) =>
    service.ask('POST', '/oauth/register', { client_name, redirect_uris: [CALLBACK] }, { Origin: 'http://gw.test' })
  assert.equal((await register(' Cafe\u0301 ')).body.client_name, 'Café')
  for (const [name, code] of [
    ['a\u202eb', 'U+202E'],
    ['a\0b', 'U+0000'],
    ['a\u200bb', 'U+200B'],
  ] as const) {
    const { status, body } = await register(name)
    assert.deepEqual([status, body.error], [400, 'invalid_client_metadata'])
    assert.match(body.error_description, new RegExp(`client_name must not have .*${code.replace('+', '\\+')}`))
  }
})

test('an API key cannot have a name that looks like that of another one, in whatever letters', async () => {
  const make = (name: string) => service.admin('POST', '/admin/api-keys', { name, scopes: ['instances:read'] })
  assert.equal((await make('CRM Export')).status, 201)
  for (const twin of ['CRM Export', 'СRМ Export', 'ＣＲＭ Export', 'CRM\u00a0 Export']) {
    const { status, body } = await make(twin)
    assert.deepEqual([status, body.error?.details.issues[0].path], [400, 'name'], twin)
  }
  assert.equal((await make('crm export')).status, 201)
})

test('what was stored before the rule still loads, is found, and can be changed in its other fields', async () => {
  const old = await service.newInstance('Pay\u202eroll\0 Cafe\u0301')
  await service.directory.load()
  const settings = { auto_read_message: true }
  const changed = await service.ask('PUT', `/account/instances/${old.id}`, { settings }, account)
  assert.deepEqual([changed.status, changed.body.name], [200, 'Pay\u202eroll\0 Cafe\u0301'])
  const { body } = await service.ask('GET', `/account/instances?q=${encodeURIComponent('CAFÉ')}`, undefined, account)
  assert.ok(body.data.some(({ id }: { id: string }) => id === old.id))
  await service.changeWorkspace(() => ({ name: 'Old\u202e' }))
  await service.account.load()
  assert.equal((await service.admin('GET', '/admin/workspace')).body.name, 'Old\u202e')
})
