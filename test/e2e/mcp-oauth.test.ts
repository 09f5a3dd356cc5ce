/**
 * The official MCP client finds the authorization server, registers, and gets its tokens with PKCE; the test acts as
 * the browser.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { auth, Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Instance } from '../harness/gateway.ts'
import { startWorld } from '../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
const CALLBACK = 'http://127.0.0.1:9/callback?from=svc'

let adminKey: string
const world = await startWorld({ env: { SVC_MCP_OAUTH: 'on', SVC_TRUSTED_PROXIES: '127.0.0.1' } })
const base = world.gateway.baseUrl
adminKey = world.gateway.admin.authorization.slice('Bearer '.length)
await world.sandbox.createContact(ANA, { name: 'Ana' })
const instance = await world.gateway.connected(world.sandbox, ME, world.receiver)
after(() => world.stop())

let callers = 0
/**
 * Returns a header with a new address of the caller. Each request has another address, because the limit of ten
 * requests a minute per address would be too low for this test.
 */
const newAddress = () => ({ 'X-Forwarded-For': `198.51.100.${++callers}` })

const form = (fields: Record<string, string>) => new URLSearchParams(fields)
const post = async (path: string, fields: Record<string, string>, headers: Record<string, string> = newAddress()) => {
  const response = await fetch(`${base}${path}`, { method: 'POST', body: form(fields), headers, redirect: 'manual' })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

interface Shown {
  ticket: string
  cookie: string
  html: string
  policy: string
}
async function open(url: string | URL): Promise<Shown> {
  const response = await fetch(url, { headers: newAddress(), redirect: 'manual' })
  return shownOf({ status: response.status, headers: response.headers, text: await response.text() })
}
function shownOf({ status, headers, text }: { status: number; headers: Headers; text: string }): Shown {
  assert.equal(status, 200, text)
  return {
    html: text,
    ticket: /name="ticket" value="([0-9a-f]+)"/.exec(text)![1]!,
    cookie: headers.get('set-cookie')!.split(';')[0]!,
    policy: headers.get('content-security-policy')!,
  }
}
const answerPage = ({ ticket, cookie }: Pick<Shown, 'ticket' | 'cookie'>, fields: Record<string, string>) =>
  post('/oauth/authorize', { ticket, ...fields }, { ...newAddress(), Cookie: cookie })

const identify = async (page: Pick<Shown, 'ticket' | 'cookie'>) => shownOf(await answerPage(page, { key: adminKey }))

/**
 * Enters the key, selects the instance, and allows the access, as the owner does. Resolves with the URL to which the
 * browser is redirected.
 */
async function allow(url: string | URL, of = instance): Promise<URL> {
  const page = await identify(await open(url))
  assert.ok(page.html.includes(`value="${of.id}"`))
  const allowed = await answerPage(page, { decision: 'allow', instance: of.id })
  assert.equal(allowed.status, 303, allowed.text)
  return new URL(allowed.headers.get('location')!)
}

function newProvider() {
  const kept: {
    client?: { client_id: string }
    tokens?: { access_token: string; refresh_token?: string }
    verifier?: string
    url?: URL
    discovery?: unknown
  } = {}
  const keep =
    <K extends keyof typeof kept>(name: K) =>
    (value: (typeof kept)[K]) => {
      kept[name] = value
    }
  const provider = {
    redirectUrl: CALLBACK,
    clientMetadata: { client_name: 'Test <b>app</b>', redirect_uris: [CALLBACK] },
    state: () => 'state-1',
    clientInformation: () => kept.client,
    saveClientInformation: keep('client'),
    tokens: () => kept.tokens,
    saveTokens: keep('tokens'),
    redirectToAuthorization: keep('url'),
    saveCodeVerifier: keep('verifier'),
    codeVerifier: () => kept.verifier,
    discoveryState: () => kept.discovery,
    saveDiscoveryState: keep('discovery'),
  } as unknown as OAuthClientProvider
  return { provider, kept }
}
const fetchAs = (headers: Record<string, string>) => (url: string | URL, init?: RequestInit) =>
  fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } })

