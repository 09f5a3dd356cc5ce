/**
 * Sends requests to the operations of the API. They are made from the OpenAPI description and then corrupted, with a
 * fixed seed. No answer may be a 500, and every answer must match the description of its status.
 */

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { z } from 'zod'
import { FAILURES } from '../../src/domain/failures.ts'
import type { InstanceId } from '../../src/domain/ids.ts'
import { ANY, BYTES, type Endpoint, EVENT_STREAM, hasBody, takesJson } from '../../src/features/endpoint.ts'
import { endpoints } from '../../src/features/index.ts'
import { amount } from '../harness/amount.ts'
import { endsAfterFirst, METRICS_TOKEN, openService } from './http/service.ts'

const SEED = 20261122
const REQUESTS = amount(20_000, 2_000)
/**
 * Time limit in ms for the requests. If the machine is too busy for all of them, the test sends as many as it can, and
 * prints their number.
 */
const TIME_LIMIT = 120_000

type Schema = {
  $ref?: string
  $defs?: Record<string, Schema>
  type?: string | string[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  examples?: unknown[]
}

/** Unusual values, which no client should send. The test puts them into fields, bodies and unknown fields. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    '\u0000',
    '\ud800',
    '😀',
    'null',
    'undefined',
    '__proto__',
    '../..',
    '%',
    0,
    -0,
    -1,
    1e308,
  ),
  fc.constantFrom<unknown>(
    [],
    {},
    [[]],
    [null],
    { $ref: '#' },
    { constructor: { prototype: {} } },
    true,
    false,
    Number.MAX_SAFE_INTEGER,
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ minLength: 200, maxLength: 400 }),
  fc.jsonValue({ maxDepth: 3 }),
)
const identifiers = fc.constantFrom(
  '5511988887777',
  '81896604192873@lid',
  '120363019502650977-group',
  '120363019502650977@g.us',
  '120363166555745933@newsletter',
  'status@broadcast',
  '123456@broadcast',
  'nobody',
)

function generated(schema: Schema, named: Record<string, Schema>, depth = 0): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return generated(named[schema.$ref.split('/').at(-1)!] ?? {}, named, depth)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const branches = schema.anyOf ?? schema.oneOf
  if (branches) return fc.oneof(...branches.map((branch) => generated(branch, named, depth)))
  const [type] = [schema.type].flat()
  const examples = schema.examples ?? []
  switch (type) {
    case 'string': {
      const min = Math.min(schema.minLength ?? 0, 60)
      const text = fc.string({ minLength: min, maxLength: Math.max(min, Math.min(schema.maxLength ?? 40, 60)) })
      return fc.oneof(text, identifiers, ...(examples.length > 0 ? [fc.constantFrom(...examples)] : []))
    }
    case 'integer':
      return fc.integer({ min: Math.max(schema.minimum ?? -10, -1e6), max: Math.min(schema.maximum ?? 1_000, 1e6) })
    case 'number':
      return fc.double({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return depth > 4
        ? fc.constant([])
        : fc.array(generated(schema.items ?? {}, named, depth + 1), {
            minLength: schema.minItems ?? 0,
            maxLength: Math.max(schema.minItems ?? 0, 3),
          })
    case 'object':
      return depth > 4 ? fc.constant({}) : fieldsOf(schema, named, depth)
    default:
      return odd
  }
}

function fieldsOf(
  { properties = {}, required = [] }: Schema,
  named: Record<string, Schema>,
  depth: number,
): fc.Arbitrary<object> {
  const values = Object.entries(properties).map(([name, part]) => [name, generated(part, named, depth + 1)] as const)
  return fc.record(Object.fromEntries(values), { requiredKeys: required.filter((name) => name in properties) })
}

interface Wish {
  fields: Record<string, unknown>
  spoil: { how: 'not' | 'field' | 'more' | 'body' | 'text'; at: number; value: unknown }
  headers: Record<string, string>
  credential: 'right' | 'wrong' | 'none'
}

const headers = fc.record(
  {
    Prefer: fc.constantFrom('wait=1', 'wait=x', 'wait=-1', 'return=minimal', ';;,'),
    'Idempotency-Key': fc.string({ minLength: 0, maxLength: 130, unit: fc.constantFrom(...'abc-0 ') }),
    'Client-Token': fc.constantFrom('x', `svc_key_${'0'.repeat(48)}`, ''),
    'X-Dialect': fc.constantFrom('zapi', 'svc', 'none', ''),
    'X-Request-Id': fc.constantFrom('abc', 'ä'.normalize('NFD').slice(0, 1), 'x'.repeat(65)),
    'Content-Type': fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', 'multipart/form-data'),
    'Accept-Encoding': fc.constantFrom('gzip', 'br', 'gzip;q=0', '*'),
  },
  { requiredKeys: [] },
)

function wishOf(endpoint: Endpoint): fc.Arbitrary<Wish> {
  const schema = z.toJSONSchema(z.object(endpoint.fields), { io: 'input', unrepresentable: 'any' }) as Schema
  const examples = endpoint.examples.flatMap(({ input }) => (input ? [fc.constant(input)] : []))
  return fc.record({
    fields: fc.oneof(...examples, fieldsOf(schema, schema.$defs ?? {}, 0)) as fc.Arbitrary<Record<string, unknown>>,
    spoil: fc.record({
      how: fc.constantFrom('not', 'not', 'field', 'field', 'more', 'body', 'text'),
      at: fc.nat(20),
      value: odd,
    }),
    headers: fc.oneof(fc.constant({}), headers) as fc.Arbitrary<Record<string, string>>,
    credential: fc.oneof(
      { weight: 10, arbitrary: fc.constant('right' as const) },
      fc.constantFrom('wrong' as const, 'none' as const),
    ),
  })
}

const service = await openService({ instanceSlots: 1_000_000, hasOwnAdminKey: true })
const apiKey = (
  await service.newKey(['instances:operate', 'instances:read', 'instances:write', 'webhooks:read', 'webhooks:write'])
).value
const instances = [await service.newInstance('one'), await service.newInstance('two')]
after(() => service.close())

/** Makes the double of the engine answer with the example in the operation's declaration. */
function engineAnswers(endpoint: Endpoint) {
  service.double.answer = () => {
    if (endpoint.kind === 'send') return { message_id: '3EB0EE97803A91FF2C0ED1', svc_id: '01JD3V8Q6ZP4M5T7X9K2B0C1DE' }
    if (endpoint.contentType === 'image/png') return new Uint8Array([0x89, 0x50])
    return endpoint.examples.find(({ reply }) => reply)?.reply
  }
}

/** Reverts the effect of an administration request, because it would change the results of later requests. */
async function restore(endpoint: Endpoint, body: { value?: string } | undefined, unchanged: object) {
  if (endpoint.access !== 'admin' || endpoint.method === 'GET') return
  if (endpoint.id === 'admin.rotateAdminKey' && body?.value) service.credentials.adminKey = body.value
  await service.changeWorkspace(() => unchanged)
}

/**
 * Removes a dialect that this request may have set, because it would change the answers to later requests. Returns true
 * if an instance had a dialect.
 */
async function endedDialect({ id: operation }: Endpoint): Promise<boolean> {
  if (operation !== 'instance.updateSettings' && operation !== 'account.updateInstance') return false
  const speaking = instances.filter(({ id }) => service.directory.settings(id as InstanceId).dialect !== null)
  for (const { id } of speaking) await service.directory.update(id as InstanceId, { settings: { dialect: null } })
  return speaking.length > 0
}

function credentialsOf({ access }: Endpoint, kind: Wish['credential']): Record<string, string> {
  if (access === 'instance' || access === 'public' || access === 'described' || kind === 'none') return {}
  const right = access === 'admin' ? service.credentials.adminKey : access === 'metrics' ? METRICS_TOKEN : apiKey
  return { Authorization: `Bearer ${kind === 'right' ? right : right.replace(/.$/, 'x')}` }
}

const segment = (value: unknown) =>
  encodeURIComponent(String(typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value)))

