import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { InstanceId } from '../../src/domain/ids.ts'
import { StorageFailure } from '../../src/domain/storage-failure.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { openService, type Service } from './http/service.ts'

const CALLBACK = 'http://127.0.0.1:9/callback'
const CHALLENGE = createHash('sha256').update('v'.repeat(43)).digest('base64url')

let service: Service
beforeEach(async () => {
  service = await openService({ hasOauth: true })
})
afterEach(() => service.close())

const register = async () =>
  service.ask('POST', '/oauth/register', { client_name: 'Assistant', redirect_uris: [CALLBACK] }) as Promise<{
    status: number
    body: { client_id: string }
  }>

const authorize = (clientId: string) => {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    state: 's',
    resource: 'https://gw.example.com/mcp',
  })
  return service.ask('GET', `/oauth/authorize?${query}`)
}

async function post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await service.app.request(`http://gw.test/oauth/${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers,
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

async function open(clientId: string) {
  const { response } = await authorize(clientId)
  return shownOf({ status: response.status, headers: response.headers, text: await response.text() })
}
function shownOf({ status, headers, text }: { status: number; headers: Headers; text: string }) {
  assert.equal(status, 200, text)
  return {
    ticket: /name="ticket" value="([0-9a-f]+)"/.exec(text)![1]!,
    cookie: headers.get('set-cookie')!.split(';')[0]!,
  }
}

const decide = ({ ticket, cookie }: { ticket: string; cookie: string }, fields: Record<string, string>) =>
  post('authorize', { ticket, ...fields }, { Cookie: cookie })

describe('a stranger behind the same proxy', () => {
  async function exhaust() {
    const everything: (() => Promise<{ status: number }>)[] = [
      register,
      () => authorize('5f0b3c1e-7a0d-4c58-9a55-0e6a1f7c2b90'),
      () => post('authorize', { ticket: 'guessed', key: 'guessed' }),
      () => post('token', { grant_type: 'refresh_token', refresh_token: 'guessed', client_id: 'guessed' }),
    ]
    for (const ask of everything) {
      for (let sent = 0; sent < 10; sent++) assert.notEqual((await ask()).status, 429)
      assert.equal((await ask()).status, 429)
    }
    assert.equal((await post('revoke', { token: 'guessed' })).status, 429, 'guesses at tokens are of one kind')
  }

  test('keeps nobody from the page of a registered client, from deciding on it, and from the tokens that follow', async () => {
    const instance = await service.newInstance()
    const { body } = await register()
    service.time.now += 60_000
    const waiting = await open(body.client_id)
    await exhaust()
    // The first page was opened before the rate limits of unknown callers were used up, and the second page after that.
    // Both must still work.
    for (const page of [waiting, await open(body.client_id)]) {
      const known = shownOf(await decide(page, { key: service.credentials.adminKey }))
      const allowed = await decide(known, { decision: 'allow', instance: instance.id })
      assert.equal(allowed.status, 303, allowed.text)
      const code = new URL(allowed.headers.get('location')!).searchParams.get('code')!
      const made = await post('token', {
        grant_type: 'authorization_code',
        code,
        client_id: body.client_id,
        redirect_uri: CALLBACK,
        code_verifier: 'v'.repeat(43),
      })
      assert.equal(made.status, 200, made.text)
    }
  })

  test('each kind of request has its own ten a minute, and so has each client', async () => {
    const [one, other] = [(await register()).body.client_id, (await register()).body.client_id]
    for (let sent = 0; sent < 10; sent++) assert.equal((await authorize(one)).status, 200)
    const refused = await authorize(one)
    assert.deepEqual([refused.status, refused.body.error, refused.headers.get('Retry-After')], [429, 'too_many_requests', '6'])
    assert.equal((await authorize(other)).status, 200)
    for (let sent = 0; sent < 8; sent++) assert.equal((await register()).status, 201)
    assert.equal((await register()).status, 429)
    service.time.now += 6_000
    assert.deepEqual([(await authorize(one)).status, (await register()).status], [200, 201])
  })

  test('pushes nobody from a page that is open: too many pages of one client push out that client’s own', async () => {
    const mine = await open((await register()).body.client_id)
    const theirs = (await register()).body.client_id
    const client = (await service.oauth.client(theirs))!
    // The requests are not sent over HTTP, so that no rate limit refuses any of them.
    const request = { client, redirectUri: CALLBACK, challenge: CHALLENGE, state: 's' }
    await Promise.all(Array.from({ length: 1_100 }, () => service.oauth.ask(request)))
    assert.equal(await service.store.count(keys.oauthConsents), 1_000)
    assert.equal((await decide(mine, { key: service.credentials.adminKey })).status, 200)
  })
})

test('a page is no place to guess the admin key: wrong ones are counted with all the others of the address', async () => {
  const page = await open((await register()).body.client_id)
  for (let sent = 0; sent < 30; sent++) assert.equal((await decide(page, { key: `svc_admin_${sent}` })).status, 401)
  assert.equal((await decide(page, { key: 'svc_admin_31' })).status, 429)
  assert.equal((await decide(page, { key: service.credentials.adminKey })).status, 200, 'the right one is answered')
})

test('a code that is shown twice at once ends the app that comes of it', async () => {
  const instance = await service.newInstance()
  const client = (await service.oauth.client((await register()).body.client_id))!
  const { ticket } = await service.oauth.ask({ client, redirectUri: CALLBACK, challenge: CHALLENGE, state: 's' })
  const code = (await service.oauth.approve(ticket, { workspace: service.workspace, instance: instance.id as InstanceId }))!
  const of = { clientId: client.id, redirectUri: CALLBACK, verifier: 'v'.repeat(43) }
  const [first, second] = await Promise.all([service.oauth.redeem(code, of), service.oauth.redeem(code, of)])
  assert.ok(first)
  assert.equal(second, undefined)
  assert.equal(service.oauth.authenticate(first.accessToken), undefined)
})

test('apps are listed with their last use, newest first, and an app that is revoked stops at once', async () => {
  const { id } = await service.newInstance()
  const [older, newer] = [await service.newApp(id), await service.newApp(id)]
  const call = (value: string) =>
    service.ask('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { Authorization: `Bearer ${value}` })
  const listed = async () => (await service.admin('GET', '/admin/oauth-apps')).body
  const { data, ...page } = await listed()
  assert.deepEqual(page, { page: 1, page_size: 20, total: 2 })
  assert.deepEqual(
    data.map((app: { id: string; last_used_at: string | null }) => [app.id, app.last_used_at]),
    [
      [newer.id, null],
      [older.id, null],
    ],
  )
  assert.deepEqual(Object.keys(data[0]).sort(), ['client_id', 'client_name', 'created_at', 'id', 'instance_id', 'last_used_at'])
  const first = service.time.now
  await call(older.accessToken)
  service.time.now += 59_999
  await call(older.accessToken)
  const lastUse = async () => (await listed()).data[1].last_used_at
  assert.equal(await lastUse(), new Date(first).toISOString(), 'at most one minute old')
  service.time.now += 1
  await call(older.accessToken)
  assert.equal(await lastUse(), new Date(service.time.now).toISOString())
  assert.deepEqual((await service.admin('DELETE', `/admin/oauth-apps/${older.id}`)).body, { value: true })
  assert.deepEqual([(await call(older.accessToken)).status, (await call(newer.accessToken)).status], [401, 200])
  assert.equal((await service.admin('DELETE', `/admin/oauth-apps/${older.id}`)).status, 404)
})

test('an app needs no key and no Client-Token; allowlist, rate limit and subscription are its instance’s', async () => {
  const { id, token, base } = await service.newInstance()
  const { accessToken } = await service.newApp(id)
  const call = (value: string, name = 'instance_status') =>
    service.ask(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { phone: '5511988887777', message: 'Hello' } } },
      { Authorization: `Bearer ${value}` },
    )
  service.double.answer = () => ({})
  await service.newKey(['instances:operate'])
  for (const requirement of ['require-api-key', 'require-client-token']) {
    await service.admin('PUT', `/admin/security/${requirement}`, { value: true })
    assert.deepEqual([(await call(accessToken)).status, (await call(token)).status], [200, 401], requirement)
    await service.admin('PUT', `/admin/security/${requirement}`, { value: false })
  }
  await service.admin('PUT', '/admin/security/ip-allowlist', { enabled: true, entries: [{ cidr: '203.0.113.0/24' }] })
  assert.equal((await call(accessToken)).body.error.code, 'ip_not_allowed')
  await service.admin('PUT', '/admin/security/ip-allowlist', { enabled: false })
  await service.admin('PUT', '/admin/subscription', { status: 'expired' })
  const { body } = await call(accessToken, 'send_text')
  assert.equal(JSON.parse(body.result.content[0].text).error.code, 'subscription_required')
  service.time.now += 60_000
  for (let sent = 0; sent < 120; sent++) assert.notEqual((await service.ask('GET', `${base}/me`)).status, 429)
  assert.equal((await call(accessToken)).status, 429)
})

test('while the disk refuses every write each step says so, and goes on when it is repeated afterwards', async () => {
  const instance = await service.newInstance()
  const { client_id } = (await register()).body
  const { commit } = service.store
  const refusing = async (step: () => Promise<{ status: number; text: string; headers: Headers }>) => {
    service.store.commit = () => Promise.reject(new StorageFailure('The disk is full.', { isFull: true }))
    const refused = await step()
    service.store.commit = commit
    const { error, error_description } = JSON.parse(refused.text)
    assert.deepEqual([refused.status, error, refused.headers.get('Retry-After')], [503, 'server_error', '1'])
    assert.match(error_description, /cannot write to its disk; try again later/)
    return step()
  }
  const opened = await refusing(async () => {
    const { status, headers, response, body } = await authorize(client_id)
    return { status, headers, text: body === undefined ? await response.text() : JSON.stringify(body) }
  })
  const known = shownOf(await refusing(() => decide(shownOf(opened), { key: service.credentials.adminKey })))
  const allowed = await refusing(() => decide(known, { decision: 'allow', instance: instance.id }))
  const code = new URL(allowed.headers.get('location')!).searchParams.get('code')!
  const fields = { grant_type: 'authorization_code', code, client_id, redirect_uri: CALLBACK, code_verifier: 'v'.repeat(43) }
  assert.equal((await refusing(() => post('token', fields))).status, 200)
})
