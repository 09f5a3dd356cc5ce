import type { RouteConfig } from '@hono/zod-openapi'
import { z } from 'zod'
import { SECOND } from '../../domain/clock.ts'
import { DIALECTS } from '../../domain/dialect.ts'
import { FAILURES, type FailureCode } from '../../domain/failures.ts'
import { SAFETY_REASONS } from '../../domain/send-safety.ts'
import { SCOPES } from '../../domain/workspace.ts'
import { tagOf } from '../../features/areas.ts'
import { SettingsChange, WebhooksChange } from '../../features/changes.ts'
import {
  type Access,
  BYTES,
  type Endpoint,
  EVENT_STREAM,
  INSTANCE_BASE,
  isAnybodys,
  LAST_EVENT_ID,
  type Method,
  takesJson,
} from '../../features/endpoint.ts'
import { instant } from '../../features/fields.ts'
import { IDEMPOTENCY_KEY } from '../mount.ts'
import { PREFER } from '../prefer.ts'
import { codeSamples } from './code-samples.ts'
import { COUNTED, type HEADERS, headersOf, REQUEST_ID } from './general.ts'

type Request = NonNullable<RouteConfig['request']>
type Responses = RouteConfig['responses']

/**
 * Returns the credentials of an operation. On instance routes the path is the credential, and headers are needed only
 * if the workspace requires them.
 */
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
      // An HTTP security scheme has no scopes, so the description text names the scope.
      return [{ apiKey: [] }]
  }
}

const INSTANCE_PATH = {
  instance_id: z.string().meta({ format: 'uuid', param: { description: 'Id of the instance.' } }),
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
          'A second request with the same key within 24 hours returns the first acknowledgement and queues nothing; the same key with ' +
          'a different body is refused with `invalid_request`.',
      },
    }),
  [PREFER.name]: z
    .string()
    .optional()
    .meta({
      param: {
        description:
          `\`wait=<seconds>\` (RFC 7240), ${PREFER.minSeconds} to ${PREFER.maxSeconds}: the answer comes when the outcome is known, with \`status\` \`sent\` or \`failed\` (\`removed\` when the message was taken out of the queue; 404 \`instance_not_found\` when the instance was deleted before that) ` +
          `and \`${PREFER.applied}: wait\`, or after that time with \`queued\`. Nothing else changes: the message keeps its place in the queue, the \`delivery\` event comes as always, ` +
          'and the message is still sent if the caller disconnects.',
        examples: { wait: { value: 'wait=10' } },
      },
    }),
})

const STREAM_HEADERS = z.object({
  [LAST_EVENT_ID]: z
    .string()
    .optional()
    .meta({
      param: {
        description:
          'Id of the last event that was received; the stream continues after it. Without this header the stream begins now.',
      },
    }),
})

function requestHeadersOf({ kind, contentType, fields, inHeaders }: Endpoint) {
  if (kind === 'send') return { headers: SEND_HEADERS }
  const own = Object.entries(inHeaders).map(([name, field]) => [name, fields[field]!] as const)
  if (own.length > 0) return { headers: z.object(Object.fromEntries(own)) }
  return contentType === EVENT_STREAM ? { headers: STREAM_HEADERS } : {}
}

