/**
 * Tests which error is reported if a request has several. The checks of a request are the rows of a table, and the
 * failed check with the smallest row number must determine the answer. Each row is tested alone, and then pairs of
 * rows.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { hashOf } from '../../src/account/credentials.ts'
import { newWorkspace } from '../../src/account/new-workspace.ts'
import { workspaceRecords } from '../../src/account/records.ts'
import { Failure, type FailureCode } from '../../src/domain/failures.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { amount } from '../harness/amount.ts'
import { openService, type Service } from './http/service.ts'

interface Asked {
  method: string
  /** The instance in the path, or null if the path names no instance and consists only of `tail`. */
  instance: { id: string; token: string } | null
  tail: string
  headers: Record<string, string>
  body: unknown
}

interface World {
  instance: { id: string; token: string; base: string }
  full: { id: string; value: string }
  /** An API key that has only the scope webhooks:read. */
  poor: { id: string; value: string }
}

interface Fault {
  row: number
  name: string
  status: number
  code: FailureCode
  /**
   * Number of tokens that are left in the rate limit bucket after the answer. Null if no bucket applies to the request.
   */
  remaining: string | null
  /** Part of the request that the fault changes. Two faults with the same slot cannot be combined. */
  slot?: string
  state?(world: World): Promise<unknown>
  /**
   * Runs after the `state` functions of all faults of the request, because it sends requests whose answers depend on
   * what the `state` functions have changed.
   */
  last?(world: World): Promise<unknown>
  request?(asked: Asked, world: World): void
}

type FaultParts = [row: number, name: string, status: number, code: FailureCode, remaining: string | null]
const fault = (
  ...[row, name, status, code, remaining, more]: [...FaultParts, more?: Pick<Fault, 'slot' | 'state' | 'last' | 'request'>]
): Fault => ({ row, name, status, code, remaining, ...more })

let service: Service
let theirs: string
const OTHER_ADMIN_KEY = `svc_admin_${'e'.repeat(48)}`

before(async () => {
  service = await openService({
    instanceSlots: 10_000,
    hasOwnAdminKey: true,
    adminAllowedIps: ['198.51.0.0/16', '192.0.2.0/24'],
  })
  const other = newWorkspace({
    name: 'other',
    now: service.time.now + 1,
    adminKeyHash: hashOf(OTHER_ADMIN_KEY),
    instanceSlots: 1,
  })
  await service.store.commit({ ops: [workspaceRecords(service.sealer).encode(keys.workspace(other.id), other)] })
  const wish = { name: 'theirs', scopes: ['instances:operate', 'instances:write'] }
  theirs = (await service.ask('POST', '/admin/api-keys', wish, bearer(OTHER_ADMIN_KEY))).body.value
  assert.match(theirs, /^svc_key_/)
})
after(() => service.close())

const bearer = (value: string) => ({ Authorization: `Bearer ${value}` })
const put = async (path: string, body: unknown) => {
  const { status, body: answer } = await service.admin('PUT', `/admin/${path}`, body)
  assert.equal(status, 200, `${path}: ${JSON.stringify(answer)}`)
}
const WRONG_TOKEN = '0'.repeat(48)
const UNKNOWN = '5f0b3c1e-7a0d-4c58-9a55-0e6a1f7c2b90'
const WRONG_KEY = `svc_key_${'0'.repeat(48)}`
const ELSEWHERE = '203.0.113.9'

let address = 0
/**
 * Prepares the situation before a fault: every request is allowed, no error has occurred, and every rate limit bucket
 * is full.
 */
async function newWorld(): Promise<World> {
  address++
  service.peer.address = `198.51.${Math.floor(address / 250)}.${1 + (address % 250)}`
  service.time.now += 60_000
  service.double.answer = () => ({ message_id: 'M', svc_id: 'S' })
  await put('security/ip-allowlist', { enabled: false })
  await put('security/require-api-key', { value: false })
  await put('security/require-client-token', { value: false })
  await put('subscription', { status: 'active', due_at: '2036-01-01T00:00:00.000Z', instance_slots: 10_000 })
  const { body } = await service.admin('GET', '/admin/api-keys?page_size=500')
  for (const { id } of body.data) await service.account.revokeApiKey(service.workspace, id)
  return {
    instance: await service.newInstance(),
    full: await service.newKey(['instances:operate', 'instances:read', 'instances:write']),
    poor: await service.newKey(['webhooks:read']),
  }
}