function requestOf(endpoint: Endpoint, { fields, spoil, headers: more, credential }: Wish, at: number) {
  const given: Record<string, unknown> = { ...fields }
  const names = Object.keys(given)
  if (spoil.how === 'field' && names.length > 0) given[names[spoil.at % names.length]!] = spoil.value
  if (spoil.how === 'more') given[`field${spoil.at}`] = spoil.value
  const { id, token } = instances[at % instances.length]!
  const shown = credential === 'right' ? token : credential === 'wrong' ? 'f'.repeat(48) : 'undefined'
  let path =
    endpoint.access === 'instance' ? endpoint.path.replace('{instance_id}/token/{token}', `${id}/token/${shown}`) : endpoint.path
  path = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = given[name]
    delete given[name]
    return segment(value === '' || value === undefined ? 'x' : value)
  })
  const takesBody = hasBody(endpoint.method)
  const type = endpoint.takesFile ? BYTES : 'application/json'
  const query = Object.entries(given).map(([name, value]) => `${segment(name)}=${segment(value)}`)
  const body = spoil.how === 'text' ? String(spoil.value) : JSON.stringify(spoil.how === 'body' ? spoil.value : given)
  return {
    url: `http://gw.test${path}${takesJson(endpoint) || query.length === 0 ? '' : `?${query.join('&')}`}`,
    init: {
      method: endpoint.method,
      headers: { ...(takesBody ? { 'Content-Type': type } : {}), ...more, ...credentialsOf(endpoint, credential) },
      ...(takesBody ? { body } : {}),
    },
  }
}

