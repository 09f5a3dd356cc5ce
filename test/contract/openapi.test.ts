import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { FAILURES, type FailureCode } from '../../src/domain/failures.ts'
import { TAGS } from '../../src/features/areas.ts'
import { EVENT_STREAM, INSTANCE_BASE } from '../../src/features/endpoint.ts'
import { endpoints } from '../../src/features/index.ts'
import { MESSAGE_TYPES } from '../../src/features/received/blocks.ts'
import { webhookPayloads } from '../../src/features/webhook-payloads.ts'
import { openService, type Service } from './http/service.ts'

type Schema = Record<string, unknown>

interface Operation {
  operationId: string
  description: string
  tags: string[]
  'x-codeSamples'?: { lang: string; source: string }[]
  summary: string
  parameters?: { name: string; in: string; required: boolean; schema: object; description?: string }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<
    string,
    { description: string; content?: Record<string, { examples?: Record<string, { value: { error: { code: FailureCode } } }> }> }
  >
  security: object[]
}
interface Document {
  openapi: string
  info: { version: string; description: string }
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<
    string,
    {
      post: Operation & {
        requestBody: { content: Record<string, { schema: Record<string, unknown>; examples: Record<string, { value: object }> }> }
      }
    }
  >
  tags: { name: string; description: string }[]
  components: Record<string, Record<string, object>>
}

let service: Service
let document: Document
let etag: string
before(async () => {
  service = await openService()
  const answer = await service.ask('GET', '/openapi.json')
  document = answer.body
  etag = answer.headers.get('ETag')!
})
after(() => service.close())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )

test('it is OpenAPI 3.1.0, version 1.0, cached for 300 s under an ETag', async () => {
  assert.equal(document.openapi, '3.1.0')
  assert.equal(document.info.version, '1.0')
  const again = await service.ask('GET', '/openapi.json', undefined, { 'If-None-Match': `"other", W/${etag}` })
  assert.equal(again.status, 304)
  assert.equal(again.headers.get('Cache-Control'), 'max-age=300')
})

test('switched off, neither the description nor its page is there', async () => {
  const silent = await openService({ hasDocs: false })
  try {
    for (const path of ['/openapi.json', '/docs'])
      assert.deepEqual(
        [(await silent.ask('GET', path)).status, (await silent.ask('GET', path)).body.error.code],
        [404, 'not_found'],
      )
    assert.equal((await silent.ask('GET', '/health/live')).status, 200)
  } finally {
    await silent.close()
  }
})

test('it is compressed for whoever takes gzip, under a tag of its own', async () => {
  const get = (headers: Record<string, string>) => service.app.request('http://gw.test/openapi.json', { headers })
  const plain = await (await get({})).arrayBuffer()
  for (const accepted of ['gzip', 'br, gzip;q=0.5', '*', 'GZIP ; q=1']) {
    const packed = await get({ 'Accept-Encoding': accepted })
    assert.equal(packed.headers.get('Content-Encoding'), 'gzip', accepted)
    assert.equal(packed.headers.get('Vary'), 'Accept-Encoding')
    const bytes = Buffer.from(await packed.arrayBuffer())
    assert.ok(bytes.length < plain.byteLength / 5, `${bytes.length} of ${plain.byteLength} bytes`)
    assert.deepEqual(gunzipSync(bytes), Buffer.from(plain))
    const tag = packed.headers.get('ETag')!
    assert.notEqual(tag, etag)
    assert.equal((await get({ 'Accept-Encoding': accepted, 'If-None-Match': tag })).status, 304)
  }
  for (const accepted of ['', 'br', 'gzip;q=0', 'gzip; q=0.0, br', 'notgzip'])
    assert.equal((await get({ 'Accept-Encoding': accepted })).headers.get('Content-Encoding'), null, accepted)
})

test('nobody gets it over and over', async () => {
  service.peer.address = '198.51.100.77'
  const status = async () => (await service.ask('GET', '/openapi.json')).status
  for (let at = 0; at < 20; at++) assert.equal(await status(), 200)
  const refused = await service.ask('GET', '/openapi.json')
  assert.deepEqual([refused.status, refused.body.error.code, refused.headers.get('Retry-After')], [429, 'rate_limited', '1'])
  service.time.now += 1_000
  assert.equal(await status(), 200)
  service.peer.address = '198.51.100.78'
  assert.equal(await status(), 200)
})

