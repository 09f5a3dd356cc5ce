/**
 * An operation is declared in one of four ways:
 *
 * - `send`: queued. It is acknowledged when it is stored, and its outcome is a `delivery` event.
 * - `action`: immediate. It needs a connected instance and returns the answer of the shard thread.
 * - `control`: handled by the shard thread in every state of the instance (pairing, restart, queue).
 * - `local`: answered by the handler in its declaration, which runs on the main thread.
 *
 * Route, validation, description, authentication and rate limit are derived from the declaration. For the first three
 * kinds, a missing handler in `workers/shard/operations` is a compile error.
 */
import { z } from 'zod'
import { SECOND } from '../domain/clock.ts'
import type { FailureCode } from '../domain/failures.ts'
import type { Identifier } from '../domain/ids.ts'
import type { METRICS_TEXT } from '../domain/metrics-text.ts'
import type { ServerEvents } from '../domain/server-events.ts'
import type { Scope } from '../domain/workspace.ts'
import { ACCOUNT, ADMIN, CONTROL, INSTANCE, KNOWN, READ, SEND, WITHOUT_DEVICE, WRITE } from './error-groups.ts'
import { Acknowledgement } from './fields.ts'
import type { HTML } from './page.ts'
import type { AccountCall, InstanceCall, PublicCall } from './parts.ts'

export type Kind = 'send' | 'action' | 'control' | 'local'
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Route = `${Method} /${string}`

/**
 * Credential that a route requires. A scope means an API key with this scope. `metrics` is the operator's token for
 * metrics. `described` needs no credential, and has a rate limit per address.
 */
export type Access = 'instance' | 'admin' | 'metrics' | 'described' | 'public' | Scope

export const INSTANCE_BASE = '/instances/{instance_id}/token/{token}'

const ACTION_DEADLINE = 20 * SECOND

/** Content type of an operation whose handler resolves with `ServerEvents`. */
export const EVENT_STREAM = 'text/event-stream'
export const LAST_EVENT_ID = 'Last-Event-ID'

/** Content type of an answer with a file of any kind. The handler states the actual type in its answer. */
export const ANY = '*/*'

export const BYTES = 'application/octet-stream'

type ContentType =
  | 'application/json'
  | 'image/png'
  | typeof ANY
  | typeof BYTES
  | typeof METRICS_TEXT
  | typeof HTML
  | typeof EVENT_STREAM

export interface Example {
  name: string
  input?: Record<string, unknown>
  reply?: unknown
}

interface Fallback<Reply> {
  ms: number
  answer(call: InstanceCall): Promise<Reply>
  isOfNow?: (call: InstanceCall) => boolean
}

export interface Endpoint<
  K extends Kind = Kind,
  Id extends string = string,
  I extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> {
  kind: K
  /** Id of the operation. It is part of the public API, so it must not change when code is renamed. */
  id: Id
  method: Method
  path: string
  access: Access
  fields: z.ZodRawShape
  input: I
  /** Returns the fields of a request that have no effect. They are not validated. */
  ignored: (fields: Readonly<Record<string, unknown>>) => readonly string[]
  reply: R
  status: 200 | 201
  contentType: ContentType
  cacheControl: string | undefined
  redirect: string | undefined
  /** True if the operation is refused with `subscription_required` when the plan does not allow sending. */
  needsSubscription: boolean
  /**
   * True if the operation is allowed without a paid plan. The owner must be able to see and to revoke connect links.
   */
  isWithoutPlan: boolean
  errors: readonly FailureCode[]
  summary: string
  description: string | undefined
  examples: readonly Example[]
  /** Maximum size of the body in bytes; undefined for the general limit. */
  maxBody: number | undefined
  /** True if the body is a file. The other fields are then in the URL or in headers (`inHeaders`). */
  takesFile: boolean
  /** Fields that are sent percent-encoded in headers, by the name of the header. */
  inHeaders: Readonly<Record<string, string>>
  /** Destination of a send whose input has no `phone`. */
  to: Identifier | undefined
  /**
   * Name of a field of a send. The field contains the id of the message to which the send refers, which becomes
   * `reference_message_id` of the `delivery` event.
   */
  about: string | undefined
  deadlineMs: number
  notFound: FailureCode
  /**
   * Answers from the directory of the main thread, if the shard thread does not answer within `ms`. If `isOfNow`
   * returns true, the directory knows the current state, so the thread is not asked.
   */
  fallback: Fallback<unknown> | undefined
  handle: ((call: never, input: never) => Promise<unknown>) | undefined
}

