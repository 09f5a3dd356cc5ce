/**
 * Tests dashboard sessions of API keys with every set of scopes that opens the dashboard. The cases are generated from
 * the table of rights that the service and the page of the dashboard use.
 */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { hashOf, newAdminKey } from '../../../src/account/credentials.ts'
import { newWorkspace } from '../../../src/account/new-workspace.ts'
import { workspaceRecords } from '../../../src/account/records.ts'
import { MINUTE } from '../../../src/domain/clock.ts'
import { OPENING_SCOPE, RIGHTS, type Right, type RightName } from '../../../src/domain/dashboard-rights.ts'
import type { WorkspaceId } from '../../../src/domain/ids.ts'
import { SCOPES, type Scope } from '../../../src/domain/workspace.ts'
import type { Endpoint } from '../../../src/features/endpoint.ts'
import { dashboardEndpoints, endpoints } from '../../../src/features/index.ts'
import { allowlistCheck } from '../../../src/http/dashboard/allowlist.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { attemptsOf, type LogRow, toEntry } from '../../../src/webhooks/log.ts'
import { ROOT } from '../../harness/checkout.ts'
import { ADMIN_KEY, openService, type Service, type ServiceOptions } from '../http/service.ts'

const OWN = { 'X-Svc-Dashboard': '1', 'Sec-Fetch-Site': 'same-origin', Origin: 'http://gw.test', Host: 'gw.test' }
const NOBODY = '5f0b3c1e-7a0d-4c58-9a55-0e6a1f7c2b90'

const ROLES = {
  look: ['instances:read'],
  pair: ['instances:read', 'instances:operate'],
  all: [...SCOPES],
} as const satisfies Record<string, readonly Scope[]>

async function signIn(service: Service, key: string) {
  const body = JSON.stringify({ key })
  const answer = await service.ask('POST', '/dashboard/session', body, { ...OWN, 'Content-Length': String(body.length) })
  const headers = {
    ...OWN,
    'X-Svc-Dashboard': answer.body.proof,
    Cookie: answer.headers.get('Set-Cookie')?.split(';')[0] ?? '',
  }
  async function ask(method: string, path: string, body?: unknown) {
    // The clock advances, so that the rate limit bucket of the session is refilled.
    service.time.now += 1_000
    return service.ask(method, `/dashboard/${path}`, body, headers)
  }
  return {
    status: answer.status,
    body: answer.body,
    headers,
    ask,
    live: () => service.app.request('http://gw.test/dashboard/api/live', { headers }),
  }
}

async function withService(work: (service: Service) => Promise<void>, options: ServiceOptions = {}) {
  const service = await openService({ dashboard: { mode: 'on' }, ...options })
  try {
    await work(service)
  } finally {
    await service.close()
  }
}

async function withKey(service: Service, scopes: readonly Scope[]) {
  const { id, value } = await service.newKey([...scopes])
  return { id, value, ...(await signIn(service, value)) }
}

const codeOf = ({ body }: { body: { error?: { code: string } } | undefined }) => body?.error?.code
const pathOf = ({ path }: Pick<Endpoint, 'path'>) =>
  `api${path
    .replace('/token/{token}', '')
    .replace('{instance_id}', NOBODY)
    .replace(/\{\w+\}/g, 'x')}`

const rights = Object.entries(RIGHTS) as [RightName, Right][]
const rightOf = ({ id }: Pick<Endpoint, 'id'>) => rights.find(([, { operations }]) => operations.includes(id))?.[1]
const allows = (right: Right | undefined, scopes: readonly Scope[]) =>
  right?.scopes?.every((scope) => scopes.includes(scope)) === true

const SETS = [...Array(2 ** SCOPES.length).keys()]
  .map((bits) => SCOPES.filter((_, index) => bits & (1 << index)))
  .filter((scopes) => scopes.includes(OPENING_SCOPE))