test('every declaration is there once, under its method and path', () => {
  const described = operations().map(({ method, path, operation }) => `${operation.operationId} ${method} ${path}`)
  assert.deepEqual(described.sort(), endpoints.map(({ id, method, path }) => `${id} ${method} ${path}`).sort())
})

test('every reference leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference!)
  assert.ok(references.length > 50)
  for (const reference of new Set(references)) {
    const [, components, kind, name] = reference.split('/')
    assert.equal(components, 'components')
    assert.ok(document.components[kind!]?.[name!], reference)
  }
})

test('every parameter of a path is described, and required', () => {
  for (const { path, operation } of operations()) {
    const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
    assert.deepEqual(inPath.map(({ name }) => name).sort(), [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort(), path)
    assert.ok(inPath.every(({ required }) => required))
  }
})

/** Returns the fields of the JSON body of an operation. The body may be a reference to a shared schema. */
function propertiesOf({ requestBody }: Operation): object {
  const schema = requestBody?.content['application/json']?.schema
  const named = schema?.$ref === undefined ? schema : document.components.schemas![String(schema.$ref).split('/').at(-1)!]
  return (named as { properties?: object } | undefined)?.properties ?? {}
}

test('no operation has two parameters of one name, wherever they stand: generators make arguments of them', () => {
  for (const { operation } of operations()) {
    const { operationId, parameters = [] } = operation
    const names = parameters.map(({ name }) => name)
    assert.deepEqual(names, [...new Set(names)], operationId)
  }
})

test('every field of an input is a parameter or a field of the body', () => {
  for (const { operation } of operations()) {
    const endpoint = endpoints.find(({ id }) => id === operation.operationId)!
    const body = propertiesOf(operation)
    const described = [...(operation.parameters ?? []).map(({ name }) => name), ...Object.keys(body)]
    const headers = Object.fromEntries(Object.entries(endpoint.inHeaders).map(([name, field]) => [field, name]))
    for (const field of Object.keys(endpoint.fields))
      assert.ok(described.includes(headers[field] ?? field), `${endpoint.id} ${field}`)
    if (operation.requestBody) assert.equal(operation.requestBody.required, true)
  }
})

/**
 * Returns the rules of a schema, one per line. Different spellings of the same rule give equal lines: branches and
 * references are resolved, and `const` becomes an enumeration with one value.
 */
function rulesOf(schema: Schema, named: Record<string, Schema>, at = ''): string[] {
  const inner = (value: unknown, where = at) => rulesOf(value as Schema, named, where)
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (Math.abs(value as number) === Number.MAX_SAFE_INTEGER) return []
    switch (keyword) {
      case '$ref':
        return inner(named[(value as string).split('/').at(-1)!])
      case 'properties':
        return Object.entries(value as Schema).flatMap(([name, property]) => inner(property, `${at}.${name}`))
      case 'items':
        return inner(value, `${at}[]`)
      case 'anyOf':
      case 'oneOf':
        return (value as Schema[]).flatMap((branch) => inner(branch))
      case 'additionalProperties':
        return typeof value === 'object' ? inner(value, `${at}.*`) : [`${at} ${keyword} ${value}`]
      case 'propertyNames':
        return inner(value, `${at}.*name`)
      case 'type':
      case 'enum':
      case 'const':
      case 'required':
        return [value].flat().map((one) => `${at} ${keyword === 'const' ? 'enum' : keyword} ${one}`)
      case '$defs':
      case '$schema':
      case 'id':
        return []
      default:
        return [`${at} ${keyword} ${JSON.stringify(value)}`]
    }
  })
}