export type Issue = (path: string, message: string) => void

export interface Says<I extends z.ZodRawShape> {
  summary: string
  description?: string
  redirect?: string
  input?: I
  /** Returns the fields that other fields of the request make meaningless. They are not validated. */
  ignored?: Endpoint['ignored']
  /** Rules between fields, checked only if each field is valid by itself. */
  check?: (input: z.output<z.ZodObject<I>>, issue: Issue) => void
  errors?: readonly FailureCode[]
  examples?: readonly Example[]
  cacheControl?: string
  maxBody?: number
  takesFile?: true
  inHeaders?: Readonly<Record<string, keyof I & string>>
}

interface Replies<R extends z.ZodType> {
  reply: R
  status?: 200 | 201
  contentType?: ContentType
}

type InputOf<I extends z.ZodRawShape> = z.ZodObject<I>

function declare<K extends Kind, Id extends string, I extends z.ZodRawShape, R extends z.ZodType>(
  kind: K,
  id: Id,
  route: Route,
  says: Says<I> & Replies<R>,
  rest: { access: Access; group: readonly FailureCode[] } & Partial<
    Pick<Endpoint, 'needsSubscription' | 'isWithoutPlan' | 'fallback' | 'handle' | 'to' | 'about' | 'deadlineMs' | 'notFound'>
  >,
): Endpoint<K, Id, InputOf<I>, R> {
  const [method, path] = route.split(' ') as [Method, string]
  const base = rest.access === 'instance' ? INSTANCE_BASE : ''
  const fields = (says.input ?? {}) as I
  const object = z.object(fields)
  const { check } = says
  const input = check
    ? object.superRefine((value, context) => {
        // zod calls this function even if a field inside a list is invalid.
        if (context.issues.length > 0) return
        check(value as z.output<z.ZodObject<I>>, (at, message) =>
          context.addIssue({ code: 'custom', path: at === '' ? [] : at.split('.'), message }),
        )
      })
    : object
  return {
    kind,
    id,
    method,
    path: base + path,
    access: rest.access,
    fields,
    input,
    ignored: says.ignored ?? (() => []),
    reply: says.reply,
    status: says.status ?? 200,
    contentType: says.contentType ?? 'application/json',
    cacheControl: says.cacheControl,
    redirect: says.redirect,
    needsSubscription: rest.needsSubscription ?? false,
    isWithoutPlan: rest.isWithoutPlan ?? false,
    errors: [...new Set([...rest.group, ...ofBody(method), ...(says.errors ?? []), ...(rest.notFound ? [rest.notFound] : [])])],
    summary: says.summary,
    description: says.description,
    examples: says.examples ?? [],
    maxBody: says.maxBody,
    takesFile: says.takesFile ?? false,
    inHeaders: says.inHeaders ?? {},
    to: rest.to,
    about: rest.about,
    deadlineMs: rest.deadlineMs ?? ACTION_DEADLINE,
    notFound: rest.notFound ?? 'not_found',
    fallback: rest.fallback,
    handle: rest.handle,
  }
}

export const takesJson = ({ method, takesFile }: Pick<Endpoint, 'method' | 'takesFile'>): boolean => hasBody(method) && !takesFile

export const hasBody = (method: Method): boolean => method === 'POST' || method === 'PUT'

/** Failures that a body can cause. A body must be an object if there is one, even for operations without fields. */
const ofBody = (method: Method): readonly FailureCode[] => (hasBody(method) ? ['invalid_request'] : [])

/**
 * Declares a queued send. `about` is the name of the field with the id of the message to which the send refers. `to` is
 * the destination if the input has no `phone`.
 */
export function send<const Id extends string, I extends z.ZodRawShape>(
  id: Id,
  route: Route,
  says: Says<I> & { about?: keyof I & string; to?: Identifier },
) {
  return declare(
    'send',
    id,
    route,
    { ...says, reply: Acknowledgement },
    {
      access: 'instance',
      group: SEND,
      needsSubscription: true,
      to: says.to,
      about: says.about,
    },
  )
}