async function revoked(): Promise<string> {
  const { id, value } = await service.newKey(['instances:operate', 'instances:write'])
  await service.account.revokeApiKey(service.workspace, id)
  return value
}

async function fails(faults: readonly Pick<Fault, 'state' | 'last' | 'request'>[], good: (world: World) => Asked) {
  const world = await newWorld()
  for (const { state } of faults) await state?.(world)
  service.time.now += 2_000
  for (const { last } of faults) await last?.(world)
  const asked = good(world)
  for (const { request } of faults) request?.(asked, world)
  const { method, instance, tail, headers, body } = asked
  const path = instance ? `/instances/${instance.id}/token/${instance.token}${tail}` : tail
  return service.ask(method, path, body, headers)
}

const drain = (take: (world: World) => Promise<{ status: number }>) => async (world: World) => {
  for (let taken = 0; taken < 120; taken++) assert.equal((await take(world)).status, 200)
}

/**
 * Fault: the caller has sent 30 requests with wrong credentials before. So the next request with wrong credentials gets
 * `rate_limited`. A request with the right ones is still answered.
 */
const GUESSED = {
  async last() {
    for (let failed = 0; failed < 30; failed++)
      assert.equal((await service.ask('GET', `/instances/${UNKNOWN}/token/${WRONG_TOKEN}/me`)).status, 401)
  },
}

const says = (change: Partial<Asked>) => (asked: Asked) => void Object.assign(asked, change)

const allowOthersOnly = () => put('security/ip-allowlist', { enabled: true, entries: [{ cidr: '192.0.2.0/24' }] })
const outsideOfTheList = (row: number): Fault =>
  fault(row, 'an address outside of the allowlist', 403, 'ip_not_allowed', '120', { state: allowOthersOnly })
/**
 * Fault: the instance has used up its request limit. The requests that use it up come from an allowed address and
 * contain all required keys, so that nothing but this limit can refuse them.
 */
const noRequestLeft = (row: number): Fault =>
  fault(row, 'no request left', 429, 'rate_limited', '0', {
    async last(world) {
      const { address } = service.peer
      service.peer.address = '192.0.2.1'
      const headers = { ...bearer(world.full.value), 'Client-Token': world.full.value }
      await drain(({ instance }) => service.ask('GET', `${instance.base}/me`, undefined, headers))(world)
      service.peer.address = address
    },
  })

const requirement = (what: 'api-key' | 'client-token') => () => put(`security/require-${what}`, { value: true })

const WRONG_VALUES: Record<string, (world: World) => Promise<string | undefined> | string | undefined> = {
  unknown: () => WRONG_KEY,
  missing: () => undefined,
  revoked,
  'of another workspace': () => theirs,
  'cut short': ({ full }) => full.value.slice(0, -1),
  'in capitals': ({ full }) => full.value.toUpperCase(),
  'too long': ({ full }) => full.value.padEnd(257, '0'),
  'of an administrator': () => service.credentials.adminKey,
}

function wrongHeader(fault: Omit<Fault, 'name' | 'request'>, header: 'Authorization' | 'Client-Token', what: string): Fault[] {
  const written = (value: string) => (header === 'Authorization' ? `Bearer ${value}` : value)
  const values = Object.entries({ ...WRONG_VALUES, repeated: ({ full }: World) => `${full.value}, ${written(full.value)}` })
  return values.map(([how, held]): Fault => {
    let value: string | undefined
    return {
      ...fault,
      name: `${what} ${how}`,
      async state(world) {
        await fault.state?.(world)
        value = await held(world)
      },
      request({ headers }) {
        delete headers[header]
        if (value !== undefined) headers[header] = written(value)
      },
    }
  })
}

/**
 * Tests each fault alone, and then two faults at a time. Only the full run (SVC_TEST_FULL=1) tests every pair that can
 * be combined; other runs test the pairs that are close in the table. The fault with the smaller row number must
 * determine the answer.
 */