test('no rule of a schema is lost or made up: the description and zod read every declaration alike', () => {
  const shared = document.components.schemas as Record<string, Schema>
  const alike = (described: Schema, declared: z.ZodType, what: string) => {
    const json = z.toJSONSchema(declared, { io: 'input' }) as Schema
    const expected = new Set(rulesOf(json, json.$defs as Record<string, Schema>))
    const found = new Set(rulesOf(described, shared))
    assert.deepEqual(
      [...expected].filter((rule) => !found.has(rule)),
      [],
      `${what}: lost`,
    )
    // zod omits the examples, the default and the description of a field with a transformation from the schema that it
    // generates. So they are not compared.
    const made = [...found].filter((rule) => !expected.has(rule) && !/ (examples|default|description) /.test(rule))
    assert.deepEqual(made, [], `${what}: made up`)
  }
  for (const { path, operation } of operations()) {
    const { id, fields, reply, status, contentType } = endpoints.find((endpoint) => endpoint.id === operation.operationId)!
    const body = operation.requestBody?.content['application/json']?.schema
    const properties = propertiesOf(operation)
    const inBody = Object.entries(fields).filter(([name]) => name in properties)
    if (body) alike(body, z.object(Object.fromEntries(inBody)), `body of ${id}`)
    // In this path, the parameters `instance_id` and `token` are credentials and no fields of the operation.
    const credentials = path.startsWith(INSTANCE_BASE) ? INSTANCE_BASE : ''
    const isField = (name: string, place: string) => place === 'query' || (place === 'path' && !credentials.includes(`{${name}}`))
    for (const { name, in: place, schema } of operation.parameters ?? [])
      if (isField(name, place) && name in fields && !(name in properties))
        alike(schema as Schema, fields[name] as z.ZodType, `${name} of ${id}`)
    const answer = operation.responses[status]?.content?.['application/json'] as unknown as { schema: Schema } | undefined
    if (contentType === 'application/json') alike(answer!.schema, reply, `reply of ${id}`)
  }
  for (const [type, { post }] of Object.entries(document.webhooks)) {
    const { schema } = post.requestBody.content['application/json']!
    alike(schema, webhookPayloads[type as keyof typeof webhookPayloads], type)
  }
})

test('every declared failure is described under its status, with its sentence', () => {
  for (const { operation } of operations()) {
    const endpoint = endpoints.find(({ id }) => id === operation.operationId)!
    for (const code of endpoint.errors) {
      const response = operation.responses[FAILURES[code].status]
      assert.ok(response?.description.includes(`\`${code}\`: ${FAILURES[code].sentence}`), `${endpoint.id} ${code}`)
      assert.equal(response!.content?.['application/json']?.examples?.[code]?.value.error.code, code)
    }
    if (endpoint.kind !== 'local') assert.match(operation.responses[404]?.description ?? '', /`instance_not_found`/)
  }
})

test('the error body lists exactly the codes of the table', () => {
  const { error } = (
    document.components.schemas!.Error as { properties: { error: { properties: { code: { enum: string[] } } } } }
  ).properties
  assert.deepEqual(error.properties.code.enum, Object.keys(FAILURES))
})

test('credentials: none for the system but the token of the metrics, the admin key for administration, a scope for the account', () => {
  for (const { path, operation } of operations()) {
    const names = operation.security.flatMap((way) => Object.keys(way))
    if (path.startsWith('/admin/')) assert.deepEqual(names, ['adminKey'])
    else if (path.startsWith('/account/')) assert.deepEqual(names, ['apiKey'])
    else if (path.startsWith('/instances/')) assert.deepEqual(names, ['apiKey', 'clientToken'])
    else assert.deepEqual(names, path === '/metrics' ? ['metricsToken'] : [])
  }
})

test('the five events are described with the rules of their delivery', () => {
  assert.deepEqual(Object.keys(document.webhooks), ['received', 'delivery', 'message_status', 'instance_status', 'chat_presence'])
  for (const word of ['X-Svc-Signature: t=<seconds>,v1=<hex>', 'HMAC-SHA256', '10 s, 1 min, 10 min, 1 h and 6 h', 'event_id'])
    assert.ok(document.info.description.includes(word), word)
})

test('it carries no whole-number bound that only says what a double can hold', () => {
  assert.ok(!JSON.stringify(document).includes('9007199254740991'))
})

