/** Mounts the declarations as routes, each with the same steps: authenticate, read, run, answer. */

import type { Context, Hono } from 'hono'
import { steadyClock } from '../domain/clock.ts'
import type { Dialect } from '../domain/dialect.ts'
import { Failure } from '../domain/failures.ts'
import type { ComingBody } from '../domain/large-body.ts'
import type { DetailedLog } from '../domain/log.ts'
import type { ServerEvents, StreamReader } from '../domain/server-events.ts'
import type { SendOutcomes } from '../engine/send-outcomes.ts'
import { answerIn, inTheirNames } from '../features/dialects/words.ts'
import { type Endpoint, EVENT_STREAM } from '../features/endpoint.ts'
import type { RawFields } from '../features/input.ts'
import { inTheirWords, type MeantRequest, type RequestRoute, readRequest } from '../features/requests.ts'
import type { AccessChecks } from './access-checks.ts'
import type { AccessRequest } from './access-request.ts'
import { answerHeaders } from './answer-headers.ts'
import { type BodySource, receiveBody, receiveFile } from './body.ts'
import type { BodyBudget, Lease } from './body-budget.ts'
import { type Acknowledged, type Caller, type CarryOutDeps, carryOut, checkSubscription } from './carry-out.ts'
import type { Dialects } from './dialects.ts'
import { InstanceGone } from './errors.ts'
import { eventStream } from './event-stream.ts'
import { IGNORED_HEADER, ignoredFieldsValue } from './ignored-fields.ts'
import { PREFER, waitOf } from './prefer.ts'
import type { OpenSession } from './session-checks.ts'

export interface RequestState {
  requestId: string
  source: string
  peer: string | undefined
  /** Template of the matched route; undefined as long as none has matched. */
  route: string | undefined
  /** Number of requests that the instance or workspace has left; undefined while the owner is unknown. */
  remaining: number | undefined
  headers: Record<string, string>
  isDressed: boolean
  refusal?: (failure: Failure) => Response
  session?: OpenSession
}
export type Env = { Variables: { state: RequestState } }

/**
 * Parses a large body in another thread while it arrives. Rejects with `Failure`. `onUnknown` gets the names of unknown
 * fields.
 */
export type ReadLargeBody = (
  route: string,
  fields: { path: RawFields; query?: RawFields; dialect?: Dialect | undefined },
  body: ComingBody,
  onUnknown: (names: string[]) => void,
) => Promise<{ operation: string; input: unknown }>

export interface MountDeps extends CarryOutDeps {
  gate: AccessChecks
  readLargeBody: ReadLargeBody
  bodies: BodyBudget
  outcomes: SendOutcomes
  log: DetailedLog
  cut(request: Request): void
  source: BodySource
  dialects: Dialects
}

export const IDEMPOTENCY_KEY = { name: 'Idempotency-Key', maxLength: 128 } as const

const toPattern = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

/**
 * Compares routes by precedence: a fixed segment comes before a parameter. If the paths are equal, the route of a
 * dialect comes first.
 */
function byPrecedence(one: RequestRoute, other: RequestRoute): number {
  const rank = ({ path, alias }: RequestRoute) =>
    path
      .split('/')
      .map((part) => (part.startsWith('{') ? '1' : '0'))
      .join('') + (alias?.dialect === undefined ? '1' : '0')
  // `localeCompare` would load locale data.
  return rank(one) < rank(other) ? -1 : Number(rank(one) > rank(other))
}

/**
 * Differences between the APIs for which the declarations are mounted: the API itself, the dashboard (callers
 * authenticate with a session), and connect links (the secret of the link is the credential).
 */
export interface Mounting {
  pathOf(declared: string): string
  admit(endpoint: Endpoint, instance: string, token: string, c: Context<Env>): Caller
  dialectOf(c: Context<Env>): Dialect | undefined
  /**
   * False if the credentials must first be read from the store, because another service may have just stored them. If
   * this is absent, nothing is read.
   */
  knows?(endpoint: Endpoint, instance: string, token: string, c: Context<Env>): boolean
  /** Returns the part of an answer that the caller may see. If absent, the caller sees all of it. */
  shown?(answer: unknown, endpoint: Endpoint, c: Context<Env>): unknown
}

const byCredentials = (deps: MountDeps): Mounting => ({
  pathOf: (declared) => declared,
  admit: (endpoint, instance, token, c) => admit(endpoint, instance, token, c, deps),
  dialectOf: ({ req }) => deps.dialects.of(req.path, req.raw.headers),
  knows: ({ access }, instance, token, c) =>
    access !== 'instance' || !deps.gate.mayCatchUp(c.get('state').source) || deps.gate.knows(instance, token, c.req.raw.headers),
})