const ErrorBody = z.strictObject({
  error: z.strictObject({
    code: z.enum(Object.keys(FAILURES) as [keyof typeof FAILURES]),
    message: z.string().min(1).max(500),
    details: z.looseObject({
      issues: z
        .array(z.strictObject({ path: z.string(), message: z.string() }))
        .max(50)
        .optional(),
    }),
  }),
})

const DialectErrorBody = z.strictObject({
  error: z.enum(Object.keys(FAILURES) as [keyof typeof FAILURES]),
  message: z.string().min(1),
  details: z.looseObject({}),
})

test(`${REQUESTS} requests, made of the description and spoilt: no 500, and every answer is as described`, async (t) => {
  const { security, subscription, dialect } = service.account.workspace(service.workspace)
  const perEndpoint = Math.ceil(REQUESTS / endpoints.length)
  const statuses = new Map<number, number>()
  const began = performance.now()
  let made = 0

  async function ask(endpoint: Endpoint, wish: Wish, what: string) {
    made++
    // The clock advances, so that no rate limit hides the other checks.
    service.time.now += 60_000
    service.peer.address = `198.51.100.${made % 250}`
    const { url, init } = requestOf(endpoint, wish, made)
    const response = await service.app.request(url, init)
    const { status } = response
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const isPacked = response.headers.has('Content-Encoding')
    const isJson = !isPacked && (response.headers.get('Content-Type')?.startsWith('application/json') ?? false)
    const isStream = response.headers.get('Content-Type') === EVENT_STREAM
    const content = isJson ? await response.json() : isStream ? await endsAfterFirst(response) : await response.text()
    const about = `${what}: ${init.method} ${url} ${JSON.stringify(init)} → ${status} ${JSON.stringify(content).slice(0, 500)}`
    assert.ok(status !== 500, about)
    const asked = (init.headers as Record<string, string>)['X-Dialect']
    const isDialect = endpoint.access === 'instance' && (asked === 'zapi' || (status < 300 && (await endedDialect(endpoint))))
    if (status >= 300) {
      const code = isDialect ? DialectErrorBody.parse(content).error : ErrorBody.parse(content).error.code
      const isOfDialect = endpoint.access === 'instance' && 'X-Dialect' in init.headers && code === 'invalid_request'
      assert.ok(endpoint.errors.includes(code) || code === 'not_found' || isOfDialect, `${about}: not among its errors`)
    } else if (isDialect) {
      // Other tests check the fields of the answer in the format of Z-API. Here it only has to be JSON with status 200.
      if (endpoint.contentType === 'application/json') assert.ok(isJson && status === 200, about)
    } else {
      assert.equal(status, endpoint.status, about)
      const type = response.headers.get('Content-Type')
      if (endpoint.contentType !== ANY) assert.equal(type, type && endpoint.contentType, about)
      if (isJson && endpoint.id !== 'system.openapi') assert.deepEqual(endpoint.reply.parse(content), content, about)
    }
    await restore(endpoint, content as { value?: string }, { security, subscription, dialect })
  }

  for (let round = 0; made < REQUESTS && performance.now() - began < TIME_LIMIT; round++) {
    for (const endpoint of endpoints) {
      engineAnswers(endpoint)
      const wishes = fc.sample(wishOf(endpoint), { seed: SEED + round, numRuns: Math.min(20, perEndpoint) })
      for (const [index, wish] of wishes.entries()) await ask(endpoint, wish, `${endpoint.id}, round ${round}, wish ${index}`)
      if (made >= REQUESTS || performance.now() - began > TIME_LIMIT) break
    }
  }
  t.diagnostic(
    `${made} requests in ${Math.round((performance.now() - began) / 1_000)} s: ${JSON.stringify([...statuses].sort())}`,
  )
  assert.ok(made >= REQUESTS || performance.now() - began >= TIME_LIMIT)
  assert.ok((statuses.get(200) ?? 0) > made / 20 && (statuses.get(400) ?? 0) > made / 20, 'they are neither all good nor all bad')
})