async function letIn(of = instance) {
  const { provider, kept } = newProvider()
  const fetchFn = fetchAs(newAddress())
  const serverUrl = `${base}/mcp`
  assert.equal(await auth(provider, { serverUrl, fetchFn }), 'REDIRECT')
  const back = await allow(kept.url!, of)
  assert.deepEqual([back.searchParams.get('state'), back.searchParams.get('iss')], ['state-1', base])
  assert.equal(back.searchParams.get('from'), 'svc')
  const iss = back.searchParams.get('iss')!
  const done = await auth(provider, { serverUrl, fetchFn, authorizationCode: back.searchParams.get('code')!, iss } as never)
  assert.equal(done, 'AUTHORIZED')
  return { provider, kept, serverUrl, fetchFn, code: back.searchParams.get('code')! }
}
type App = Awaited<ReturnType<typeof letIn>>

async function clientOf({ provider, serverUrl, fetchFn }: App) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: provider, fetch: fetchFn }))
  return client
}
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const opens = async (accessToken: string) => {
  const response = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${accessToken}`, 'content-type': 'application/json', ...newAddress() },
    body: JSON.stringify(list),
  })
  await response.text()
  return { status: response.status, challenge: response.headers.get('WWW-Authenticate') }
}
const refresh = (refresh_token: string, client_id: string) =>
  post('/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id })
const clientIdOf = ({ kept }: App) => kept.client!.client_id
const apps = async () =>
  (await world.gateway.ask({ api_url: `${base}/admin` } as Instance, 'GET', '/oauth-apps', undefined, world.gateway.admin))
    .body as {
    data: { id: string; client_id: string; client_name: string; instance_id: string }[]
    total: number
  }

test('an app that was let in sends a text that arrives, and is told of no credential', async () => {
  const app = await letIn()
  assert.match(app.kept.tokens!.access_token, /^svc_oat_[0-9a-f]{48}$/)
  const client = await clientOf(app)
  const sent = (await client.callTool({ name: 'send_text', arguments: { phone: ANA, message: 'by an app' } })) as {
    structuredContent: { message_id: string }
  }
  const { message_id: id } = sent.structuredContent
  await world.receiver.waitFor('delivery', ({ type, message_id }) => type === 'delivery' && message_id === id)
  assert.ok((await world.sandbox.inbox(ANA)).some(({ text }) => text === 'by an app'))
  const me = JSON.stringify(await client.callTool({ name: 'instance_me', arguments: {} }))
  assert.ok(me.includes(instance.id) && !me.includes(instance.token) && !me.includes(instance.webhooks.secret))
  const { data, total } = await apps()
  assert.equal(total, 1)
  assert.deepEqual(
    [data[0]!.client_id, data[0]!.client_name, data[0]!.instance_id],
    [clientIdOf(app), 'Test <b>app</b>', instance.id],
  )
})

test('a refresh token is good once; one that comes again ends its app', async () => {
  const app = await letIn()
  const first = app.kept.tokens!
  assert.equal(await auth(app.provider, { serverUrl: app.serverUrl, fetchFn: app.fetchFn }), 'AUTHORIZED')
  const second = app.kept.tokens!
  assert.notEqual(second.refresh_token, first.refresh_token)
  assert.deepEqual([(await opens(first.access_token)).status, (await opens(second.access_token)).status], [401, 200])
  const before = (await apps()).total
  assert.deepEqual((await refresh(first.refresh_token!, 'another')).body.error, 'invalid_grant')
  assert.equal((await opens(second.access_token)).status, 200, 'another client cannot end it')
  const replayed = await refresh(first.refresh_token!, clientIdOf(app))
  assert.deepEqual([replayed.status, replayed.body.error], [400, 'invalid_grant'])
  assert.equal((await opens(second.access_token)).status, 401)
  assert.equal((await refresh(second.refresh_token!, clientIdOf(app))).status, 400)
  assert.equal((await apps()).total, before - 1)
})

test('a code is good once; one that comes again ends the app that it made', async () => {
  const app = await letIn()
  assert.equal((await opens(app.kept.tokens!.access_token)).status, 200)
  const fields = { grant_type: 'authorization_code', code: app.code, client_id: clientIdOf(app), redirect_uri: CALLBACK }
  assert.equal((await post('/oauth/token', { ...fields, code_verifier: app.kept.verifier! })).body.error, 'invalid_grant')
  assert.equal((await opens(app.kept.tokens!.access_token)).status, 401)
})

test('access ends with the revocation of the app, of a token, of the instance; and lasts over a restart and another token', async () => {
  const other = await world.gateway.createInstance(null)
  const [byAdmin, byItself, ofToken, withInstance, lasting] = [
    await letIn(),
    await letIn(),
    await letIn(),
    await letIn(other),
    await letIn(),
  ]
  const status = async (app: App) => (await opens(app.kept.tokens!.access_token)).status

  const mine = (await apps()).data.find(({ client_id }) => client_id === clientIdOf(byAdmin))!
  const revoke = (id: string) => fetch(`${base}/admin/oauth-apps/${id}`, { method: 'DELETE', headers: world.gateway.admin })
  assert.deepEqual([await status(byAdmin), (await revoke(mine.id)).status, await status(byAdmin)], [200, 200, 401])
  assert.equal((await revoke(mine.id)).status, 404)

  assert.equal((await post('/oauth/revoke', { token: byItself.kept.tokens!.refresh_token! })).status, 200)
  assert.equal(await status(byItself), 401)
  assert.equal((await refresh(byItself.kept.tokens!.refresh_token!, clientIdOf(byItself))).status, 400)

  assert.equal((await post('/oauth/revoke', { token: ofToken.kept.tokens!.access_token })).status, 200)
  assert.equal(await status(ofToken), 401)
  assert.equal((await refresh(ofToken.kept.tokens!.refresh_token!, clientIdOf(ofToken))).status, 200)
  assert.equal((await post('/oauth/revoke', { token: 'nothing' })).status, 200)

  assert.equal(await status(withInstance), 200)
  await fetch(`${base}/account/instances/${other.id}`, { method: 'DELETE', headers: world.gateway.account })
  assert.equal(await status(withInstance), 401)
  assert.ok((await apps()).data.every(({ instance_id }) => instance_id === instance.id))

  await fetch(`${base}/account/instances/${instance.id}/rotate-token`, { method: 'POST', headers: world.gateway.account })
  assert.equal(await status(lasting), 200)
  await world.restartService()
  assert.equal(await status(lasting), 200)
  // This service manages its own admin key, so the key can be rotated.
  const rotated = await fetch(`${base}/admin/admin-key`, {
    method: 'POST',
    headers: { ...world.gateway.admin, 'content-type': 'application/json' },
    body: JSON.stringify({ revoke_oauth: true }),
  })
  assert.equal(rotated.status, 201)
  adminKey = ((await rotated.json()) as { value: string }).value
  assert.equal(await status(lasting), 401)
  assert.equal((await refresh(lasting.kept.tokens!.refresh_token!, clientIdOf(lasting))).status, 400)
})

describe('what is refused', () => {
  let clientId: string
  const verifier = randomBytes(32).toString('base64url')
  const query = (change: Record<string, string | undefined> = {}) => {
    const fields = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: CALLBACK,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: 'xyz',
      resource: `${base}/mcp`,
      ...change,
    }
    const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return `${base}/oauth/authorize?${new URLSearchParams(given)}`
  }
  const ask = async (change: Record<string, string | undefined>) => {
    const response = await fetch(query(change), { headers: newAddress(), redirect: 'manual' })
    const location = response.headers.get('location')
    return { status: response.status, text: await response.text(), to: location === null ? undefined : new URL(location) }
  }
  const register = async (body: unknown) => {
    const response = await fetch(`${base}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...newAddress() },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as { client_id: string; error: string } }
  }
  before(async () => {
    clientId = (await register({ client_name: 'Refused', redirect_uris: [CALLBACK] })).body.client_id
  })

  test('without a credential one is told where to get one', async () => {
    const challenge = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`
    assert.deepEqual(await opens('nothing'), { status: 401, challenge })
    const resource = await (await fetch(`${base}/.well-known/oauth-protected-resource`)).json()
    assert.deepEqual(resource, { resource: `${base}/mcp`, authorization_servers: [base], bearer_methods_supported: ['header'] })
  })

  test('redirect URIs are registered as they may be, and meant letter by letter', async () => {
    for (const uri of [
      'http://evil.example/',
      'javascript:alert(1)',
      'https://a.example/#x',
      'https://u:p@a.example/',
      'app:/x',
      // These URLs would be added to the Content-Security-Policy of the page. Some of their characters would begin
      // another directive there, or permit sending the form to any server.
      'https://a.example;sandbox/',
      'https://a.example,b.example/',
      'https://*/',
      'https://*.example/',
      "https://a.'none'/",
      '',
    ])
      assert.equal((await register({ client_name: 'x', redirect_uris: [uri] })).body.error, 'invalid_redirect_uri', uri)
    assert.equal((await register({ client_name: 'x', redirect_uris: [] })).body.error, 'invalid_redirect_uri')
    assert.equal(
      (await register({ client_name: 'x'.repeat(101), redirect_uris: [CALLBACK] })).body.error,
      'invalid_client_metadata',
    )
    for (const client_name of ['a\u202eb', '\u3164', '\u2800 \u2800', '\u034f'])
      assert.equal(
        (await register({ client_name, redirect_uris: [CALLBACK] })).body.error,
        'invalid_client_metadata',
        client_name,
      )
    for (const redirect_uri of [
      `${CALLBACK}&x=1`,
      CALLBACK.toUpperCase(),
      'http://localhost:9/callback?from=svc',
      'https://127.0.0.1:9/callback?from=svc',
      'http://127.0.0.1:9@evil.example/callback?from=svc',
      'http://127.0.0.1:99999/callback?from=svc',
      'http://127.0.0.1.evil.example/callback?from=svc',
      'https://evil.example/',
      undefined,
    ]) {
      const { status, to } = await ask({ redirect_uri })
      assert.deepEqual([status, to], [400, undefined], redirect_uri)
    }
    assert.deepEqual((await ask({ client_id: 'unknown' })).to, undefined)
  })

  test('the port of the client’s own machine is free, in the code’s redirect as in the tokens that follow', async () => {
    const verifier = 'v'.repeat(43)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    for (const [registered, asked] of [
      ['http://localhost/callback', 'http://localhost:51353/callback'],
      ['http://127.0.0.1:33418', 'http://127.0.0.1:40001'],
      ['http://[::1]/callback', 'http://[::1]:40002/callback'],
    ] as const) {
      const { client_id } = (await register({ client_name: 'On a machine', redirect_uris: [registered] })).body
      const page = await identify(await open(query({ client_id, redirect_uri: asked, code_challenge: challenge })))
      const allowed = await answerPage(page, { decision: 'allow', instance: instance.id })
      const back = new URL(allowed.headers.get('location')!)
      assert.equal(back.origin, new URL(asked).origin)
      const code = back.searchParams.get('code')!
      const fields = { grant_type: 'authorization_code', client_id, redirect_uri: asked, code, code_verifier: verifier }
      assert.equal((await post('/oauth/token', fields)).status, 200)
    }
    // The redirect URL must have the registered port, because another program, or another person, may use a different
    // port.
    const { client_id } = (await register({ client_name: 'Elsewhere', redirect_uris: ['https://a.example/callback'] })).body
    assert.equal((await ask({ client_id, redirect_uri: 'https://a.example:8443/callback' })).status, 400)
  })

  test('what is wrong with the request is said here, and sends nobody to an address that a stranger registered', async () => {
    for (const [change, error] of [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge_method: undefined }, 'invalid_request'],
      [{ state: undefined }, 'invalid_request'],
      [{ resource: undefined }, 'invalid_target'],
      [{ resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ] as const) {
      const { status, text, to } = await ask(change)
      assert.deepEqual([status, JSON.parse(text).error, to], [400, error, undefined])
    }
  })

  test('the page runs nothing, shows the name as text, and is nobody else’s to answer', async () => {
    const page = await open(query())
    assert.match(page.policy, /default-src 'none'/)
    assert.match(page.policy, /frame-ancestors 'none'/)
    assert.match(page.policy, /form-action 'self' http:\/\/127\.0\.0\.1:9(;|$)/)
    assert.ok(!page.html.includes('<script') && !page.policy.includes('script-src'))
    const hostile = (await register({ client_name: '<img src=x onerror=alert(1)>', redirect_uris: [CALLBACK] })).body.client_id
    assert.ok(!(await open(query({ client_id: hostile }))).html.includes('<img'))

    const other = await open(query())
    assert.equal((await answerPage({ ...page, cookie: '' }, { key: adminKey })).status, 400)
    assert.equal((await answerPage({ ...page, cookie: other.cookie }, { key: adminKey })).status, 400)
    assert.equal((await answerPage({ ...page, ticket: 'f'.repeat(48) }, { key: adminKey })).status, 400)
    const elsewhere = { ...newAddress(), Cookie: page.cookie, 'Sec-Fetch-Site': 'cross-site' }
    assert.equal((await post('/oauth/authorize', { ticket: page.ticket, key: adminKey }, elsewhere)).status, 403)
    const early = await answerPage(page, { decision: 'allow', instance: instance.id })
    assert.deepEqual([early.status, early.headers.get('location')], [401, null])
    const wrong = await answerPage(page, { key: `svc_admin_${'0'.repeat(48)}` })
    assert.equal(wrong.status, 401)
    assert.ok(wrong.text.includes('not an admin key') && !wrong.text.includes(instance.id))
    const twins = [
      await world.gateway.createInstance(null, { name: 'Eve' }),
      await world.gateway.createInstance(null, { name: 'Еvе' }),
    ]
    const known = await identify(page)
    for (const { id } of twins)
      assert.match(known.html, new RegExp(`value="${id}">\u2068[EЕ]v[eе]\u2069 · ${id.slice(0, 8)}</option>`))
    assert.equal((await answerPage(known, { decision: 'allow', instance: '5f0b3c1e-7a0d-4c58-9a55-0e6a1f7c2b90' })).status, 404)
    const refused = await answerPage(known, { decision: 'deny' })
    const to = new URL(refused.headers.get('location')!)
    assert.deepEqual([to.searchParams.get('error'), to.searchParams.get('state')], ['access_denied', 'xyz'])
    assert.equal((await answerPage(known, { decision: 'allow', instance: instance.id })).status, 400, 'it is closed')
  })

  test('whoever opened the page does not answer it with the key that somebody else types into it', async () => {
    // The attack: the attacker opens the page, sets its cookie in the owner's browser, and makes this browser send the
    // form from another port of the same host.
    const opened = await open(query())
    const owner = await identify(opened)
    assert.ok(owner.ticket !== opened.ticket && owner.cookie !== opened.cookie)
    for (const page of [opened, { ...opened, cookie: owner.cookie }, { ...owner, cookie: opened.cookie }]) {
      const answered = await answerPage(page, { decision: 'allow', instance: instance.id })
      assert.ok([400, 401].includes(answered.status), answered.text)
      assert.deepEqual([answered.headers.get('location'), answered.text.includes(instance.id)], [null, false])
    }
    // A double click may send the key twice. The page in the last answer must work.
    const again = await identify(opened)
    assert.equal((await answerPage(again, { decision: 'allow', instance: instance.id })).status, 303)
  })

  test('a code is for its client, its redirect URI and its verifier, and a wrong try spends it', async () => {
    for (const change of [{ code_verifier: 'w'.repeat(43) }, { client_id: 'another' }, { redirect_uri: `${CALLBACK}x` }]) {
      const code = (await allow(query())).searchParams.get('code')!
      const right = {
        grant_type: 'authorization_code',
        code,
        client_id: clientId,
        redirect_uri: CALLBACK,
        code_verifier: verifier,
      }
      assert.equal((await post('/oauth/token', { ...right, ...change })).body.error, 'invalid_grant')
      assert.equal((await post('/oauth/token', right)).body.error, 'invalid_grant')
    }
    assert.equal(
      (await post('/oauth/token', { grant_type: 'password', client_id: clientId })).body.error,
      'unsupported_grant_type',
    )
    assert.equal((await post('/oauth/token', { client_id: clientId })).body.error, 'invalid_request')
  })

  test('ten requests a minute', async () => {
    const headers = newAddress()
    for (let sent = 0; sent < 10; sent++) assert.equal((await post('/oauth/revoke', { token: 'x' }, headers)).status, 200)
    const { status, body, headers: said } = await post('/oauth/revoke', { token: 'x' }, headers)
    assert.deepEqual([status, body.error], [429, 'too_many_requests'])
    assert.ok(Number(said.get('Retry-After')) >= 1)
  })

  test('a stranger who guesses behind the same proxy locks no app out: what is right is answered', async () => {
    const app = await letIn()
    const headers = newAddress()
    const grant = (refresh_token: string) => ({ grant_type: 'refresh_token', refresh_token, client_id: clientIdOf(app) })
    const wrong = () => post('/oauth/token', grant(`svc_ort_${'0'.repeat(80)}`), headers)
    for (let sent = 0; sent < 10; sent++) assert.equal((await wrong()).body.error, 'invalid_grant')
    assert.equal((await wrong()).status, 429)
    const { status, body } = await post('/oauth/token', grant(app.kept.tokens!.refresh_token!), headers)
    assert.equal(status, 200)
    assert.equal((await opens(body.access_token)).status, 200)
    assert.equal((await post('/oauth/revoke', { token: 'x' }, headers)).status, 429)
    assert.equal((await post('/oauth/revoke', { token: body.access_token }, headers)).status, 200)
    assert.equal((await opens(body.access_token)).status, 401)
  })

  test('a page that was answered with an admin key ends with that key, and a code with the apps of the workspace', async () => {
    const [waiting, allowed] = [await identify(await open(query())), await identify(await open(query()))]
    const { headers } = await answerPage(allowed, { decision: 'allow', instance: instance.id })
    const code = new URL(headers.get('location')!).searchParams.get('code')!
    const rotated = await fetch(`${base}/admin/admin-key`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ revoke_oauth: true }),
    })
    adminKey = ((await rotated.json()) as { value: string }).value
    const late = await answerPage(waiting, { decision: 'allow', instance: instance.id })
    assert.deepEqual([late.status, late.body.error], [403, 'access_denied'])
    assert.equal((await answerPage(waiting, { key: adminKey })).status, 400, 'there is no way on from there')
    const redeemed = {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: CALLBACK,
      client_id: clientId,
    }
    assert.equal((await post('/oauth/token', redeemed)).body.error, 'invalid_grant')
  })

  test('a client may be a document at its own address, and is what that says', async () => {
    const documents = new Map<string, unknown>()
    let asked = 0
    const server = createServer((request, response) => {
      asked++
      const found = documents.get(request.url!)
      response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(found))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const at = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
      documents.set('/app', { client_id: at('/app'), client_name: 'Documented', redirect_uris: [CALLBACK] })
      documents.set('/other', { client_id: at('/app'), client_name: 'Stolen', redirect_uris: [CALLBACK] })
      assert.ok((await open(query({ client_id: at('/app') }))).html.includes('Documented'))
      for (const path of ['/other', '/nothing']) assert.equal((await ask({ client_id: at(path) })).status, 400)
      // A client metadata document without TLS is only accepted from an IP address of this machine. A host name does
      // not prove that the server is on this machine.
      const named = at('/named').replace('127.0.0.1', 'localhost')
      documents.set('/named', { client_id: named, client_name: 'Named', redirect_uris: [CALLBACK] })
      const before = asked
      assert.equal((await ask({ client_id: named })).status, 400)
      assert.equal(asked, before)
    } finally {
      server.close()
    }
  })
})
