/** The OpenAPI 3.1.0 description, made from the declarations. Built once per process. */
import { z } from 'zod'
import { BRAND } from '../domain/brand.ts'
import { EVENT_TYPES } from '../domain/events.ts'
import { FAILURES, type FailureCode } from '../domain/failures.ts'
import { SCOPES } from '../domain/workspace.ts'
import { type Access, type Endpoint, INSTANCE_BASE } from '../features/endpoint.ts'
import type { Description } from '../features/parts.ts'
import { webhookPayloads } from '../features/webhook-payloads.ts'
import { EVENTS_TEXT } from './events-text.ts'
import { IDEMPOTENCY_KEY } from './mount.ts'
import { createSchemas, type JsonSchema, type Schemas } from './schemas.ts'

type Json = Record<string, unknown>

const INFO = {
  title: `${BRAND} API`,
  version: '1.0',
  description: `REST and webhook gateway to WhatsApp accounts.

An instance is one linked device. Its operations are reached under its id and token. Queued sends are acknowledged at once; their
outcome is a \`delivery\` event. Every response carries \`X-Request-Id\`; counted routes carry \`X-RateLimit-Limit\` and
\`X-RateLimit-Remaining\` (120 at once, 60 per second and instance). Unknown fields of a request are ignored.

## Events

${EVENTS_TEXT}`,
}

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: `API key of the workspace (\`${BRAND}_key_…\`). Scopes: ${SCOPES.join(', ')}.`,
  },
  clientToken: {
    type: 'apiKey',
    in: 'header',
    name: 'Client-Token',
    description: 'An API key, or an imported client token. Needed on instance routes when the workspace requires it.',
  },
  adminKey: { type: 'http', scheme: 'bearer', description: `Admin key of the workspace (\`${BRAND}_admin_…\`).` },
}

/** On instance routes the path is the credential; the headers are needed only when the workspace asks for them. */
function securityOf(access: Access): Json[] {
  switch (access) {
    case 'public':
      return []
    case 'instance':
      return [{}, { apiKey: [] }, { clientToken: [] }]
    case 'admin':
      return [{ adminKey: [] }]
    default:
      return [{ apiKey: [access] }]
  }
}

const INSTANCE_PARAMETERS: readonly Json[] = [
  { name: 'instance_id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
  {
    name: 'token',
    in: 'path',
    required: true,
    description: 'Token of the instance.',
    schema: { type: 'string', pattern: '^[0-9a-f]{48}$' },
  },
]

const IDEMPOTENCY_PARAMETER: Json = {
  name: IDEMPOTENCY_KEY.name,
  in: 'header',
  required: false,
  description:
    'A repeat with the same key within 24 hours returns the first acknowledgement and queues nothing; the same key with another body ' +
    'is `invalid_request`.',
  schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY.maxLength },
}

const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'string', enum: Object.keys(FAILURES) },
        message: { type: 'string', maxLength: 500 },
        details: {
          type: 'object',
          properties: {
            issues: {
              type: 'array',
              maxItems: 50,
              items: {
                type: 'object',
                properties: { path: { type: 'string', examples: ['mentions.3'] }, message: { type: 'string' } },
                required: ['path', 'message'],
              },
            },
          },
        },
      },
      required: ['code', 'message', 'details'],
    },
  },
  required: ['error'],
}

const HEADERS = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } }
const RATE_HEADERS = {
  ...HEADERS,
  'X-RateLimit-Limit': { $ref: '#/components/headers/X-RateLimit-Limit' },
  'X-RateLimit-Remaining': { $ref: '#/components/headers/X-RateLimit-Remaining' },
}
const HEADER_COMPONENTS = {
  'X-Request-Id': { description: 'ULID, or the value of the request.', schema: { type: 'string' } },
  'X-RateLimit-Limit': { description: 'Requests per second.', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'Requests left at once.', schema: { type: 'integer' } },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
}

/** Codes by the status they leave with. An instance that a shard does not host any more answers 404 with the code of a wrong token. */
function failuresByStatus({ errors, kind }: Endpoint): Map<number, FailureCode[]> {
  const byStatus = new Map<number, FailureCode[]>()
  const add = (status: number, code: FailureCode) => byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  for (const code of errors) add(FAILURES[code].status, code)
  if (kind !== 'local') add(404, 'instance_not_found')
  return new Map([...byStatus].sort(([one], [other]) => one - other))
}