const API_CALL = /\bapi\s*\.(GET|POST|PUT|DELETE|PATCH)\(\s*'([^']+)'/g

async function callsOfPages(): Promise<Set<string>> {
  const folder = new URL('src/dashboard/pages/', ROOT)
  const files = (await readdir(folder, { recursive: true })).filter((name) => /\.tsx?$/.test(name))
  const sources = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')))
  return new Set(
    sources.flatMap((source) =>
      [...source.matchAll(API_CALL)].map(([, method, path]) => `${method} ${path!.replace('/token/{token}', '')}`),
    ),
  )
}

describe('the matrix', () => {
  let service: Service
  before(async () => {
    service = await openService({ dashboard: { mode: 'on' } })
  })
  after(() => service.close())

  const own = [...endpoints, ...dashboardEndpoints, allowlistCheck as Endpoint]

  test('names operations that exist, each once', () => {
    const named = rights.flatMap(([, { operations }]) => operations)
    assert.equal(new Set(named).size, named.length)
    const declared = new Set(own.map(({ id }) => id))
    assert.deepEqual(
      named.filter((id) => !declared.has(id)),
      [],
    )
  })

  test('has a row for each operation that a page of the dashboard calls', async () => {
    const calls = await callsOfPages()
    assert.ok(calls.size > 40, `${calls.size} calls were found`)
    const byRoute = new Map(own.map((each) => [`${each.method} ${each.path.replace('/token/{token}', '')}`, each]))
    const withoutRow = [...calls].filter((call) => {
      const endpoint = byRoute.get(call)
      return endpoint === undefined || rightOf(endpoint) === undefined
    })
    assert.deepEqual(withoutRow, [])
  })

  for (const scopes of SETS)
    test(`${scopes.join(' ')}: each operation is open or refused as its row says`, async () => {
      const { ask } = await withKey(service, scopes)
      for (const endpoint of own.filter((each) => rightOf(each) !== undefined)) {
        const { method, id } = endpoint
        const answer = await ask(method, pathOf(endpoint), method === 'POST' || method === 'PUT' ? {} : undefined)
        const right = rightOf(endpoint)!
        const isRefused = codeOf(answer) === 'insufficient_scope' || codeOf(answer) === 'not_allowed'
        assert.equal(!isRefused, allows(right, scopes), `${id}: ${answer.status} ${JSON.stringify(answer.body)}`)
        if (isRefused && right.scopes === null) assert.equal(answer.body.error.message, 'Only the admin key may do this.')
        if (!isRefused || right.scopes === null) continue
        const missing = right.scopes.find((scope) => !scopes.includes(scope))
        assert.deepEqual(answer.body.error.details, { required_scope: missing }, id)
        assert.equal(answer.body.error.message, `The API key lacks the scope ${missing}.`)
      }
    })

  test('a route without a row is closed to every key, whatever its scopes', async () => {
    const { ask, live } = await withKey(service, SCOPES)
    const opened = new Set(
      own
        .filter((each) => allows(rightOf(each), SCOPES))
        .map((each) => `${each.method} /dashboard/api${each.path.replace('/token/{token}', '').replace(/\{(\w+)\}/g, ':$1')}`),
    )
    const routes = service.app.routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/dashboard/api/'))
    const closed = routes.filter(({ method, path }) => !opened.has(`${method} ${path}`) && path !== '/dashboard/api/live')
    assert.ok(closed.length > 150 && closed.length + opened.size <= routes.length)
    for (const { method, path } of closed) {
      const there = path.slice('/dashboard/'.length).replace(':instance_id', NOBODY).replace(/:\w+/g, 'x')
      const answer = await ask(method, there, method === 'POST' || method === 'PUT' ? {} : undefined)
      assert.deepEqual([answer.status, codeOf(answer)], [403, 'not_allowed'], `${method} ${path}`)
    }
    const stream = await live()
    assert.equal(stream.status, 200)
    await stream.body!.cancel()
  })

  test('the admin key does everything', async () => {
    const { ask, body } = await signIn(service, ADMIN_KEY)
    assert.equal(body.key, null)
    for (const endpoint of own.filter((each) => rightOf(each) !== undefined && each.id !== 'admin.rotateAdminKey')) {
      const { method } = endpoint
      const answer = await ask(method, pathOf(endpoint), method === 'POST' || method === 'PUT' ? {} : undefined)
      assert.notEqual(answer.status, 403, `${endpoint.id}: ${JSON.stringify(answer.body)}`)
    }
  })

  test('who may look deletes nothing, who may pair neither, and nobody but the admin key manages keys', () => {
    const may = (scopes: readonly Scope[]) => rights.filter(([, right]) => allows(right, scopes)).map(([name]) => name)
    const looking = ['instances.see', 'timeline.see', 'usage.see']
    assert.deepEqual(may(ROLES.look), looking)
    assert.deepEqual(may(ROLES.pair), [
      'instances.see',
      'instances.pair',
      'instances.send',
      'queue.see',
      'messages.see',
      'timeline.see',
      'usage.see',
    ])
    assert.deepEqual(
      rights.filter(([, right]) => !allows(right, ROLES.all)).map(([name]) => name),
      [
        'instances.move',
        'messages.read',
        'events.watch',
        'log.body',
        'log.answers',
        'access.manage',
        'health.see',
        'sandbox.use',
      ],
    )
  })
})

