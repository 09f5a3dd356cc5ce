/**
 * `POST /mcp`: tools for agents. The bearer token of a request identifies the instance. The SDK implements the
 * protocol.
 */
import type { Context, Hono } from 'hono'
import { Failure } from '../../domain/failures.ts'
import type { ComingBody } from '../../domain/large-body.ts'
import type { DetailedLog } from '../../domain/log.ts'
import { isStorageFailure, noStorage } from '../../domain/storage-failure.ts'
import { type PreparedCall, type ReadLargeMessage, RPC, type RpcProblem } from '../../domain/tool-message.ts'
import type { Endpoint } from '../../features/endpoint.ts'
import { endpoints } from '../../features/index.ts'
import { parseInput } from '../../features/input.ts'
import { readMessage } from '../../features/tool-message.ts'
import { toolboxOf, toolCall } from '../../features/tools.ts'
import { checkNames, unknownFields } from '../../features/unknown-fields.ts'
import type { AccessChecks } from '../access-checks.ts'
import { type BodySource, receiveBody } from '../body.ts'
import type { BodyBudget, Lease } from '../body-budget.ts'
import { type Caller, type CarryOutDeps, carryOut, checkSubscription } from '../carry-out.ts'
import { IGNORED_HEADER, ignoredFieldsValue } from '../ignored-fields.ts'
import { accessRequestOf, type Env } from '../mount.ts'
import { challengeOf } from '../oauth/route.ts'
import { corsHeaders, isPreflight, preflightResponse } from './cors.ts'
import type { Session } from './server.ts'
import { failureResult, resultOf, type ToolResult } from './tool-result.ts'

export interface McpDeps extends CarryOutDeps {
  gate: Pick<AccessChecks, 'mcp' | 'knowsMcp' | 'mayCatchUp'>
  bodies: BodyBudget
  source: BodySource
  readLargeMessage(body: ComingBody): Promise<ReadLargeMessage>
  /** Origins whose pages may call the tools; null for the origin of the service itself. */
  allowedOrigins: readonly string[] | null
  /** If true, a refused caller gets the URL of the OAuth metadata. */
  hasOauth: boolean
  log: DetailedLog
}

const PATH = '/mcp'

const rpcResponse = (status: number, { code, message }: { code: number; message: string }, id: unknown = null) =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status })

/** Error code for an unacceptable `Accept` header, in the range that JSON-RPC reserves for servers. */
const NOT_ACCEPTABLE = -32000

const takesJson = (accept: string | null) =>
  accept === null || accept.split(',').some((type) => /^\s*(\*\/\*|application\/\*|application\/json)\s*(;|$)/i.test(type))

interface Read {
  message: Record<string, unknown>
  prepared?: PreparedCall
}

export function mountMcp(app: Hono<Env>, deps: McpDeps): void {
  const byId: ReadonlyMap<string, Endpoint> = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]))

  /** True if the origin may call the tools. Programs that are not browsers send no origin and are allowed. */
  function isAllowedOrigin(c: Context<Env>): boolean {
    const origin = c.req.header('Origin')
    if (origin === undefined) return true
    const own = new URL(deps.baseUrl ?? c.req.url).origin
    if (!(deps.allowedOrigins ?? [own]).includes(origin)) return false
    Object.assign(c.get('state').headers, corsHeaders(origin))
    return true
  }

  function admit(c: Context<Env>) {
    try {
      return deps.gate.mcp(accessRequestOf(c))
    } catch (error) {
      if (deps.hasOauth && error instanceof Failure && (error.code === 'unauthorized' || error.code === 'instance_not_found'))
        c.get('state').headers['WWW-Authenticate'] = challengeOf(deps.baseUrl ?? new URL(c.req.url).origin)
      throw error
    }
  }

  function nameIgnored(c: Context<Env>, names: string[]) {
    const value = ignoredFieldsValue(names)
    if (value !== undefined) c.get('state').headers[IGNORED_HEADER.name] = value
  }

  async function read(c: Context<Env>, memory: Lease): Promise<Read | { problem: RpcProblem }> {
    const body = await receiveBody(c.req.raw, memory, deps.source)
    if ('bytes' in body) return readMessage(body.bytes)
    const large = await deps.readLargeMessage(body.coming)
    if ('problem' in large) return large
    nameIgnored(c, large.unknown)
    return { message: large.message, prepared: large.call }
  }

  async function run(c: Context<Env>, caller: Caller, name: string, given: Record<string, unknown>, prepared?: PreparedCall) {
    const { source, requestId } = c.get('state')
    const asked = { request: c.req.raw, source, origin: { requestId } }
    if (prepared) {
      const { operation } = prepared
      const endpoint = operation === null ? undefined : byId.get(operation)
      if (endpoint?.needsSubscription) checkSubscription(caller, deps)
      if ('failure' in prepared) throw Failure.from(prepared.failure)
      return resultOf(prepared.operation, await carryOut(endpoint!, caller, prepared.input, asked, deps))
    }
    const call = toolCall(name, given)
    if ('answer' in call) return resultOf(name, call.answer)
    const { operation, fields } = call
    if (operation.needsSubscription) checkSubscription(caller, deps)
    checkNames(unknownFields(operation, fields), (names) => nameIgnored(c, names))
    const input = parseInput(operation, fields)
    return resultOf(operation.id, await carryOut(operation, caller, input, asked, deps))
  }

  async function outcome(c: Context<Env>, name: string, work: Promise<ToolResult>): Promise<ToolResult> {
    try {
      return await work
    } catch (error) {
      if (error instanceof Failure) return failureResult(error)
      deps.log.error({ err: error, request_id: c.get('state').requestId, tool: name }, 'a tool failed unexpectedly')
      return failureResult(isStorageFailure(error) ? noStorage() : new Failure('internal'))
    }
  }

  app.all(PATH, async (c) => {
    c.get('state').route = PATH
    const isAllowed = isAllowedOrigin(c)
    if (isAllowed && isPreflight(c.req.raw)) return preflightResponse(c.req.raw)
    if (c.req.raw.method !== 'POST') return new Response(null, { status: 405, headers: { Allow: 'POST' } })
    if (!isAllowed)
      throw new Failure('not_allowed', {
        message: 'Web pages of this origin may not call the tools; the setting SVC_MCP_ALLOWED_ORIGINS lists those that may.',
      })
    if (deps.gate.mayCatchUp(c.get('state').source) && !deps.gate.knowsMcp(c.req.raw.headers)) await deps.parts.account.catchUp()
    const caller = admit(c)
    if (!takesJson(c.req.header('Accept') ?? null))
      return rpcResponse(406, {
        code: NOT_ACCEPTABLE,
        message: 'The Accept header must allow application/json, the type of the answer.',
      })
    const { tools, problemOf } = toolboxOf(new URL(c.req.url).searchParams)
    const memory = deps.bodies.lease(caller.instance)
    try {
      const found = await read(c, memory)
      if ('problem' in found) return rpcResponse(400, found.problem)
      const { message, prepared } = found
      if (message.method === 'subscriptions/listen')
        return rpcResponse(404, { code: RPC.method, message: 'Method not found' }, message.id)
      const session: Session = {
        tools,
        problemOf,
        call: (name, given) => outcome(c, name, run(c, caller, name, given, prepared)),
      }
      const { serve } = await import('./server.ts')
      return await serve(c.req.raw, message, session)
    } finally {
      memory.release()
    }
  })
}
