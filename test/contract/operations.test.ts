import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { z } from 'zod'
import { FAILURES, Failure, type FailureCode } from '../../src/domain/failures.ts'
import type { InstanceId } from '../../src/domain/ids.ts'
import type { ServiceNode } from '../../src/domain/nodes.ts'
import type { Scope } from '../../src/domain/workspace.ts'
import { ANY, BYTES, type Endpoint, EVENT_STREAM, takesJson } from '../../src/features/endpoint.ts'
import { endpoints } from '../../src/features/index.ts'
import { endsAfterFirst, METRICS_TOKEN, NODE, openService, type Service } from './http/service.ts'

/** Time in ms after which all request limits are reset. The limits count requests per minute. */
const BEYOND_LIMITS_MS = 61_000

type Fields = Record<string, unknown>
type Schema = {
  type?: string | string[]
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
}

const node = {
  id: NODE,
  writer: undefined,
  name: 'node-a',
  release: '1.0.0',
  address: undefined,
  healthAddress: undefined,
  since: 0,
  seenAt: 0,
  silentMs: 0,
  takeover: undefined,
}
const nodes = async (): Promise<ServiceNode[]> => [
  { ...node, state: 'active' },
  {
    ...node,
    id: randomUUID(),
    address: { host: 'fd00::2', port: 8_090 },
    healthAddress: { host: 'fd00::2', port: 8_080 },
    state: 'standby',
  },
]
const service = await openService({
  instanceSlots: 10_000,
  hasOwnAdminKey: true,
  nodes: { nodes, waitsForTurn: async () => true },
})
// The service can require API keys only if there is a key with the scope `instances:operate`.
await service.newKey(['instances:operate'], 'operates')
const { security, subscription, dialect } = service.account.workspace(service.workspace)
const unchanged = { security, subscription, dialect }
after(() => service.close())

async function real(endpoint: Endpoint, input: Fields, instance: string): Promise<Fields> {
  const example = endpoint.examples[0]?.input ?? {}
  const fields: Fields = { ...input }
  if (fields.instance_id === example.instance_id && 'instance_id' in fields) fields.instance_id = instance
  if (fields.key_id === example.key_id && 'key_id' in fields) fields.key_id = (await service.newKey(['instances:read'])).id
  if (endpoint.id === 'admin.revokeOauthApp' && fields.app_id === example.app_id)
    fields.app_id = (await service.newApp(instance)).id
  if (endpoint.id === 'admin.resumeInstance') service.double.tell(instance, { status: 'stopped', reason: 'moved', paired: true })
  if ('link_id' in fields && fields.link_id === example.link_id) fields.link_id = await newLink(instance)
  // Only an instance that is linked can be exported.
  if (endpoint.id === 'admin.exportInstance') service.double.tell(instance, { status: 'connected', paired: true })
  if (fields.event_id === example.event_id && endpoint.id === 'admin.resendWebhook')
    await service.newLogRow(instance, fields.event_id as string)
  return fields
}

async function newLink(instance: string): Promise<string> {
  const wish = { lifeMs: 600_000, allowedOrigins: [], locale: 'en', operator: { name: null, color: null } } as const
  return (await service.connectLinks.create(service.workspace, instance as InstanceId, wish)).link.id
}

/**
 * Sends a request to an admin route. Then it resets the workspace, and revokes a key that was made, so that the next
 * call is not affected.
 */
async function administer(
  { id, method }: Endpoint,
  path: string,
  body: Fields | string | undefined,
  headers: Record<string, string>,
) {
  const answer = await service.admin(method, path, body, headers)
  if (answer.status >= 300) return answer
  if (id === 'admin.rotateAdminKey') service.credentials.adminKey = answer.body.value
  if (method !== 'GET') await service.changeWorkspace(() => unchanged)
  if (id.endsWith('ApiKey') || id.endsWith('ClientToken'))
    if (answer.body.id !== undefined) await service.account.revokeApiKey(service.workspace, answer.body.id)
  return answer
}

/** Instance that no call has changed yet, so the next call can use it. Reads and refused calls change nothing. */
let untouched: Awaited<ReturnType<Service['newInstance']>> | undefined
const keys = new Map<string, string>()

async function keyOf(scope: Scope): Promise<string> {
  const value = keys.get(scope) ?? (await service.newKey([scope])).value
  keys.set(scope, value)
  return value
}