describe('secrets', () => {
  const HOOK = 'https://hooks.example/with-a-password'
  const [EVENT, PERSON, MESSAGE, SAID] = ['01JD3V8Q6ZP4M5T7X9K2B0C1DE', '5511977770001', '3EB0D1A2', 'no column "private words"']
  let service: Service
  let instance: Awaited<ReturnType<Service['newInstance']>>
  let secret: string
  let row: LogRow
  before(async () => {
    service = await openService({ dashboard: { mode: 'on' } })
    instance = await service.newInstance()
    await service.ask('PUT', `${instance.base}/webhooks`, { single_url: HOOK })
    await service.ask('PUT', `${instance.base}/settings`, { proxy_url: 'http://person:hidden-word@198.51.100.9:3128' })
    secret = (await service.ask('GET', `${instance.base}/me`)).body.webhooks.secret
    row = await service.newLogRow(instance.id, EVENT, {
      url: HOOK,
      about: [PERSON, MESSAGE, 'text'],
      failures: [{ at: service.time.now, code: 500, error: 'status 500', durationMs: 1, answer: SAID }],
    })
  })
  after(() => service.close())

  async function readableBy({ ask, live }: Awaited<ReturnType<typeof signIn>>) {
    const attempts = attemptsOf(row)
    const list = { data: [], page: 1, page_size: 20, total: 0 }
    const answers: Record<string, unknown> = {
      'webhooks.detail': { entry: toEntry(instance.id, EVENT, row), attempts },
      'dashboard.timeline': { steps: attempts.map((each) => ({ kind: 'webhook', ...each })) },
    }
    service.double.answer = (_instance, operation) => answers[operation] ?? list
    const texts: string[] = []
    // The event stream is left out, because it does not end. In the dashboard only the admin key may read it.
    const doesEnd = ({ id }: Pick<Endpoint, 'id'>) => id !== 'webhooks.events'
    for (const endpoint of [...endpoints, ...dashboardEndpoints].filter((each) => each.method === 'GET' && doesEnd(each))) {
      const path = pathOf(endpoint)
        .replace(NOBODY, instance.id)
        .replace('webhook-log/x', 'webhook-log/01JD3V8Q6ZP4M5T7X9K2B0C1DE')
      const query = endpoint.id === 'dashboard.timeline' ? '?id=x' : ''
      const { status, body } = await ask('GET', path + query)
      if (status === 200) texts.push(JSON.stringify(body))
    }
    const stream = (await live()).body!.getReader()
    const decoder = new TextDecoder()
    for (let text = ''; !text.includes('event: ready'); texts.push(text))
      text = decoder.decode((await stream.read()).value, { stream: true })
    await stream.cancel()
    texts.push(JSON.stringify((await ask('GET', 'session')).body))
    return texts.join('\n')
  }

  const found = (text: string) =>
    Object.entries({
      token: instance.token,
      secret,
      url: HOOK,
      proxy: 'hidden-word',
      person: PERSON,
      message: MESSAGE,
      answer: 'private words',
    }).flatMap(([name, value]) => (text.includes(value) ? name : []))

  test('are shown to nobody who may only look or pair, and webhooks to who may read them', async () => {
    for (const [scopes, wanted] of [
      [ROLES.look, []],
      [ROLES.pair, []],
      [['instances:read', 'instances:write'], ['token']],
      [
        ['instances:read', 'webhooks:read'],
        ['secret', 'url'],
      ],
      [
        ['instances:read', 'instances:operate', 'webhooks:read'],
        ['secret', 'url', 'person', 'message'],
      ],
      [ROLES.all, ['token', 'secret', 'url', 'person', 'message']],
    ] as const) {
      const session = await withKey(service, scopes)
      const text = await readableBy(session)
      assert.ok(text.includes(instance.id))
      assert.deepEqual(found(text), wanted, scopes.join(' '))
      assert.ok(!text.includes(session.value))
    }
    assert.deepEqual(found(await readableBy(await signIn(service, ADMIN_KEY))), [
      'token',
      'secret',
      'url',
      'person',
      'message',
      'answer',
    ])
  })

  test('are not found by a search of who may not see them', async () => {
    const search = async ({ ask }: Pick<Awaited<ReturnType<typeof signIn>>, 'ask'>) => {
      const totals: number[] = []
      for (const q of ['private words', PERSON, MESSAGE, 'status 500'])
        totals.push((await ask('GET', `api/admin/webhook-log?q=${encodeURIComponent(q)}`)).body.total)
      return totals
    }
    assert.deepEqual(await search(await withKey(service, ['instances:read', 'webhooks:read'])), [0, 0, 0, 1])
    assert.deepEqual(await search(await withKey(service, ROLES.all)), [0, 1, 1, 1])
    assert.deepEqual(await search(await signIn(service, ADMIN_KEY)), [1, 1, 1, 1])
  })

  test('are not in the answers to changes, either', async () => {
    const { ask } = await withKey(service, ['instances:read', 'instances:write'])
    const made = await ask('POST', 'api/account/instances', { name: 'Made by staff', webhooks: { received_url: HOOK } })
    assert.equal(made.status, 201)
    assert.match(made.body.token, /^[0-9a-f]{48}$/)
    assert.equal(made.body.webhooks, undefined)
  })

  test('the address of a connect link is told once, to who makes it', async () => {
    const maker = await withKey(service, ['instances:read', 'instances:write'])
    const { status, body } = await maker.ask('POST', 'api/account/connect-links', { instance_id: instance.id })
    assert.equal(status, 201)
    const looker = await withKey(service, ROLES.look)
    const list = await looker.ask('GET', 'api/account/connect-links')
    assert.equal(list.body.total, 1)
    assert.ok(!JSON.stringify(list.body).includes(new URL(body.url).pathname))
  })
})