/**
 * Declares an immediate operation. `writes`: it changes the account, so it needs a subscription. `notFound`: the
 * failure that the network's 404 means. `isKnown`: it is answered from local data, without a query to the network.
 */
export function action<const Id extends string, I extends z.ZodRawShape, R extends z.ZodType>(
  id: Id,
  route: Route,
  says: Says<I> & Replies<R> & { writes: boolean; deadlineMs?: number; notFound?: FailureCode; isKnown?: true },
) {
  return declare('action', id, route, says, {
    access: 'instance',
    group: says.writes ? WRITE : says.isKnown ? KNOWN : READ,
    needsSubscription: says.writes,
    deadlineMs: says.deadlineMs,
    notFound: says.notFound,
  })
}

export function control<const Id extends string, I extends z.ZodRawShape, R extends z.ZodType>(
  id: Id,
  route: Route,
  says: Says<I> & Replies<R> & { fallback?: Fallback<z.output<R>> },
) {
  return declare('control', id, route, says, {
    access: 'instance',
    group: says.fallback ? INSTANCE : CONTROL,
    fallback: says.fallback,
  })
}

export type Anybody = 'public' | 'metrics' | 'described'
export const isAnybodys = (access: Access): access is Anybody =>
  access === 'public' || access === 'metrics' || access === 'described'

type CallOf<A extends Access> = A extends 'instance' ? InstanceCall : A extends Anybody ? PublicCall : AccountCall

const GROUP_OF_ACCESS = (access: Access): readonly FailureCode[] =>
  access === 'instance' ? WITHOUT_DEVICE : access === 'admin' ? ADMIN : isAnybodys(access) ? [] : ACCOUNT

export function local<const Id extends string, const A extends Access, I extends z.ZodRawShape, R extends z.ZodType>(
  id: Id,
  route: Route,
  says: Says<I> &
    Replies<R> & {
      access: A
      isWithoutPlan?: true
      handle(call: CallOf<A>, input: z.output<InputOf<I>>): Promise<z.output<R> | Response | ServerEvents>
    },
) {
  return declare('local', id, route, says, {
    access: says.access,
    group: GROUP_OF_ACCESS(says.access).filter((code) => !(says.isWithoutPlan && code === 'plan_required')),
    isWithoutPlan: says.isWithoutPlan,
    handle: says.handle as (call: never, input: never) => Promise<unknown>,
  })
}

export type RemoteKind = Exclude<Kind, 'local'>

/**
 * Types of the contexts that handlers get, by the kind of operation. `sent` is the type of a send's result, which
 * exists only some time after the acknowledgement.
 */
export interface HandlerContexts {
  send: unknown
  action: unknown
  control: unknown
  sent: unknown
}

type Remote<F> = { [K in keyof F]: F[K] extends Endpoint<RemoteKind> ? F[K] : never }[keyof F]
type HandlerReply<E, C extends HandlerContexts> =
  E extends Endpoint<'send'> ? C['sent'] : E extends { reply: infer R } ? z.output<R> : never
type HandlerContext<E, C extends HandlerContexts> = E extends { kind: infer K extends RemoteKind } ? C[K] : never

/**
 * Types of the handlers of the module `F`, so that TypeScript reports a missing handler. This is only a type, so the
 * shard thread does not load zod for it.
 */
export type HandlersOf<F, C extends HandlerContexts> = {
  [E in Remote<F> as E extends { id: infer Id extends string } ? Id : never]: (
    context: HandlerContext<E, C>,
    input: InputOfEndpoint<E>,
  ) => Promise<HandlerReply<E, C>>
}

export type InputOfEndpoint<E> = E extends { input: infer I } ? z.output<I> : never
export type ReplyOfEndpoint<E> = E extends Endpoint<'send'> ? Queued : E extends { reply: infer R } ? z.output<R> : never

export type OperationsOf<A> = {
  [E in A extends unknown ? Remote<A> : never as E extends { id: infer Id extends string } ? Id : never]: {
    kind: E extends { kind: infer K } ? K : never
    input: InputOfEndpoint<E>
    reply: ReplyOfEndpoint<E>
  }
}

/** Answer of the shard thread to a send. It comes only after the queue has committed the message. */
export interface Queued {
  message_id: string
  svc_id: string
}