/** Returns the fields of a schema that have no description, including those in branches, lists and references. */
function undescribed(schema: Schema, named: Record<string, Schema>, at = ''): string[] {
  const inner = (value: unknown, where = at) => undescribed(value as Schema, named, where)
  const refOf = (part: Schema) => named[String(part.$ref).split('/').at(-1)!]
  if (schema.$ref !== undefined) return inner(refOf(schema))
  const branches = [...((schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []) as Schema[])].flatMap((branch) => inner(branch))
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>).flatMap(([name, property]) => {
    const where = at === '' ? name : `${at}.${name}`
    const isSaid = property.description !== undefined || refOf(property)?.description !== undefined
    return [...(isSaid ? [] : [where]), ...inner(property, where)]
  })
  const rest = ['items', 'additionalProperties'].flatMap((key) =>
    typeof schema[key] === 'object' ? inner(schema[key], `${at}[]`) : [],
  )
  return [...branches, ...fields, ...rest]
}

test('every field of a request says what it is', () => {
  const missing = endpoints.flatMap(({ id, fields }) => {
    const json = z.toJSONSchema(z.object(fields), { io: 'input', unrepresentable: 'any' }) as Schema
    const names = new Set(undescribed(json, (json.$defs ?? {}) as Record<string, Schema>))
    return [...names].map(
      (name) => `${id}: the field \`${name}\` has no description; add .meta({ description: '…' }) to its schema`,
    )
  })
  assert.deepEqual(missing, [])
})

test('every field of an event says what it is', () => {
  const missing = Object.entries(webhookPayloads).flatMap(([type, payload]) => {
    const json = z.toJSONSchema(payload, { io: 'input', unrepresentable: 'any' }) as Schema
    const names = new Set(undescribed(json, (json.$defs ?? {}) as Record<string, Schema>))
    return [...names].map((name) => `${type}: the field \`${name}\` has no description`)
  })
  assert.deepEqual(missing, [])
})

test('every operation is under one tag, every tag says what it is about, and no tag is empty', () => {
  const described = new Map(document.tags.map(({ name, description }) => [name, description]))
  const used = new Set<string>()
  const all = [...operations().map(({ operation }) => operation), ...Object.values(document.webhooks).map(({ post }) => post)]
  for (const { operationId, tags, description } of all) {
    assert.equal(tags.length, 1, operationId)
    const [tag = ''] = tags
    assert.ok(described.has(tag), `${operationId}: the area \`${tag}\` has no entry in src/features/areas.ts`)
    used.add(tag)
    assert.ok(description.length > 20, operationId)
  }
  assert.deepEqual(
    [...described.keys()].filter((name) => !used.has(name)),
    [],
  )
  for (const [name, description] of described) assert.ok(description?.length > 20, name)
  for (const { tag, names } of TAGS.flatMap((each) => ('names' in each ? [each as { tag: string; names: string[] }] : [])))
    for (const name of names)
      assert.ok(
        endpoints.some(({ id }) => id === `send.${name}`),
        `${tag} names ${name}`,
      )
})

test('every event has its headers, and an example of each kind that its schema accepts', () => {
  for (const [type, { post }] of Object.entries(document.webhooks)) {
    const ours = ['User-Agent', 'X-Svc-Event', 'X-Svc-Event-Id', 'X-Svc-Instance-Id', 'X-Svc-Attempt', 'X-Svc-Signature']
    const names = [...ours, 'webhook-id', 'webhook-timestamp', 'webhook-signature']
    const parameters = post.parameters ?? []
    assert.deepEqual(parameters.map(({ name }) => name).sort(), [...names].sort())
    assert.ok(parameters.every((parameter) => parameter.in === 'header' && (parameter.description ?? '').length > 10))
    const { examples } = post.requestBody.content['application/json']!
    assert.ok(Object.keys(examples).length > 0, type)
    const payload = webhookPayloads[type as keyof typeof webhookPayloads]
    for (const [name, { value }] of Object.entries(examples)) assert.deepEqual(payload.parse(value), value, `${type} ${name}`)
  }
  const shown = Object.keys(document.webhooks.received!.post.requestBody.content['application/json']!.examples)
  assert.deepEqual(shown.sort(), [...MESSAGE_TYPES].sort())
})