describe('another workspace', () => {
  async function newNeighbour({ store, sealer, time, account }: Service) {
    const neighbour = newWorkspace({ name: 'next door', now: time.now, adminKeyHash: hashOf(newAdminKey()), instanceSlots: 5 })
    await store.commit({ ops: [workspaceRecords(sealer).encode(keys.workspace(neighbour.id), neighbour)] })
    await account.refresh()
    return account.createApiKey(neighbour.id as WorkspaceId, { name: 'staff', scopes: SCOPES })
  }

  test('sees nothing of this one: no instance, count, usage or log', () =>
    withService(async (service) => {
      const { id } = await service.newInstance('Ours')
      const event = '01JD3V8Q6ZP4M5T7X9K2B0C1DE'
      await service.newLogRow(id, event)
      const { value } = await newNeighbour(service)
      const { ask, live, body } = await signIn(service, value)
      assert.equal(body.workspace.name, 'next door')
      for (const path of ['instances', 'account/instances', 'account/usage', 'admin/webhook-log', 'account/connect-links'])
        assert.equal((await ask('GET', `api/${path}`)).body.total, 0, path)
      for (const [method, path] of [
        ['GET', `account/instances/${id}`],
        ['DELETE', `account/instances/${id}`],
        ['POST', `account/instances/${id}/rotate-token`],
        ['GET', `instances/${id}/queue`],
        ['GET', `instances/${id}/qr-code`],
        ['GET', `instances/${id}/history`],
        ['GET', `webhook-log/${event}`],
        ['POST', `admin/webhook-log/${event}/resend`],
      ] as const)
        assert.deepEqual(codeOf(await ask(method, `api/${path}`)), 'not_found', `${method} ${path}`)
      assert.deepEqual(
        service.double.calls.filter(({ instance }) => instance === id),
        [],
      )
      const reader = (await live()).body!.getReader()
      const decoder = new TextDecoder()
      let text = ''
      while (!text.includes('event: ready')) text += decoder.decode((await reader.read()).value, { stream: true })
      assert.match(text, /event: reset\ndata: \{"total":0\}/)
      assert.ok(!text.includes(id))
      await reader.cancel()
    }))

  test('neither sees nor ends the sessions of this one', () =>
    withService(async (service) => {
      const { value } = await newNeighbour(service)
      const admin = await signIn(service, ADMIN_KEY)
      const { ask } = await signIn(service, value)
      assert.equal((await ask('GET', 'api/sessions')).status, 403)
      assert.equal((await ask('DELETE', `api/sessions/${admin.body.id}`)).status, 403)
      const { body } = await admin.ask('GET', 'api/sessions')
      assert.equal(body.data.length, 1)
    }))
})