function failureResponses(endpoint: Endpoint): Json {
  const responses = [...failuresByStatus(endpoint)].map(([status, codes]) => {
    const examples = codes.map((code) => [code, { value: { error: { code, message: FAILURES[code].sentence, details: {} } } }])
    const headers = status === 429 ? { ...HEADERS, 'Retry-After': { $ref: '#/components/headers/Retry-After' } } : HEADERS
    return [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${FAILURES[code].sentence}`).join('\n\n'),
        headers,
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) },
        },
      },
    ]
  })
  return Object.fromEntries(responses)
}

const takesBody = ({ method }: Endpoint) => method === 'POST' || method === 'PUT'
/** Fields of the input that stand in the path. The credential is none of them: an order's own `token` is a field of the body. */
const pathNames = ({ path, access }: Endpoint) => {
  const own = access === 'instance' ? path.slice(INSTANCE_BASE.length) : path
  return [...own.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
}

/** Examples by their name, each with one half of what it shows. */
function examplesOf(endpoint: Endpoint, half: 'input' | 'reply', without: readonly string[] = []): Json | undefined {
  const shown = endpoint.examples.flatMap((example) => {
    const value = example[half]
    if (value === undefined) return []
    const kept =
      half === 'input' ? Object.fromEntries(Object.entries(value as Json).filter(([name]) => !without.includes(name))) : value
    return [[example.name, { value: kept }] as const]
  })
  return shown.length > 0 ? Object.fromEntries(shown) : undefined
}

function requestOf(endpoint: Endpoint, schemas: Schemas): Json {
  const inPath = pathNames(endpoint)
  const object = schemas.of(z.object(endpoint.fields)) as { properties?: Record<string, JsonSchema>; required?: string[] }
  const properties = Object.entries(object.properties ?? {})
  const required = new Set(object.required)
  const parameter =
    (place: 'path' | 'query') =>
    ([name, { description, ...schema }]: [string, JsonSchema]) => ({
      name,
      in: place,
      required: place === 'path' || required.has(name),
      ...(description === undefined ? {} : { description }),
      schema,
    })
  const own = properties.filter(([name]) => inPath.includes(name)).map(parameter('path'))
  const others = properties.filter(([name]) => !inPath.includes(name))
  const base = endpoint.access === 'instance' ? INSTANCE_PARAMETERS : []
  const parameters = [
    ...base,
    ...own,
    ...(endpoint.kind === 'send' ? [IDEMPOTENCY_PARAMETER] : []),
    ...(takesBody(endpoint) ? [] : others.map(parameter('query'))),
  ]
  const request: Json = parameters.length > 0 ? { parameters } : {}
  if (!takesBody(endpoint) || others.length === 0) return request
  const names = others.map(([name]) => name)
  const needed = names.filter((name) => required.has(name))
  const schema = { type: 'object', properties: Object.fromEntries(others), ...(needed.length > 0 ? { required: needed } : {}) }
  const examples = examplesOf(endpoint, 'input', inPath)
  return {
    ...request,
    requestBody: { required: true, content: { 'application/json': { schema, ...(examples ? { examples } : {}) } } },
  }
}

function replyOf(endpoint: Endpoint, schemas: Schemas): Json {
  const schema = endpoint.contentType === 'application/json' ? schemas.of(endpoint.reply) : { type: 'string', format: 'binary' }
  const examples = examplesOf(endpoint, 'reply')
  return {
    [String(endpoint.status)]: {
      description: endpoint.kind === 'send' ? 'Queued.' : 'Done.',
      headers: endpoint.access === 'public' ? HEADERS : RATE_HEADERS,
      content: { [endpoint.contentType]: { schema, ...(examples ? { examples } : {}) } },
    },
  }
}

const areaOf = ({ id }: Endpoint) => id.slice(0, id.indexOf('.'))

function operationOf(endpoint: Endpoint, schemas: Schemas): Json {
  return {
    operationId: endpoint.id,
    tags: [areaOf(endpoint)],
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    ...requestOf(endpoint, schemas),
    responses: { ...replyOf(endpoint, schemas), ...failureResponses(endpoint) },
    security: securityOf(endpoint.access),
  }
}

function webhooks(schemas: Schemas): Json {
  const entries = EVENT_TYPES.map((type) => [
    type,
    {
      post: {
        tags: ['events'],
        summary: webhookPayloads[type].meta()?.description ?? type,
        requestBody: { required: true, content: { 'application/json': { schema: schemas.of(webhookPayloads[type]) } } },
        responses: { '2XX': { description: 'Delivered. Anything else, or nothing within 10 s, is tried again.' } },
        security: [],
      },
    },
  ])
  return Object.fromEntries(entries)
}

export function document(endpoints: readonly Endpoint[]): Json {
  const schemas = createSchemas()
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints)
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operationOf(endpoint, schemas) }
  const hooks = webhooks(schemas)
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.map(areaOf))].map((name) => ({ name })).concat({ name: 'events' }),
    paths,
    webhooks: hooks,
    components: {
      schemas: { Error: ERROR_SCHEMA, ...schemas.components },
      headers: HEADER_COMPONENTS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

/** FNV-1a, 64 bits: a tag that changes with the text, not a proof of anything. */
function fingerprint(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (let at = 0; at < text.length; at++) hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n)
  return hash.toString(16).padStart(16, '0')
}

export function describe(endpoints: readonly Endpoint[]): Description {
  const json = JSON.stringify(document(endpoints))
  return { json, etag: `"${fingerprint(json)}"` }
}