function walk(good: (world: World) => Asked, goodStatus: number, faults: readonly Fault[], throttled: readonly number[]) {
  test('nothing wrong is answered', async () => {
    assert.equal((await fails([], good)).status, goodStatus)
  })

  for (const fault of faults)
    test(`row ${fault.row}: ${fault.name}`, async () => {
      const { status, body, headers } = await fails([fault], good)
      assert.deepEqual([status, body.error?.code], [fault.status, fault.code], JSON.stringify(body))
      assert.equal(headers.get('X-RateLimit-Remaining'), fault.remaining)
      assert.equal(headers.get('Retry-After') !== null, status === 429 || status === 503)
    })

  // Faults with the same row and code have the same precedence. So only the first of them is combined with other
  // faults.
  const rows = [...new Map(faults.toReversed().map((fault) => [`${fault.row} ${fault.code}`, fault])).values()].reverse()
  for (const [at, one] of rows.entries())
    for (const other of rows.slice(at + 1, amount(rows.length, at + 4))) {
      if (one.row === other.row || (one.slot !== undefined && one.slot === other.slot)) continue
      test(`${one.name} and ${other.name}: ${one.code}`, async () => {
        const { status, body } = await fails([one, other], good)
        assert.deepEqual([status, body.error?.code], [one.status, one.code], JSON.stringify(body))
      })
    }

  for (const fault of rows) {
    const isThrottled = throttled.includes(fault.row)
    test(`${fault.name}, after 30 wrong guesses: ${isThrottled ? 'rate_limited' : fault.code}`, async () => {
      const { status, body, headers } = await fails([GUESSED, fault], good)
      assert.deepEqual([status, body.error?.code], isThrottled ? [429, 'rate_limited'] : [fault.status, fault.code])
      if (isThrottled) assert.equal(headers.get('Retry-After'), '60')
    })
  }

  test('nothing wrong, after 30 wrong guesses, is answered', async () => {
    assert.equal((await fails([GUESSED], good)).status, goodStatus)
  })
}

describe('a queued send', () => {
  const scopeless: Fault = fault(8, 'a key without the scope', 403, 'insufficient_scope', '120', {
    state: requirement('api-key'),
    // The fault sends its key in `Client-Token` if another fault already uses the header `Authorization`.
    request({ headers }, { poor }) {
      if (headers.Authorization === undefined) headers.Authorization = `Bearer ${poor.value}`
      else headers['Client-Token'] = poor.value
    },
  })
  const shardSays = (row: number, code: FailureCode, status: number): Fault =>
    fault(row, `the shard says ${code}`, status, code, '119', {
      slot: 'shard',
      async state() {
        service.double.answer = () => {
          throw new Failure(code)
        }
      },
    })
  const subscription = (name: string, wish: object): Fault =>
    fault(10, name, 402, 'subscription_required', '119', { state: () => put('subscription', wish) })
  const said = (name: string, code: FailureCode, body: unknown): Fault =>
    fault(11, name, 400, code, '119', {
      slot: 'body',
      request(asked) {
        asked.body = body
      },
    })
  const absent = (name: string, what: 'id' | 'token', value: string): Fault =>
    fault(2, name, 401, 'unauthorized', null, {
      request({ instance }) {
        instance![what] = value
      },
    })

  walk(
    ({ instance: { id, token } }) => ({
      method: 'POST',
      instance: { id, token },
      tail: '/send-text',
      headers: {},
      body: { phone: '5511988887777', message: 'Hello' },
    }),
    200,
    [
      fault(1, 'no such route', 404, 'not_found', '120', { request: says({ tail: '/send-nothing' }) }),
      absent('no instance', 'id', 'undefined'),
      absent('no token', 'token', 'null'),
      fault(3, 'a wrong token', 401, 'instance_not_found', null, {
        request: ({ instance }) => void Object.assign(instance!, { token: WRONG_TOKEN }),
      }),
      fault(3, 'an unknown instance', 401, 'instance_not_found', null, {
        request: ({ instance }) => void Object.assign(instance!, { id: UNKNOWN }),
      }),
      outsideOfTheList(5),
      ...wrongHeader(
        { row: 6, status: 401, code: 'client_token_required', remaining: '120', state: requirement('client-token') },
        'Client-Token',
        'a Client-Token',
      ),
      ...wrongHeader(
        { row: 7, status: 401, code: 'api_key_required', remaining: '120', state: requirement('api-key') },
        'Authorization',
        'an API key',
      ),
      scopeless,
      noRequestLeft(9),
      subscription('an expired plan', { status: 'expired' }),
      subscription('a trial that is over', { status: 'trial', trial_ends_at: '2026-01-01T00:00:00.000Z' }),
      subscription('a canceled plan that is over', { status: 'canceled', due_at: '2026-01-01T00:00:00.000Z' }),
      said('no JSON', 'invalid_request', '{'),
      said('a field that is missing', 'invalid_request', { phone: '5511988887777' }),
      said('no identifier', 'invalid_phone', { phone: 'somebody', message: 'Hello' }),
      shardSays(12, 'queue_full', 409),
      shardSays(13, 'engine_unavailable', 503),
    ],
    [3, 6, 7],
  )
})