describe('signing in with an API key', () => {
  test('names the key in the session, in the list of the administrator and in the log', () =>
    withService(async (service) => {
      const { id, value, body, ask } = await withKey(service, ROLES.pair)
      const { name } = service.account.apiKey(service.workspace, id)!
      assert.deepEqual(body.key, { id, name, hint: `svc_key_…${value.slice(-4)}`, scopes: ROLES.pair })
      assert.equal((await ask('GET', 'session')).body.key.id, id)
      const admin = await signIn(service, ADMIN_KEY)
      const { body: list } = await admin.ask('GET', 'api/sessions')
      assert.deepEqual(
        list.data.map(({ key }: { key: unknown }) => key),
        [null, { id, name }],
      )
      const signedIn = service.lines.filter(({ message }) => message === 'dashboard: signed in')
      assert.deepEqual(
        signedIn.map(({ fields }) => fields.api_key_id),
        [id, null],
      )
      assert.equal(service.account.apiKey(service.workspace, id)!.lastUsedIp, service.peer.address)
    }))

  test('needs a key that may read instances, of a workspace with a plan, from an address of its allowlist', () =>
    withService(async (service) => {
      const { value: other } = await service.newKey(SCOPES.filter((scope) => scope !== OPENING_SCOPE))
      const refused = await signIn(service, other)
      assert.deepEqual([refused.status, refused.body.error.details], [403, { required_scope: OPENING_SCOPE }])
      const { value } = await service.newKey([OPENING_SCOPE])
      await service.admin('PUT', '/admin/subscription', { status: 'expired' })
      assert.equal(codeOf(await signIn(service, value)), 'plan_required')
      await service.admin('PUT', '/admin/subscription', { status: 'active' })
      await service.admin('PUT', '/admin/security/ip-allowlist', { enabled: true, entries: [{ cidr: '203.0.113.0/24' }] })
      assert.equal(codeOf(await signIn(service, value)), 'ip_not_allowed')
      service.peer.address = '203.0.113.9'
      assert.equal((await signIn(service, value)).status, 201)
    }))

  test('is refused for what is no key here, and guesses are throttled', () =>
    withService(async (service) => {
      await service.admin('POST', '/admin/api-keys/client-token', { value: 'chosen by its owner' })
      const wanted = 'A valid admin key (svc_admin_…) or API key (svc_key_…) is required.'
      for (const wrong of ['chosen by its owner', `svc_key_${'0'.repeat(48)}`, `svc_admin_${'0'.repeat(48)}`, '']) {
        const { status, body } = await signIn(service, wrong)
        assert.deepEqual([status, body.error.message], [401, wanted], wrong)
      }
      for (let count = 4; count < 30; count++) await signIn(service, `svc_key_${'0'.repeat(48)}`)
      assert.equal((await signIn(service, `svc_key_${'0'.repeat(48)}`)).status, 429)
      assert.equal((await withKey(service, ROLES.look)).status, 201)
    }))

  test('the addresses of the administration are those of the admin key alone', () =>
    withService(
      async (service) => {
        const { value } = await service.newKey(ROLES.look as unknown as string[])
        service.peer.address = '203.0.113.9'
        assert.equal(codeOf(await signIn(service, ADMIN_KEY)), 'ip_not_allowed')
        assert.equal((await signIn(service, value)).status, 201)
      },
      { adminAllowedIps: ['198.51.100.0/24'] },
    ))

  test('fifty sessions of one key take no place of another', () =>
    withService(async (service) => {
      const admin = await signIn(service, ADMIN_KEY)
      const { value } = await service.newKey(ROLES.look as unknown as string[])
      const sessions = []
      for (let count = 0; count < 51; count++) {
        service.time.now += 1_000
        sessions.push(await signIn(service, value))
      }
      assert.equal((await sessions[0]!.ask('GET', 'api/instances')).status, 401)
      assert.equal((await sessions[1]!.ask('GET', 'api/instances')).status, 200)
      assert.equal((await admin.ask('GET', 'api/instances')).status, 200)
    }))
})