test('settings and webhooks are shared by name, in requests as in answers', () => {
  const text = JSON.stringify(document.paths)
  const uses = (name: string) => text.split(`"#/components/schemas/${name}"`).length - 1
  assert.ok(uses('SettingsChange') >= 3 && uses('WebhooksChange') >= 3, `${uses('SettingsChange')}, ${uses('WebhooksChange')}`)
  const inlined = (field: string) => text.split(`"${field}":{"type"`).length - 1
  assert.deepEqual([inlined('queue_max_age_hours'), inlined('ignore_disconnected_callback')], [0, 0])
})

test('every send takes Prefer and Idempotency-Key, and says what its answer may carry', () => {
  for (const { operation } of operations()) {
    const { kind, contentType, inHeaders } = endpoints.find(({ id }) => id === operation.operationId)!
    const isSend = kind === 'send'
    const headers = (operation.parameters ?? []).filter((parameter) => parameter.in === 'header').map(({ name }) => name)
    assert.deepEqual(
      headers,
      isSend ? ['Idempotency-Key', 'Prefer'] : contentType === EVENT_STREAM ? ['Last-Event-ID'] : Object.keys(inHeaders),
      operation.operationId,
    )
    const answer = operation.responses['200'] as unknown as { headers?: object } | undefined
    if (isSend) assert.ok(answer?.headers && 'Preference-Applied' in answer.headers && 'X-Svc-Ignored-Fields' in answer.headers)
  }
})

test('no shape that requests share has a default: generators would make the field required', () => {
  const shared = document.components.schemas as Record<string, Schema>
  const asked = [
    ...new Set([...JSON.stringify(operations().map(({ operation }) => operation.requestBody)).matchAll(/schemas\/(\w+)"/g)]),
  ]
  const names = asked.map(([, name]) => name!)
  assert.ok(names.includes('CalendarEvent'))
  for (const name of names) assert.ok(!JSON.stringify(shared[name]).includes('"default":'), name)
})

test('every status is a number: generators make `status: 4XX` of a range, which is no code', () => {
  for (const { operation } of operations())
    for (const status of Object.keys(operation.responses)) assert.match(status, /^[1-5]\d\d$/, operation.operationId)
})

test('what is not only read may find no memory for its body, and no room on the disk', () => {
  for (const { method, path, operation } of operations())
    if (method !== 'GET') assert.match(operation.responses[503]?.description ?? '', /`engine_unavailable`/, `${method} ${path}`)
})

test('everything that a failure tells in its details is a field of the error body', async () => {
  const { error } = (
    document.components.schemas as Record<string, { properties: Record<string, { properties: Record<string, Schema> }> }>
  ).Error!.properties
  const { properties } = error!.properties.details as unknown as { properties: object }
  const named = new Set([...JSON.stringify(document).matchAll(/`details\.(\w+)`/g)].map(([, name]) => name!))
  assert.ok(named.has('applied') && named.has('ownership_transferred'))
  // These names are details of errors, too, but the texts of the description do not mention them.
  for (const name of [...named, 'network_code', 'required_scope', 'instance_slots', 'instances_used', 'checks'])
    assert.ok(name in properties, name)
})

test('a received file may be of any type, and the description may not have changed', () => {
  const { responses } = document.paths['/media/{link}']!.get!
  assert.deepEqual(Object.keys(responses[200]!.content!), ['*/*'])
  assert.ok('302' in responses)
  assert.ok('304' in document.paths['/openapi.json']!.get!.responses)
})

test('a generator can make code of it: no enumeration has null among its words, and no operation two parameters of a name', () => {
  const nullable: string[] = []
  JSON.stringify(document, (name, value) => {
    if (Array.isArray(value?.enum) && value.enum.includes(null)) nullable.push(name)
    return value
  })
  assert.deepEqual(nullable, [])
  for (const { operation } of operations()) {
    const names = (operation.parameters ?? []).map(({ name }) => name)
    assert.equal(new Set(names).size, names.length, `${operation.operationId}: ${names}`)
  }
})

test('every operation of an instance that answers JSON says that dialects change it, and no other does', () => {
  const named = operations().flatMap(({ operation }) => ('x-dialects' in operation ? [operation.operationId] : []))
  const reached = endpoints.filter(({ access, contentType }) => access === 'instance' && contentType === 'application/json')
  assert.deepEqual([...named].sort(), reached.map(({ id }) => id).sort())
})
