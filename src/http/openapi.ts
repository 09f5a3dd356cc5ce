/**
 * The OpenAPI 3.1.0 description: the declarations are entered in the registry of `@hono/zod-openapi`, which turns schemas into JSON
 * Schema, shares the named ones (`.meta({ id })`) and puts the document together. Built once per process.
 */
import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi'
import { z } from 'zod'
import { BRAND } from '../domain/brand.ts'
import { EVENT_TYPES, type EventType } from '../domain/events.ts'
import { FAILURES, type FailureCode } from '../domain/failures.ts'
import { SCOPES } from '../domain/workspace.ts'
import { type Access, type Endpoint, INSTANCE_BASE, isAnybodys, METRICS_TEXT, type Method } from '../features/endpoint.ts'
import type { Description } from '../features/parts.ts'
import { webhookPayloads } from '../features/webhook-payloads.ts'
import { EVENTS_TEXT } from './events-text.ts'
import { IDEMPOTENCY_KEY } from './mount.ts'

type Request = NonNullable<RouteConfig['request']>
type Responses = RouteConfig['responses']

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
  metricsToken: { type: 'http', scheme: 'bearer', description: 'The value of `SVC_METRICS_TOKEN`, where it is set.' },
  adminKey: { type: 'http', scheme: 'bearer', description: `Admin key of the workspace (\`${BRAND}_admin_…\`).` },
} as const

/** On instance routes the path is the credential; the headers are needed only when the workspace asks for them. */
function securityOf(access: Access): Record<string, string[]>[] {
  switch (access) {
    case 'public':
    case 'described':
      return []
    case 'metrics':
      return [{}, { metricsToken: [] }]
    case 'instance':
      return [{}, { apiKey: [] }, { clientToken: [] }]
    case 'admin':
      return [{ adminKey: [] }]
    default:
      return [{ apiKey: [access] }]
  }
}

const INSTANCE_PATH = {
  instance_id: z.string().meta({ format: 'uuid' }),
  token: z
    .string()
    .regex(/^[0-9a-f]{48}$/)
    .meta({ param: { description: 'Token of the instance.' } }),
}

const SEND_HEADERS = z.object({
  [IDEMPOTENCY_KEY.name]: z
    .string()
    .min(1)
    .max(IDEMPOTENCY_KEY.maxLength)
    .optional()
    .meta({
      param: {
        description:
          'A repeat with the same key within 24 hours returns the first acknowledgement and queues nothing; the same key with ' +
          'another body is `invalid_request`.',
      },
    }),
})

const ErrorIssue = z.object({ path: z.string().meta({ examples: ['mentions.3'] }), message: z.string() })
const ErrorBody = z
  .object({
    error: z.object({
      code: z.enum(Object.keys(FAILURES) as FailureCode[]),
      message: z.string().max(500),
      details: z.object({ issues: z.array(ErrorIssue).max(50).optional() }),
    }),
  })
  .meta({ id: 'Error' })

const HEADERS = {
  'X-Request-Id': { description: 'ULID, or the value of the request.', schema: { type: 'string' } },
  'X-RateLimit-Limit': { description: 'Requests per second.', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'Requests left at once.', schema: { type: 'integer' } },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
} as const

const REQUEST_ID = ['X-Request-Id'] as const
const COUNTED = [...REQUEST_ID, 'X-RateLimit-Limit', 'X-RateLimit-Remaining'] as const

