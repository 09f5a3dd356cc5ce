/**
 * Declarations to routes. One loop for all of them: who may call, what was sent, who answers, and how the answer leaves. Validation is
 * ours rather than a router's, because of the order of checks, one flat input from three places, and bodies that another thread parses.
 */

import type { Context, Hono } from 'hono'
import { joined } from '../domain/bytes.ts'
import { SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import { maySend } from '../domain/workspace.ts'
import type { CallOf, Engine, OperationId } from '../engine/engine.ts'
import { callOf } from '../features/call.ts'
import type { Endpoint, Queued } from '../features/endpoint.ts'
import type { RawFields } from '../features/input.ts'
import type { InstanceCall, Parts } from '../features/parts.ts'
import { type MeantRequest, type RequestRoute, readRequest } from '../features/requests.ts'
import { orLate } from '../lib/deadline.ts'
import type { Tally } from '../metrics/tally.ts'
import type { Gate, Knock } from './auth.ts'
import { LARGE_BODY, receiveBody } from './body.ts'
import type { BodyBudget, Lease } from './body-budget.ts'
import { InstanceGone } from './errors.ts'

/** What the middleware around the routes knows of a request. */
export interface RequestState {
  requestId: string
  source: string
  /** Address of the socket. */
  peer: string | undefined
  /** Route template, once one has matched. */
  route: string | undefined
  /** Tokens left in the bucket of the instance or workspace, once it is known. */
  remaining: number | undefined
}
export type Env = { Variables: { state: RequestState } }

/**
 * Parses and validates a large body elsewhere, which takes its pieces; resolves with the operation that is meant and its input, rejects with
 * `Failure`.
 */
export type ReadLargeBody = (
  route: string,
  fields: { path: RawFields; query?: RawFields },
  pieces: Uint8Array<ArrayBuffer>[],
) => Promise<{ operation: string; input: unknown }>

export interface MountDeps {
  gate: Gate
  parts: Parts
  engine: Pick<Engine, 'call'>
  tally: Tally
  now(): number
  /** Null: the origin the request came to. */
  baseUrl: string | null
  readLargeBody: ReadLargeBody
  bodies: BodyBudget
}

export const IDEMPOTENCY_KEY = { name: 'Idempotency-Key', maxLength: 128 } as const

interface Caller {
  workspace?: WorkspaceId
  instance?: InstanceId
}

/** `/webhooks/{type}` as the router writes it. */
const toPattern = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

/** A fixed segment wins over a parameter: of two routes that match the same path, the one that is fixed earlier comes first. */
function byPrecedence(one: RequestRoute, other: RequestRoute): number {
  const rank = ({ path }: RequestRoute) =>
    path
      .split('/')
      .map((part) => (part.startsWith('{') ? '1' : '0'))
      .join('')
  return rank(one).localeCompare(rank(other))
}

export function mount(app: Hono<Env>, routes: readonly RequestRoute[], deps: MountDeps): void {
  const byId = new Map(routes.map(({ endpoint }) => [endpoint.id, endpoint]))
  for (const route of [...routes].sort(byPrecedence)) {
    const { endpoint } = route
    app.on(route.method, toPattern(route.path), async (c) => {
      // The router hands HEAD to the route of GET, and a GET may do something: ask for a QR code and a session begins, for a received file
      // and it is fetched. System routes only show; balancers ask them so.
      if (c.req.raw.method !== route.method && !endpoint.id.startsWith('system.')) return c.notFound() // 1
      c.var.state.route = endpoint.path
      const { instance_id = '', token = '', ...rest } = c.req.param() as Record<string, string>
      const path = endpoint.access === 'instance' ? rest : (c.req.param() as Record<string, string>)
      // What an operator's command has changed (a key that is void, a number of slots) counts from that moment on. A few reads of the store.
      if (isOfWorkspace(endpoint.access)) await deps.parts.account.refresh()
      const caller = admit(endpoint, instance_id, token, c, deps)
      if (endpoint.needsSubscription) checkSubscription(caller, deps)
      const memory = deps.bodies.lease(caller.instance ?? caller.workspace ?? '')
      try {
        const { endpoint: meant, input } = await requestOf(route, path, c, deps, memory, byId)
        return respond(meant, shaped(route, await answer(meant, caller, input, c, deps)))
      } finally {
        memory.release()
      }
    })
  }
}

/** What an alias answers where it promises something else than its operation. */
function shaped({ alias }: RequestRoute, reply: unknown): unknown {
  if (alias?.answer === 'done') return { value: true }
  if (alias?.answer === 'count') return { count: (reply as { total: number }).total }
  return reply
}

function admit({ access }: Endpoint, instance: string, token: string, c: Context<Env>, { gate }: MountDeps): Caller {
  const { state } = c.var
  const knock: Knock = {
    headers: c.req.raw.headers,
    source: state.source,
    peer: state.peer,
    limit(remaining) {
      state.remaining = remaining
    },
  }
  switch (access) {
    case 'public':
      return {}
    case 'described':
      gate.described(knock)
      return {}
    case 'metrics':
      gate.metrics(knock)
      return {}
    case 'instance':
      return gate.instance(instance, token, knock)
    case 'admin':
      return gate.admin(knock)
    default:
      return gate.account(access, knock)
  }
}

function checkSubscription({ workspace }: Caller, { parts, now }: MountDeps): void {
  if (workspace && !maySend(parts.account.workspace(workspace).subscription, now())) throw new Failure('subscription_required') // 10
}

async function requestOf(
  route: RequestRoute,
  path: RawFields,
  c: Context<Env>,
  deps: MountDeps,
  memory: Lease,
  byId: ReadonlyMap<string, Endpoint>,
): Promise<MeantRequest> {
  const query = route.takesQuery ? queryOf(c) : {}
  if (!route.takesBody) return readRequest(route, { path, query })
  const { size, pieces } = await receiveBody(c.req.raw, memory)
  if (size <= LARGE_BODY) return readRequest(route, { path, query, body: joined(pieces) })
  const { operation, input } = await deps.readLargeBody(route.name, { path, query }, pieces)
  return { endpoint: byId.get(operation) ?? route.endpoint, input }
}

/** A name given once is text, a name given more often is a list of texts. */
function queryOf(c: Context<Env>): RawFields {
  const queries = Object.entries(c.req.queries())
  return Object.fromEntries(queries.map(([name, values]) => [name, values.length === 1 ? values[0] : values]))
}

async function answer(endpoint: Endpoint, caller: Caller, input: unknown, c: Context<Env>, deps: MountDeps): Promise<unknown> {
  const { parts, baseUrl } = deps
  const { workspace, instance } = caller
  const request = c.req.raw
  const call = { parts, request, workspace, instance, baseUrl: baseUrl ?? new URL(request.url).origin }
  if (endpoint.handle) return endpoint.handle(call as never, input as never)
  if (!instance) throw new Error(`${endpoint.id} is done by a shard, but its route names no instance`)
  const asked = askShard(endpoint, instance, input, idempotencyKeyOf(endpoint, c), deps)
  const { fallback } = endpoint
  const reply = await (fallback ? within(asked, fallback.ms, () => fallback.answer(call as InstanceCall)) : asked)
  return endpoint.kind === 'send' ? acknowledge(reply as Queued) : reply
}

/** Optional, on queued sends: repeats under the same key are queued once. */
function idempotencyKeyOf({ kind }: Endpoint, c: Context<Env>): string | undefined {
  const key = kind === 'send' ? c.req.header(IDEMPOTENCY_KEY.name) : undefined
  if (key !== undefined && (key.length < 1 || key.length > IDEMPOTENCY_KEY.maxLength))
    throw Failure.invalid({ path: IDEMPOTENCY_KEY.name, message: `must have 1 to ${IDEMPOTENCY_KEY.maxLength} characters` })
  return key
}

async function askShard(
  endpoint: Endpoint,
  instance: InstanceId,
  input: unknown,
  idempotencyKey: string | undefined,
  { engine, tally }: MountDeps,
): Promise<unknown> {
  const { id, kind } = endpoint
  const begun = performance.now()
  // A send is only queued here: what becomes of it is counted when its turn has come.
  const isImmediate = kind !== 'send'
  try {
    return await engine.call(instance, callOf(endpoint, input) as CallOf<OperationId>, idempotencyKey)
  } catch (error) {
    const code = error instanceof Failure ? error.code : 'internal'
    if (isImmediate) tally.add('svc_engine_action_errors_total', { operation: id, code })
    throw error instanceof Failure && error.code === 'instance_not_found' ? new InstanceGone(error) : error // 13
  } finally {
    if (isImmediate) tally.observe('svc_engine_action_duration_seconds', { operation: id }, (performance.now() - begun) / SECOND)
  }
}

/** What the fallback says in place of a shard that is silent or gone; other failures are answers. */
async function within(asked: Promise<unknown>, ms: number, fallback: () => Promise<unknown>): Promise<unknown> {
  try {
    return await orLate(asked, ms, fallback)
  } catch (error) {
    if (error instanceof Failure && error.code === 'engine_unavailable') return fallback()
    throw error
  }
}

const acknowledge = ({ message_id, svc_id }: Queued) => ({ id: message_id, message_id, svc_id, status: 'queued' })

function respond({ status, contentType, cacheControl }: Endpoint, reply: unknown): Response {
  if (reply instanceof Response) return reply
  const headers = new Headers({ 'Content-Type': contentType })
  if (cacheControl) headers.set('Cache-Control', cacheControl)
  return new Response(contentType === 'application/json' ? JSON.stringify(reply) : (reply as Uint8Array<ArrayBuffer>), {
    status,
    headers,
  })
}

/** The Account API and the administration. */
const isOfWorkspace = (access: Endpoint['access']) => access !== 'instance' && access !== 'public' && access !== 'metrics'