const ErrorIssue = z.object({ path: z.string().meta({ examples: ['mentions.3'] }), message: z.string() })
/** Fields of an error besides its code. The code determines which fields are present. */
const ErrorDetails = z.object({
  issues: z.array(ErrorIssue).max(50).optional().meta({ description: 'Problems of the request.' }),
  network_code: z
    .int()
    .nullable()
    .optional()
    .meta({ description: 'Code that the network answered; null if the answer had none.' }),
  required_scope: z.enum(SCOPES).optional().meta({ description: 'Scope that the key lacks; only with `insufficient_scope`.' }),
  applied: z
    .array(z.string())
    .optional()
    .meta({ description: 'Names of the fields that took effect before the one that failed.' }),
  ownership_transferred: z
    .boolean()
    .optional()
    .meta({ description: 'True if the channel has its new owner although the operation failed.' }),
  instance_slots: z.int().optional().meta({ description: 'Number of allowed instances; only with `instance_limit_reached`.' }),
  instances_used: z.int().optional().meta({ description: 'Number of existing instances; only with `instance_limit_reached`.' }),
  checks: z.record(z.string(), z.string()).optional().meta({ description: 'Result of every check; only from `/health/ready`.' }),
  reason: z.string().optional().meta({
    description:
      'Of `engine_unavailable`: `storage`, `disk_full`, `not_started` (the start of the instance waits, because only a limited number of instances starts in a second; nothing was carried out), `partly_done` (events of some instances are sent again, those of others are not; no `Retry-After`), from a standby `no_active_service` or `standby_busy`, from one of several services that share the instances `instance_unreachable` or `instance_busy` (nothing was carried out), or from both `outcome_unknown` (the request may have been carried out; no `Retry-After`).',
  }),
  queued: z.int().optional().meta({ description: 'Number of events that are sent again; only with `partly_done`.' }),
  status: z
    .int()
    .optional()
    .meta({ description: 'Status that the host of the URL answered; only with `media_download_failed`.' }),
  waiting_reason: z
    .enum(SAFETY_REASONS)
    .optional()
    .meta({ description: 'Rule that holds the message; only with `held_by_send_safety`.' }),
  send_after: instant
    .nullable()
    .optional()
    .meta({ description: 'Time at which the message can be sent; null if nobody knows it. Only with `held_by_send_safety`.' }),
})
const ErrorBody = z
  .object({
    error: z.object({
      code: z.enum(Object.keys(FAILURES) as FailureCode[]),
      message: z.string().max(500),
      details: ErrorDetails,
    }),
  })
  .meta({ id: 'Error' })

/**
 * Returns the error codes by HTTP status. A write can also fail because there is no memory for its body or no space on
 * the disk.
 */
function failuresByStatus({ errors, kind, method, access }: Endpoint): Map<number, FailureCode[]> {
  const byStatus = new Map<number, FailureCode[]>()
  const add = (status: number, code: FailureCode) => byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  for (const code of errors) add(FAILURES[code].status, code)
  if (kind !== 'local') add(404, 'instance_not_found')
  if (method !== 'GET' && !isAnybodys(access) && !errors.includes('engine_unavailable'))
    add(FAILURES.engine_unavailable.status, 'engine_unavailable')
  return new Map([...byStatus].sort(([one], [other]) => one - other))
}

const hasClientErrors = (endpoint: Endpoint) => [...failuresByStatus(endpoint).keys()].some((status) => status < 500)