describe('the Account API', () => {
  const drainWorkspace = async (world: World) => {
    const { address } = service.peer
    service.peer.address = '192.0.2.1'
    await drain(() => service.admin('GET', '/admin/workspace'))(world)
    service.peer.address = address
  }
  const common: Fault[] = [
    fault(1, 'no such route', 404, 'not_found', '120', { request: says({ tail: '/account/nothing' }) }),
    ...wrongHeader({ row: 2, status: 401, code: 'api_key_required', remaining: null, slot: 'key' }, 'Authorization', 'an API key')
      // The Account API accepts an API key of any workspace: the key selects its own workspace.
      .filter(({ name }) => name !== 'an API key of another workspace')
      // The admin key is not an API key. But it identifies its workspace, so the request takes a token from the bucket
      // of that workspace.
      .map((fault) => (fault.name === 'an API key of an administrator' ? { ...fault, remaining: '120' } : fault)),
    fault(2, 'a key in Client-Token', 401, 'api_key_required', null, {
      slot: 'key',
      request({ headers }, { full }) {
        delete headers.Authorization
        headers['Client-Token'] = full.value
      },
    }),
    outsideOfTheList(4),
    ...(
      [
        ['a trial', { status: 'trial', trial_ends_at: '2036-01-01T00:00:00.000Z' }],
        ['an expired plan', { status: 'expired' }],
        ['a canceled plan that is over', { status: 'canceled', due_at: '2026-01-01T00:00:00.000Z' }],
      ] as const
    ).map(([name, wish]): Fault => fault(5, name, 403, 'plan_required', '120', { state: () => put('subscription', wish) })),
    fault(6, 'a key without the scope', 403, 'insufficient_scope', '120', {
      slot: 'key',
      request({ headers }, { poor }) {
        headers.Authorization = `Bearer ${poor.value}`
      },
    }),
    fault(7, 'no request left', 429, 'rate_limited', '0', { last: drainWorkspace }),
    fault(8, 'no name', 400, 'invalid_request', '119', { request: says({ body: { name: ' ' } }) }),
  ]

  describe('a change', () => {
    walk(
      ({ instance, full }) => ({
        method: 'PUT',
        instance: null,
        tail: `/account/instances/${instance.id}`,
        headers: bearer(full.value),
        body: { name: 'renamed' },
      }),
      200,
      [
        ...common,
        fault(9, 'an unknown instance', 404, 'not_found', '119', {
          request(asked) {
            if (asked.tail.startsWith('/account/instances/')) asked.tail = `/account/instances/${UNKNOWN}`
          },
        }),
      ],
      [2],
    )

    test('an instance of another workspace is as unknown as none', async () => {
      const { instance } = await newWorld()
      const path = `/account/instances/${instance.id}`
      const [other, none] = [
        await service.ask('PUT', path, { name: 'mine' }, bearer(theirs)),
        await service.ask('PUT', `/account/instances/${UNKNOWN}`, { name: 'mine' }, bearer(theirs)),
      ]
      assert.deepEqual([other.status, other.body], [404, none.body])
    })
  })

  describe('a creation', () => {
    walk(
      ({ full }) => ({
        method: 'POST',
        instance: null,
        tail: '/account/instances',
        headers: bearer(full.value),
        body: { name: 'new' },
      }),
      201,
      [
        ...common,
        fault(10, 'no slot left', 409, 'instance_limit_reached', '119', {
          state: () => put('subscription', { instance_slots: 0 }),
        }),
      ],
      [2],
    )
  })
})