const headersOf = (names: readonly (keyof typeof HEADERS)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Codes by the status they leave with. An instance that a shard does not host any more answers 404 with the code of a wrong token. */
function failuresByStatus({ errors, kind }: Endpoint): Map<number, FailureCode[]> {
  const byStatus = new Map<number, FailureCode[]>()
  const add = (status: number, code: FailureCode) => byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  for (const code of errors) add(FAILURES[code].status, code)
  if (kind !== 'local') add(404, 'instance_not_found')
  return new Map([...byStatus].sort(([one], [other]) => one - other))
}

function failureResponses(endpoint: Endpoint): Responses {
  const responses = [...failuresByStatus(endpoint)].map(([status, codes]) => {
    const examples = codes.map((code) => [code, { value: { error: { code, message: FAILURES[code].sentence, details: {} } } }])
    return [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${FAILURES[code].sentence}`).join('\n\n'),
        headers: headersOf(status === 429 || status === 503 ? [...REQUEST_ID, 'Retry-After'] : REQUEST_ID),
        content: { 'application/json': { schema: ErrorBody, examples: Object.fromEntries(examples) } },
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

/** Entries whose names are among these, and the others. */
function split<T>(fields: Readonly<Record<string, T>>, names: readonly string[]): [Record<string, T>, Record<string, T>] {
  const part = (within: boolean) => Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name) === within))
  return [part(true), part(false)]
}

/** Examples by their name, each with one half of what it shows. */
function examplesOf({ examples }: Endpoint, half: 'input' | 'reply', without: readonly string[] = []) {
  const shown = examples.flatMap(({ name, input, reply }) => {
    const value = half === 'reply' ? reply : input && split(input, without)[1]
    return value === undefined ? [] : [[name, { value }] as const]
  })
  return shown.length > 0 ? Object.fromEntries(shown) : undefined
}

/** The flat input, by the places its fields come from. */
function requestOf(endpoint: Endpoint): Request {
  const inPath = pathNames(endpoint)
  const [own, others] = split(endpoint.fields, inPath)
  const path = { ...(endpoint.access === 'instance' ? INSTANCE_PATH : {}), ...own }
  const schema = z.object(others)
  const hasOthers = Object.keys(others).length > 0
  const inBody = takesBody(endpoint)
  return {
    // What stands in a path is there, also where a field may be empty.
    ...(Object.keys(path).length > 0 ? { params: z.object(path).required() } : {}),
    ...(hasOthers && !inBody ? { query: schema } : {}),
    ...(endpoint.kind === 'send' ? { headers: SEND_HEADERS } : {}),
    ...(hasOthers && inBody
      ? { body: { required: true, content: { 'application/json': { schema, examples: examplesOf(endpoint, 'input', inPath) } } } }
      : {}),
  }
}

function replyOf(endpoint: Endpoint): Responses {
  const isText = endpoint.contentType === 'application/json' || endpoint.contentType === METRICS_TEXT
  const schema = isText ? endpoint.reply : { type: 'string' as const, format: 'binary' }
  return {
    [endpoint.status]: {
      description: endpoint.kind === 'send' ? 'Queued.' : 'Done.',
      headers: headersOf(isAnybodys(endpoint.access) ? REQUEST_ID : COUNTED),
      content: { [endpoint.contentType]: { schema, examples: examplesOf(endpoint, 'reply') } },
    },
  }
}

const areaOf = ({ id }: Endpoint) => id.slice(0, id.indexOf('.'))

const routeOf = (endpoint: Endpoint): RouteConfig => ({
  method: endpoint.method.toLowerCase() as Lowercase<Method>,
  path: endpoint.path,
  operationId: endpoint.id,
  tags: [areaOf(endpoint)],
  summary: endpoint.summary,
  description: endpoint.description,
  request: requestOf(endpoint),
  responses: { ...replyOf(endpoint), ...failureResponses(endpoint) },
  security: securityOf(endpoint.access),
})

const webhookOf = (type: EventType): RouteConfig => ({
  method: 'post',
  path: type,
  tags: ['events'],
  summary: webhookPayloads[type].meta()?.description ?? type,
  request: { body: { required: true, content: { 'application/json': { schema: webhookPayloads[type] } } } },
  responses: { '2XX': { description: 'Delivered. Anything else, or nothing within 10 s, is tried again.' } },
  security: [],
})

function document(endpoints: readonly Endpoint[]) {
  // Asked for its registry only: the routes of the service are mounted in `mount.ts`, with their own order of checks.
  const app = new OpenAPIHono()
  const registry = app.openAPIRegistry
  for (const [name, header] of Object.entries(HEADERS)) registry.registerComponent('headers', name, header)
  for (const [name, scheme] of Object.entries(SECURITY_SCHEMES)) registry.registerComponent('securitySchemes', name, scheme)
  for (const endpoint of endpoints) registry.registerPath(routeOf(endpoint))
  for (const type of EVENT_TYPES) registry.registerWebhook(webhookOf(type))
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.map(areaOf)), 'events'].map((name) => ({ name })),
  })
}

/** FNV-1a, 64 bits: a tag that changes with the text, not a proof of anything. */
function fingerprint(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (let at = 0; at < text.length; at++) hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n)
  return hash.toString(16).padStart(16, '0')
}

export function describe(endpoints: readonly Endpoint[]): Description {
  const json = JSON.stringify(document(endpoints))
  let packed: Promise<ArrayBuffer> | undefined
  const pack = () => new Response(new Blob([json]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()
  return {
    json,
    etag: `"${fingerprint(json)}"`,
    gzip() {
      packed ??= pack()
      return packed
    },
  }
}