function failureResponses(endpoint: Endpoint): Responses {
  const always = isAnybodys(endpoint.access) ? REQUEST_ID : COUNTED
  const responses = [...failuresByStatus(endpoint)].map(([status, codes]) => {
    const examples = codes.map((code) => [code, { value: { error: { code, message: FAILURES[code].sentence, details: {} } } }])
    return [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${FAILURES[code].sentence}`).join('\n\n'),
        headers: headersOf(status === 429 || status === 503 ? [...always, 'Retry-After'] : always),
        content: { 'application/json': { schema: ErrorBody, examples: Object.fromEntries(examples) } },
      },
    ]
  })
  return Object.fromEntries(responses)
}

/** Returns the names of the fields in a path, without the credential of the instance. */
const pathNames = ({ path, access }: Endpoint) => {
  const own = access === 'instance' ? path.slice(INSTANCE_BASE.length) : path
  return [...own.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
}

function split<T>(fields: Readonly<Record<string, T>>, names: readonly string[]): [Record<string, T>, Record<string, T>] {
  const part = (within: boolean) => Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name) === within))
  return [part(true), part(false)]
}

function examplesOf({ examples }: Endpoint, half: 'input' | 'reply', without: readonly string[] = []) {
  const shown = examples.flatMap(({ name, input, reply }) => {
    const value = half === 'reply' ? reply : input && split(input, without)[1]
    return value === undefined ? [] : [[name, { value }] as const]
  })
  return shown.length > 0 ? Object.fromEntries(shown) : undefined
}

const FILE = { type: 'string' as const, format: 'binary' }

function requestOf(endpoint: Endpoint): Request {
  const inPath = pathNames(endpoint)
  const [own, rest] = split(endpoint.fields, inPath)
  const others = split(rest, Object.values(endpoint.inHeaders))[1]
  const path = { ...(endpoint.access === 'instance' ? INSTANCE_PATH : {}), ...own }
  const schema = bodyOf(others)
  const hasOthers = Object.keys(others).length > 0
  const inBody = takesJson(endpoint)
  return {
    // A path parameter is required, even if the field may be empty.
    ...(Object.keys(path).length > 0 ? { params: z.object(path).required() } : {}),
    ...(hasOthers && !inBody ? { query: schema } : {}),
    ...requestHeadersOf(endpoint),
    ...(hasOthers && inBody
      ? { body: { required: true, content: { 'application/json': { schema, examples: examplesOf(endpoint, 'input', inPath) } } } }
      : {}),
    ...(endpoint.takesFile ? { body: { required: true, content: { [BYTES]: { schema: FILE } } } } : {}),
  }
}

function replyHeadersOf({ access, kind }: Endpoint): readonly (keyof typeof HEADERS)[] {
  if (isAnybodys(access)) return REQUEST_ID
  return kind === 'send' ? [...COUNTED, PREFER.applied] : COUNTED
}

function replyOf(endpoint: Endpoint): Responses {
  const isText = /json|text/.test(endpoint.contentType)
  const schema = isText ? endpoint.reply : FILE
  return {
    [endpoint.status]: {
      description: endpoint.kind === 'send' ? 'The message is queued; with `Prefer: wait` this is its outcome.' : 'Done.',
      headers: headersOf(replyHeadersOf(endpoint)),
      content: { [endpoint.contentType]: { schema, examples: examplesOf(endpoint, 'reply') } },
    },
  }
}

function termsOf({ kind, access, needsSubscription, deadlineMs }: Endpoint): string {
  switch (kind) {
    case 'send':
      return 'Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.'
    case 'action':
      return `Immediate: ${needsSubscription ? 'changes' : 'asks'} the account through the network, needs a connected instance and takes at most ${deadlineMs / SECOND} s.`
    case 'control':
      return 'Available in every state of the instance.'
    case 'local':
      if (access === 'instance') return 'Answered by the service itself, in every state of the instance.'
      if (access === 'admin') return 'Requires the admin key of the workspace.'
      if (access === 'metrics' || isAnybodys(access)) return 'Requires no credential of an account.'
      return `Requires an API key with the scope \`${access}\`.`
    default:
      return kind satisfies never
  }
}

/**
 * Schemas of bodies that have names. A body with exactly the fields of such a schema gets this name in the description.
 */
const NAMED_BODIES: readonly z.ZodObject[] = [SettingsChange, WebhooksChange]

function bodyOf(fields: Record<string, z.core.$ZodType>): z.ZodObject {
  const names = Object.keys(fields)
  const isSame = ({ shape }: z.ZodObject) =>
    names.length === Object.keys(shape).length && names.every((name) => shape[name] === fields[name])
  return NAMED_BODIES.find(isSame) ?? z.object(fields)
}

/**
 * Answers of the HTTP server itself. Each status is listed separately, because many generators create no code for a
 * range.
 */
const NOT_HTTP = {
  400: { description: 'The HTTP server refused the request because it is malformed. No body.' },
  431: { description: 'The HTTP server refused the request because its headers are too large. No body.' },
}

const UNCHANGED = {
  304: {
    description: 'The content has not changed since the `ETag` in `If-None-Match`. No body.',
    headers: headersOf(REQUEST_ID),
  },
}

const redirectOf = (description: string) => ({ 302: { description: `${description} No body.`, headers: headersOf(REQUEST_ID) } })

/** True if a dialect changes the operation: it is about one instance, and its answer is JSON. */
const speaksDialects = ({ access, contentType }: Endpoint) => access === 'instance' && contentType === 'application/json'

export const routeOf = (endpoint: Endpoint): RouteConfig => ({
  method: endpoint.method.toLowerCase() as Lowercase<Method>,
  path: endpoint.path,
  operationId: endpoint.id,
  tags: [tagOf(endpoint.id)],
  summary: endpoint.summary,
  description: [endpoint.description, termsOf(endpoint)].filter((part) => part !== undefined).join('\n\n'),
  request: requestOf(endpoint),
  responses: {
    ...replyOf(endpoint),
    ...(endpoint.redirect === undefined ? {} : redirectOf(endpoint.redirect)),
    ...(endpoint.access === 'described' ? UNCHANGED : {}),
    ...(hasClientErrors(endpoint) ? {} : NOT_HTTP),
    ...failureResponses(endpoint),
  },
  security: securityOf(endpoint.access),
  ...(speaksDialects(endpoint) ? { 'x-dialects': [...DIALECTS] } : {}),
  'x-codeSamples': codeSamples(endpoint),
})