/**
 * Calls an operation of an instance that no other call has changed. The clock advances before the call, so that no rate
 * limit is reached.
 */
async function send(endpoint: Endpoint, input: Fields) {
  service.time.now += BEYOND_LIMITS_MS
  const instance = untouched ?? (await service.newInstance())
  untouched = undefined
  const answer = await sendFor(instance, endpoint, input)
  if (endpoint.method === 'GET' || answer.status >= 400) untouched = instance
  return answer
}

async function sendFor(instance: NonNullable<typeof untouched>, endpoint: Endpoint, input: Fields) {
  const fields = await real(endpoint, input, instance.id)
  let path = endpoint.path.replace('{instance_id}/token/{token}', `${instance.id}/token/${instance.token}`)
  path = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields[name]
    delete fields[name]
    return encodeURIComponent(String(value))
  })
  const inHeaders: Record<string, string> = endpoint.takesFile ? { 'Content-Type': BYTES } : {}
  for (const [name, field] of Object.entries(endpoint.inHeaders)) {
    if (field in fields) inHeaders[name] = encodeURIComponent(String(fields[field]))
    delete fields[field]
  }
  if (!takesJson(endpoint))
    path += `?${new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]))}`
  const body = takesJson(endpoint) ? fields : endpoint.takesFile ? 'a file' : undefined
  const { method, access } = endpoint
  if (access === 'admin') return administer(endpoint, path, body, inHeaders)
  if (access === 'metrics') return service.ask(method, path, body, { Authorization: `Bearer ${METRICS_TOKEN}` })
  const headers =
    access === 'instance' || access === 'public' || access === 'described'
      ? undefined
      : { Authorization: `Bearer ${await keyOf(access)}` }
  return service.ask(method, path, body, headers)
}

/**
 * Makes the double of the engine answer with the example in the operation's declaration, or with a fixed answer for a
 * send or an image.
 */
function engineAnswers(endpoint: Endpoint) {
  service.double.answer = () => {
    if (endpoint.kind === 'send') return { message_id: '3EB0EE97803A91FF2C0ED1', svc_id: '01JD3V8Q6ZP4M5T7X9K2B0C1DE' }
    if (endpoint.contentType === 'image/png') return new Uint8Array([0x89, 0x50])
    return endpoint.examples[0]?.reply
  }
}

const exampleInputs = (endpoint: Endpoint): Fields[] => {
  const inputs = endpoint.examples.flatMap(({ input }) => (input ? [input] : []))
  return inputs.length > 0 ? inputs : [{}]
}

for (const endpoint of endpoints) {
  test(`${endpoint.id} answers its examples with its own status and shape`, async () => {
    engineAnswers(endpoint)
    for (const input of exampleInputs(endpoint)) {
      const { status, body, headers, response } = await send(endpoint, input)
      assert.equal(status, endpoint.status, JSON.stringify(body))
      assert.match(headers.get('X-Request-Id') ?? '', /^[0-9A-HJKMNP-TV-Z]{26}$/)
      assert.equal(
        headers.get('Cache-Control'),
        endpoint.cacheControl ?? (endpoint.id === 'system.openapi' ? 'max-age=300' : 'no-store'),
      )
      assert.equal(headers.get('Referrer-Policy'), 'no-referrer')
      if (endpoint.contentType !== 'application/json') {
        if (endpoint.contentType === ANY) assert.match(headers.get('Content-Type') ?? '', /^[\w-]+\/[\w.+-]+/)
        else assert.equal(headers.get('Content-Type'), endpoint.contentType)
        if (endpoint.contentType === EVENT_STREAM) {
          await endsAfterFirst(response)
          continue
        }
        assert.ok((await response.arrayBuffer()).byteLength > 0)
        continue
      }
      assert.deepEqual(endpoint.reply.parse(body), body, 'the answer has fields its schema does not name')
    }
  })

  test(`${endpoint.id} shows examples that its own schemas accept`, () => {
    for (const { name, input, reply } of endpoint.examples) {
      if (input) assert.ok(endpoint.input.safeParse(input).success, `input of ${name}`)
      if (reply) endpoint.reply.parse(reply)
    }
    if (Object.keys(endpoint.fields).length > 0)
      assert.ok(
        endpoint.examples.some(({ input }) => input),
        'no example of its input',
      )
  })

  test(`${endpoint.id} passes each failure it declares with its status and code`, async () => {
    if (endpoint.kind === 'local') return
    for (const code of endpoint.errors) {
      if (code === 'instance_not_found' || (endpoint.fallback && code === 'engine_unavailable')) continue
      service.double.answer = () => {
        throw new Failure(code)
      }
      const { status, body, headers } = await send(endpoint, exampleInputs(endpoint)[0]!)
      assert.equal(status, FAILURES[code].status)
      if (code === 'engine_unavailable') assert.equal(headers.get('Retry-After'), '1')
      assert.equal(body.error.code, code)
      assert.deepEqual(Object.keys(body.error).sort(), ['code', 'details', 'message'])
      service.peer.address = `198.51.100.${Math.floor(Math.random() * 250)}`
    }
  })
}