describe('a session of an API key', () => {
  const restOf = async (response: Response) => new Response(response.body).text()

  test('ends with its key at once, and so does its stream', (t) =>
    withService(async (service) => {
      const { id, ask, live } = await withKey(service, ROLES.pair)
      const other = await withKey(service, ROLES.pair)
      // A stream also checks every second whether its session is still valid. In this test the timers stand still, so
      // only the deletion can end the stream.
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const rest = restOf(await live())
      await service.admin('DELETE', `/admin/api-keys/${id}`)
      assert.equal((await ask('GET', 'api/instances')).status, 401)
      assert.deepEqual((await ask('GET', 'session')).body, { signed_in: false })
      assert.match(await rest, /event: ended\ndata: \{"reason":"signed_out"\}/)
      assert.equal((await other.ask('GET', 'api/instances')).status, 200)
    }))

  test('loses a scope with its key, and ends with the scope that opens the dashboard', () =>
    withService(async (service) => {
      const { id: instance } = await service.newInstance()
      const { id, ask, live } = await withKey(service, ROLES.all)
      const change = (scopes: readonly Scope[]) => service.admin('PUT', `/admin/api-keys/${id}`, { scopes })
      assert.ok((await ask('GET', `api/account/instances/${instance}`)).body.token)
      await change(ROLES.look)
      assert.equal((await ask('GET', `api/account/instances/${instance}`)).body.token, undefined)
      assert.equal(codeOf(await ask('DELETE', `api/account/instances/${instance}`)), 'insufficient_scope')
      assert.deepEqual((await ask('GET', 'session')).body.key.scopes, ROLES.look)
      const rest = restOf(await live())
      await change(['webhooks:read'])
      assert.equal((await ask('GET', 'api/instances')).status, 401)
      assert.match(await rest, /event: ended\ndata: \{"reason":"signed_out"\}/)
    }))

  test('does nothing more with a body that arrives after the key was revoked or narrowed', () =>
    withService(async (service) => {
      const { id: instance } = await service.newInstance()
      for (const [change, status] of [
        [(id: string) => service.admin('PUT', `/admin/api-keys/${id}`, { scopes: ROLES.look }), 403],
        [(id: string) => service.admin('DELETE', `/admin/api-keys/${id}`), 401],
      ] as const) {
        const { id, headers } = await withKey(service, ROLES.all)
        let more!: ReadableStreamDefaultController<Uint8Array>
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            more = controller
          },
        })
        const init = { method: 'PUT', body, duplex: 'half', headers: { ...headers, 'Content-Type': 'application/json' } }
        const path = `/dashboard/api/instances/${instance}/name`
        const asked = service.app.request(`http://gw.test${path}`, init as RequestInit)
        more.enqueue(Buffer.from('{"value":'))
        await change(id)
        more.enqueue(Buffer.from('"Renamed"}'))
        more.close()
        assert.equal((await asked).status, status)
      }
      assert.equal(service.directory.render(instance as never, '').name, 'Support BR')
    }))

  test('holds to the allowlist and to the plan, which its stream and its information obey, too', () =>
    withService(async (service) => {
      const { ask, live } = await withKey(service, ROLES.look)
      const admin = await signIn(service, ADMIN_KEY)
      const rest = restOf(await live())
      await service.admin('PUT', '/admin/security/ip-allowlist', { enabled: true, entries: [{ cidr: '203.0.113.0/24' }] })
      for (const path of ['api/instances', 'api/live', 'session']) assert.equal(codeOf(await ask('GET', path)), 'ip_not_allowed')
      assert.match(await rest, /event: ended\ndata: \{"reason":"signed_out"\}/)
      assert.equal((await admin.ask('GET', 'api/instances')).status, 200)
      await service.admin('PUT', '/admin/security/ip-allowlist', { enabled: false })
      assert.equal((await ask('GET', 'api/instances')).status, 200)
      await service.admin('PUT', '/admin/subscription', { status: 'expired' })
      assert.equal(codeOf(await ask('GET', 'api/instances')), 'plan_required')
    }))

  test('ends without use, at a sign-out, and from the list of an administrator; a new admin key leaves it', () =>
    withService(
      async (service) => {
        const admin = await signIn(service, service.credentials.adminKey)
        const [idle, out, ended, kept] = [
          await withKey(service, ROLES.look),
          await withKey(service, ROLES.look),
          await withKey(service, ROLES.look),
          await withKey(service, ROLES.look),
        ]
        assert.equal((await admin.ask('DELETE', `api/sessions/${ended.body.id}`)).status, 200)
        assert.equal((await ended.ask('GET', 'api/instances')).status, 401)
        const { headers } = await out.ask('DELETE', 'session')
        assert.match(headers.get('Set-Cookie')!, /^svc_dashboard=; Max-Age=0; Path=\/dashboard; HttpOnly; SameSite=Strict$/)
        assert.equal((await out.ask('GET', 'api/instances')).status, 401)
        await admin.ask('POST', 'api/admin/admin-key', {})
        assert.equal((await admin.ask('GET', 'api/instances')).status, 401)
        service.time.now += 29 * MINUTE
        assert.equal((await kept.ask('GET', 'api/instances')).status, 200)
        service.time.now += MINUTE
        assert.equal((await idle.ask('GET', 'api/instances')).status, 401)
        assert.equal((await kept.ask('GET', 'api/instances')).status, 200)
      },
      { hasOwnAdminKey: true },
    ))
})