describe('the Admin API', () => {
  walk(
    ({ full }) => ({
      method: 'PUT',
      instance: null,
      tail: `/admin/api-keys/${full.id}`,
      headers: bearer(service.credentials.adminKey),
      body: { name: 'renamed' },
    }),
    200,
    [
      fault(1, 'no such route', 404, 'not_found', '120', { request: says({ tail: '/admin/nothing' }) }),
      ...(
        [
          ['no admin key', () => undefined],
          ['an unknown admin key', () => `svc_admin_${'0'.repeat(48)}`],
          ['an admin key cut short', () => service.credentials.adminKey.slice(0, -1)],
          ['an admin key in capitals', () => service.credentials.adminKey.toUpperCase()],
          ['an admin key that is too long', () => service.credentials.adminKey.padEnd(257, '0')],
          ['an admin key said twice', () => `${service.credentials.adminKey}, Bearer ${service.credentials.adminKey}`],
          ['an API key', ({ full }) => full.value],
        ] as [string, (world: World) => string | undefined][]
      ).map(
        ([name, held]): Fault =>
          fault(2, name, 401, 'api_key_required', name === 'an API key' ? '120' : null, {
            request({ headers }, world) {
              const value = held(world)
              delete headers.Authorization
              if (value !== undefined) headers.Authorization = `Bearer ${value}`
            },
          }),
      ),
      fault(4, "an address outside of the operator's list", 403, 'ip_not_allowed', '120', {
        async last() {
          service.peer.address = ELSEWHERE
        },
      }),
      fault(5, 'no request left', 429, 'rate_limited', '0', {
        async last(world) {
          const { address } = service.peer
          service.peer.address = '192.0.2.1'
          await drain(() => service.admin('GET', '/admin/workspace'))(world)
          service.peer.address = address
        },
      }),
      fault(6, 'no name', 400, 'invalid_request', '119', { request: says({ body: { name: ' ' } }) }),
      fault(7, 'an unknown key', 404, 'not_found', '119', {
        request(asked) {
          if (asked.tail.startsWith('/admin/api-keys/')) asked.tail = `/admin/api-keys/${UNKNOWN}`
        },
      }),
      fault(8, 'the last key that may operate', 403, 'not_allowed', '119', {
        state: requirement('api-key'),
        request(asked) {
          asked.body = { ...(asked.body as object), scopes: ['instances:read'] }
        },
      }),
    ],
    [2],
  )

  test('a key of another workspace is as unknown as none', async () => {
    const { full } = await newWorld()
    const change = (id: string) => service.ask('PUT', `/admin/api-keys/${id}`, { name: 'mine' }, bearer(OTHER_ADMIN_KEY))
    const [other, none] = [await change(full.id), await change(UNKNOWN)]
    assert.deepEqual([other.status, other.body], [404, none.body])
  })
})

/**
 * The requests of agents (`/mcp`) are checked by a separate table. From row 8 of this table on, the answer has the
 * format of the MCP protocol.
 */
describe('the tools for agents', () => {
  const authorization = (name: string, value: string | undefined, row: number, code: FailureCode): Fault =>
    fault(row, name, 401, code, null, {
      slot: 'token',
      request({ headers }) {
        delete headers.Authorization
        if (value !== undefined) headers.Authorization = value
      },
    })
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

  walk(
    ({ instance: { token } }) => ({ method: 'POST', instance: null, tail: '/mcp', headers: bearer(token), body: list }),
    200,
    [
      authorization('no Authorization', undefined, 1, 'unauthorized'),
      authorization('another scheme', `Basic ${WRONG_TOKEN}`, 1, 'unauthorized'),
      authorization('a token said twice', `Bearer ${WRONG_TOKEN}, Bearer ${WRONG_TOKEN}`, 1, 'unauthorized'),
      authorization('an unknown token', `Bearer ${WRONG_TOKEN}`, 3, 'instance_not_found'),
      authorization('an API key for a token', `Bearer ${WRONG_KEY}`, 3, 'instance_not_found'),
      authorization('an OAuth token that is none', `Bearer svc_oat_${WRONG_TOKEN}`, 3, 'instance_not_found'),
      outsideOfTheList(4),
      ...wrongHeader(
        { row: 5, status: 401, code: 'client_token_required', remaining: '120', state: requirement('client-token') },
        'Client-Token',
        'a Client-Token',
      ),
      ...wrongHeader(
        { row: 6, status: 401, code: 'api_key_required', remaining: '120', state: requirement('api-key') },
        'Client-Token',
        'an API key',
      ),
      fault(6.5, 'a key without the scope', 403, 'insufficient_scope', '120', {
        slot: 'key',
        state: requirement('api-key'),
        request({ headers }, { poor }) {
          headers['Client-Token'] ??= poor.value
        },
      }),
      noRequestLeft(7),
      // This code comes from the MCP protocol, not from the service.
      fault(8, 'no JSON', 400, -32700 as never, '119', { request: says({ body: '{' }) }),
    ],
    [3, 5, 6],
  )
})