const isNullable = (schema: Schema): boolean =>
  schema.type === 'null' || [schema.type].flat().includes('null') || (schema.anyOf ?? []).some(isNullable)
const formOf = (schema: Schema): Schema => {
  const inner = schema.anyOf
    ?.flatMap((form) => (form.anyOf ? form.anyOf : [form]))
    .find((form) => form.type !== 'null' && form.const === undefined)
  return inner ?? schema
}

interface Trial {
  value: unknown
  why: string
}

function outside(schema: Schema, inBody: boolean): Trial[] {
  const form = formOf(schema)
  const type = [form.type].flat().find((name) => name !== 'null')
  const trials: Trial[] = []
  const add = (value: unknown, why: string) => trials.push({ value, why })
  if (inBody && !isNullable(schema)) add(null, 'null')
  if (inBody) add(type === 'object' ? 'text' : { an: 'object' }, 'another type')
  if (form.maxLength !== undefined) add('x'.repeat(form.maxLength + 1), 'one character too many')
  if (form.minLength === 1 && !(schema.anyOf ?? []).some((one) => one.const === '') && inBody) add('', 'empty')
  if (form.maximum !== undefined) add(form.maximum + 1, 'above the maximum')
  if (form.minimum !== undefined) add(form.minimum - 1, 'below the minimum')
  if (form.type === 'integer') add(inBody ? 1.5 : '1.5', 'a fraction')
  if (form.enum) add('neither', 'not listed')
  if (form.pattern) add('!', 'against the pattern')
  if (form.maxItems !== undefined)
    add(
      Array.from({ length: form.maxItems + 1 }, () => form.items?.enum?.[0] ?? '5511988887777'),
      'too many entries',
    )
  if (form.minItems) add([], 'too few entries')
  return trials
}

/**
 * Returns valid values at the limits of a schema: null, the shortest and the longest plain text, the bounds of a
 * number, and enumeration values in upper case.
 */
function inside(schema: Schema, inBody: boolean): Trial[] {
  const form = formOf(schema)
  const trials: Trial[] = []
  if (inBody && isNullable(schema)) trials.push({ value: null, why: 'null' })
  if (
    form.type === 'string' &&
    !form.format &&
    !form.pattern &&
    !form.enum &&
    form.maxLength !== undefined &&
    form.maxLength !== 64
  ) {
    trials.push({ value: 'x'.repeat(form.maxLength), why: 'the longest text' })
    trials.push({ value: 'x'.repeat(form.minLength ?? 0), why: 'the shortest text' })
  }
  for (const bound of [form.minimum, form.maximum])
    if (bound !== undefined) trials.push({ value: bound, why: `the bound ${bound}` })
  for (const value of form.enum ?? [])
    trials.push({ value: typeof value === 'string' ? value.toUpperCase() : value, why: 'an enumeration in upper case' })
  return trials
}

const PIX_KEYS: Fields = {
  cpf: '12345678909',
  cnpj: '12345678000195',
  phone: '+5511999990000',
  email: 'pay@example.com',
  evp: '6f0a3c1e-8a55-4c8e-9f7b-0d5d3f6c2b11',
}

/**
 * Returns the other fields that the value needs, such as the other end of a range, or a Pix key of the tested type.
 * Without them, the request would be refused for another reason.
 */
function goesWith({ id }: Endpoint, name: string, value: unknown): Fields {
  if (name === 'delay_message_max_ms') return { delay_message_min_ms: 0 }
  if (name === 'delay_message_min_ms') return { delay_message_max_ms: 60_000 }
  if (id === 'admin.updateSubscription' && name === 'status') return { trial_ends_at: '2026-02-28T00:00:00.000Z' }
  if (id === 'admin.importInstance') return importWith(name, value)
  if (id === 'send.sendButtonPix' && name === 'type') return { pix_key: PIX_KEYS[String(value).toLowerCase()] }
  return {}
}