export function mount(
  app: Hono<Env>,
  routes: readonly RequestRoute[],
  deps: MountDeps,
  mounting: Mounting = byCredentials(deps),
): void {
  const byId = new Map(routes.map(({ endpoint }) => [endpoint.id, endpoint]))
  for (const route of [...routes].sort(byPrecedence)) {
    const { endpoint, alias } = route
    const template = mounting.pathOf(endpoint.path)
    app.on(route.method, toPattern(mounting.pathOf(route.path)), async (c, next) => {
      const { instance_id = '', token = '', ...rest } = c.req.param() as Record<string, string>
      if (mounting.knows?.(endpoint, instance_id, token, c) === false) await deps.parts.account.catchUp()
      const dialect = endpoint.access === 'instance' ? mounting.dialectOf(c) : undefined
      if (alias?.dialect !== undefined && alias.dialect !== dialect) return next()
      // The router passes HEAD to the route of GET, which may have effects: a QR code starts a session. System routes
      // answer HEAD, because load balancers use it.
      if (c.req.raw.method !== route.method && !endpoint.id.startsWith('system.')) return c.notFound()
      const state = c.get('state')
      state.route = template
      const path = endpoint.access === 'instance' ? rest : (c.req.param() as Record<string, string>)
      // The account is read again, so that a change by an operator command or another service takes effect immediately.
      if (isOfWorkspace(endpoint.access)) await deps.parts.account.refresh()
      const caller = mounting.admit(endpoint, instance_id, token, c)
      if (endpoint.needsSubscription) checkSubscription(caller, deps)
      const memory = deps.bodies.lease(caller.instance ?? caller.workspace ?? '')
      try {
        const { endpoint: meant, input } = await requestOf(route, path, c, deps, memory, byId, dialect)
        const { source, requestId } = state
        const asked = {
          request: c.req.raw,
          source,
          isOnThisMachine: deps.gate.isOnThisMachine(accessRequestOf(c)),
          file: () => receiveFile(c.req.raw, deps.source, endpoint.maxBody),
          origin: { idempotencyKey: idempotencyKeyOf(meant, c), requestId },
        }
        const whole = shaped(route, await inWordsOf(route, dialect, carryOut(meant, caller, input, asked, deps)))
        const reply = mounting.shown ? mounting.shown(whole, meant, c) : whole
        if (meant.contentType === EVENT_STREAM) return streamed(reply as ServerEvents, 'events', c, deps)
        if (meant.kind !== 'send') return respond(meant, reply, state, dialect)
        // The message is in the queue, so the memory for its body is not needed while the caller waits.
        memory.release()
        return respond(meant, await awaited(reply as Acknowledged, caller, c, deps), state, dialect)
      } finally {
        memory.release()
      }
    })
  }
}

export const streamed = (
  events: ServerEvents,
  reader: StreamReader,
  { req }: Context<Env>,
  { cut, tally }: MountDeps,
): Response => eventStream(events, { cut: () => cut(req.raw), gone: req.raw.signal, reader, tally })

const inWordsOf = ({ alias, endpoint }: RequestRoute, dialect: Dialect | undefined, work: Promise<unknown>): Promise<unknown> =>
  alias === undefined && dialect === undefined
    ? work
    : work.catch((error: unknown) => {
        const named = alias === undefined ? error : inTheirWords(alias, error)
        throw dialect === undefined ? named : inTheirNames(dialect, endpoint, named)
      })

function shaped({ alias }: RequestRoute, reply: unknown): unknown {
  if (alias?.answer === 'done') return { value: true }
  if (alias?.answer === 'count') return { count: (reply as { total: number }).total }
  return reply
}

export function accessRequestOf(c: Context<Env>): AccessRequest {
  const state = c.get('state')
  return {
    headers: c.req.raw.headers,
    source: state.source,
    peer: state.peer,
    limit(remaining) {
      state.remaining = remaining
    },
  }
}

function admit(
  { access, isWithoutPlan }: Endpoint,
  instance: string,
  token: string,
  c: Context<Env>,
  { gate }: MountDeps,
): Caller {
  const incoming = accessRequestOf(c)
  switch (access) {
    case 'public':
      return {}
    case 'described':
      gate.described(incoming)
      return {}
    case 'metrics':
      gate.metrics(incoming)
      return {}
    case 'instance':
      return {
        ...gate.instance(instance, token, incoming),
        isStillAllowed: () => gate.isStillAllowed(instance, token, { ...incoming, limit() {} }),
      }
    case 'admin':
      return gate.admin(incoming)
    default:
      return gate.account(access, incoming, { isWithoutPlan })
  }
}