function importWith(name: string, value: unknown): Fields {
  if (name === 'device') return { from: 'zapo', stopped: 'true' }
  return name === 'used_since' || (name === 'from' && String(value).toLowerCase() !== 'svc')
    ? { from: 'baileys', stopped: 'true' }
    : {}
}

interface InputSchema {
  properties: Record<string, Schema & { $ref?: string }>
  $defs?: Record<string, Schema>
  required?: string[]
}

/** Returns the schema of an operation's fields, with references to shared fields resolved. */
function schemaOf(endpoint: Endpoint): { properties: Record<string, Schema>; required?: string[] | undefined } {
  const { properties, $defs = {}, required } = z.toJSONSchema(z.object(endpoint.fields), { io: 'input' }) as InputSchema
  const named = ({ $ref, ...schema }: Schema & { $ref?: string }) =>
    $ref === undefined ? schema : $defs[$ref.split('/').at(-1)!]!
  return { properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, named(schema)])), required }
}

for (const endpoint of endpoints.filter(({ fields }) => Object.keys(fields).length > 0)) {
  const { properties, required = [] } = schemaOf(endpoint)
  const inPath = (name: string) => endpoint.path.includes(`{${name}}`)
  const base = exampleInputs(endpoint)[0]!

  for (const [name, schema] of Object.entries(properties)) {
    const inBody = takesJson(endpoint) && !inPath(name)
    const [shown = name] = Object.entries(endpoint.inHeaders).find(([, field]) => field === name) ?? []

    test(`${endpoint.id} refuses ${name} outside its bounds, and names it`, async () => {
      engineAnswers(endpoint)
      const trials = outside(schema, inBody)
      if (required.includes(name) && inBody) trials.push({ value: undefined, why: 'absent' })
      for (const { value, why } of trials) {
        const { status, body } = await send(endpoint, { ...base, [name]: value })
        assert.equal(
          status,
          400,
          `${why}: ${JSON.stringify(value)?.slice(0, 80)} was answered ${JSON.stringify(body).slice(0, 300)}`,
        )
        assert.ok(['invalid_request', 'invalid_phone'].includes(body.error.code))
        const paths = body.error.details.issues.map(({ path }: { path: string }) => path)
        assert.ok(
          paths.some((path: string) => path === shown || path.startsWith(`${shown}.`)),
          `${why}: ${paths} does not name ${shown}`,
        )
      }
    })

    test(`${endpoint.id} takes ${name} at its bounds`, async () => {
      engineAnswers(endpoint)
      for (const { value, why } of inside(schema, inBody)) {
        const start = name === 'single_url' ? {} : { ...base, ...goesWith(endpoint, name, value) }
        const { status, body } = await send(endpoint, { ...start, [name]: value })
        assert.equal(status, endpoint.status, `${why}: ${JSON.stringify(body)}`)
      }
    })
  }
}

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

for (const endpoint of endpoints) {
  const names = Object.keys(endpoint.fields).filter((name) => camelCase(name) !== name && !(camelCase(name) in endpoint.fields))
  if (names.length > 0)
    test(`${endpoint.id} refuses each of its fields in camelCase, and names the right one`, async () => {
      engineAnswers(endpoint)
      const base = exampleInputs(endpoint)[0]!
      for (const name of names) {
        const { status, body } = await send(endpoint, { ...base, [camelCase(name)]: base[name] ?? 'x' })
        assert.deepEqual([status, body.error?.code], [400, 'invalid_request'], `${camelCase(name)}: ${JSON.stringify(body)}`)
        assert.deepEqual(body.error.details.issues, [{ path: camelCase(name), message: `must be spelled ${name}` }])
      }
    })
}

test('every account operation asks for a scope, every other one for none', () => {
  for (const { id, access, path } of endpoints) {
    const isAccount = path.startsWith('/account/')
    assert.equal(isAccount, !['instance', 'admin', 'metrics', 'described', 'public'].includes(access), id)
  }
})

test('every declared code is in the table of failures', () => {
  for (const { errors } of endpoints) for (const code of errors) assert.ok((code satisfies FailureCode) in FAILURES)
})