async function requestOf(
  route: RequestRoute,
  path: RawFields,
  c: Context<Env>,
  deps: MountDeps,
  memory: Lease,
  byId: ReadonlyMap<string, Endpoint>,
  dialect: Dialect | undefined,
): Promise<MeantRequest> {
  const onUnknown = (names: string[]) => {
    const value = ignoredFieldsValue(names)
    if (value !== undefined) c.get('state').headers[IGNORED_HEADER.name] = value
  }
  const query = route.takesQuery ? { ...queryOf(c), ...headersOf(route.endpoint, c) } : {}
  if (!route.takesBody) return inHeaderNames(route.endpoint, () => readRequest(route, { path, query }, onUnknown, dialect))
  const body = await receiveBody(c.req.raw, memory, deps.source, steadyClock, route.endpoint.maxBody)
  if ('bytes' in body) return readRequest(route, { path, query, body: body.bytes }, onUnknown, dialect)
  const { operation, input } = await deps.readLargeBody(route.name, { path, query, dialect }, body.coming, onUnknown)
  return { endpoint: byId.get(operation) ?? route.endpoint, input }
}

/** Reads a request. An error about a field in a header names the header. */
function inHeaderNames({ inHeaders }: Endpoint, read: () => MeantRequest): MeantRequest {
  try {
    return read()
  } catch (error) {
    throw inTheirWords({ rename: inHeaders }, error)
  }
}

/**
 * Returns the fields that callers send as headers. The query of a URL must not contain them, because URLs are logged.
 */
function headersOf({ inHeaders }: Endpoint, { req }: Context<Env>): RawFields {
  return Object.fromEntries(Object.entries(inHeaders).map(([name, field]) => [field, decoded(name, req.header(name))]))
}

/**
 * Decodes a header value. Many clients can send only ASCII characters in headers, so callers percent-encode all others.
 */
function decoded(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  try {
    return decodeURIComponent(value)
  } catch (cause) {
    const issue = { path: name, message: 'must be percent-encoded UTF-8 (% itself is %25)' }
    throw new Failure('invalid_request', { details: { issues: [issue] }, cause })
  }
}

/**
 * Returns the fields in the query. A parameter with one value becomes a text, and a repeated parameter a list of texts.
 */
function queryOf(c: Context<Env>): RawFields {
  const queries = Object.entries(c.req.queries())
  return Object.fromEntries(queries.map(([name, values]) => [name, values.length === 1 ? values[0] : values]))
}

function idempotencyKeyOf({ kind }: Endpoint, c: Context<Env>): string | undefined {
  const key = kind === 'send' ? c.req.header(IDEMPOTENCY_KEY.name) : undefined
  if (key !== undefined && (key.length < 1 || key.length > IDEMPOTENCY_KEY.maxLength))
    throw Failure.invalid({ path: IDEMPOTENCY_KEY.name, message: `must have 1 to ${IDEMPOTENCY_KEY.maxLength} characters` })
  return key
}

/** Waits for the outcome of a send. The wait may end early without harm, because the message is stored. */
async function awaited(
  queued: Acknowledged,
  { instance }: Caller,
  c: Context<Env>,
  { outcomes }: MountDeps,
): Promise<Acknowledged> {
  const ms = waitOf(c.req.header(PREFER.name))
  if (ms === undefined || instance === undefined) return queued
  const outcome = await outcomes.of({ instance, svcId: queued.svc_id }, ms, c.req.raw.signal)
  if (!outcome) return queued
  if (outcome === 'gone') throw new InstanceGone()
  c.get('state').headers[PREFER.applied] = 'wait'
  if (outcome.status !== 'failed') return { ...queued, status: outcome.status }
  return { ...queued, status: 'failed', error_code: outcome.code, error_message: outcome.message.slice(0, MAX_REASON) }
}

/** Maximum length of a reason in characters, the same as in the `delivery` event. */
const MAX_REASON = 512

function respond(endpoint: Endpoint, reply: unknown, state: RequestState, dialect?: Dialect): Response {
  if (reply instanceof Response) return reply
  const { status, contentType, cacheControl } = endpoint
  state.isDressed = true
  const headers = answerHeaders(state, contentType, cacheControl)
  if (contentType !== 'application/json') return new Response(reply as Uint8Array<ArrayBuffer>, { status, headers })
  const said = dialect === undefined ? reply : answerIn[dialect](endpoint, reply)
  return new Response(JSON.stringify(said), { status: dialect === undefined ? status : 200, headers })
}

const isOfWorkspace = (access: Endpoint['access']) => access !== 'instance' && access !== 'public' && access !== 'metrics'
