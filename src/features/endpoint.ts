/**
 * An operation is declared in one of four ways:
 *
 * - `send`: queued. It is acknowledged immediately, and its outcome is a `delivery` event.
 * - `action`: immediate. It needs a connected instance and returns the answer of the shard.
 * - `control`: handled by the shard of the instance, in every state (pairing, restart, queue).
 * - `local`: answered without a shard. The declaration has its own handler, which gets the parts it needs.
 *
 * Route, validation, description, authentication and rate limit are derived from the declaration by `src/http`. An operation of the first three kinds
 * has a handler in `workers/shard/operations`; the type `Handlers` makes the compiler report a missing handler.
 */
import { z } from 'zod'
import { SECOND } from '../domain/clock.ts'
import type { FailureCode } from '../domain/failures.ts'
import type { Identifier } from '../domain/ids.ts'
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
 * Credential that a route requires. A scope means an API key with that scope (Account API). `metrics` means the token
 * of the operator. `described` means no credential, with a rate limit per address.
 */
export type Access = 'instance' | 'admin' | 'metrics' | 'described' | 'public' | Scope

/** The common prefix of all instance routes. */
export const INSTANCE_BASE = '/instances/{instance_id}/token/{token}'

/** The text format of Prometheus. */
export const METRICS_TEXT = 'text/plain; version=0.0.4; charset=utf-8'

/** Time limit of an immediate operation, in ms. */
const ACTION_DEADLINE = 20 * SECOND

/** Server-sent events; the handler of such an operation resolves with `ServerEvents`. */
export const EVENT_STREAM = 'text/event-stream'
/** Request header with which a reader that was disconnected names the last event that it has. */
export const LAST_EVENT_ID = 'Last-Event-ID'

/** Content type of a file of any kind. The handler states the actual type in its answer. */
export const ANY = '*/*'

/** Content type of a file that only programs read. */
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
  /** Fields of path, query and body in one object, as a caller writes them. */
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
  /** The `operationId`. It is part of the public API, so it is written out and must not change when code is renamed. */
  id: Id
  method: Method
  /** The complete path from the base URL, with `{name}` for each parameter. */
  path: string
  access: Access
  /** Fields of path, query and body in one object. */
  fields: z.ZodRawShape
  input: I
  /** Returns the fields of a request that have no effect, whatever their value; they are not validated. */
  ignored: (fields: Readonly<Record<string, unknown>>) => readonly string[]
  reply: R
  status: 200 | 201
  contentType: ContentType
  cacheControl: string | undefined
  /** Description of a redirect that may take the place of the answer. */
  redirect: string | undefined
  /** Whether the operation is refused with `subscription_required` when the plan does not allow sending. */
  needsSubscription: boolean
  /** For the Account API: whether the operation is also allowed without a paid plan, because the owner must always be able to read and to revoke. */
  isWithoutPlan: boolean
  errors: readonly FailureCode[]
  summary: string
  description: string | undefined
  examples: readonly Example[]
  /** Size limit of the body in bytes; undefined for the general limit. */
  maxBody: number | undefined
  /** True if the body is a file of bytes. The other fields are then in the query. */
  takesFile: boolean
  /** Fields that are sent in headers, percent-encoded: names of the headers and of the fields. */
  inHeaders: Readonly<Record<string, string>>
  /** For `send`: destination if the input has no `phone`. */
  to: Identifier | undefined
  /** For `send`: field with the id of the message that it refers to, which becomes `reference_message_id` in its `delivery` event. */
  about: string | undefined
  /** For `action`: time limit in ms. */
  deadlineMs: number
  /** For `action`: the failure to report if the network answers 404. */
  notFound: FailureCode
  /**
   * For `control`: answer from the directory of the main thread, used when the shard does not answer within `ms`. If `isOfNow` is true, the directory
   * has the same data as the shard. Then the shard is not asked, because it may be busy.
   */
  fallback: Fallback<unknown> | undefined
  /** The handler; only for `local`. */
  handle: ((call: never, input: never) => Promise<unknown>) | undefined
}

export type Issue = (path: string, message: string) => void

export interface Says<I extends z.ZodRawShape> {
  summary: string
  description?: string
  redirect?: string
  input?: I
  /** Returns the fields that other fields of the request make meaningless; they are ignored, whatever their value. */
  ignored?: Endpoint['ignored']
  /** Rules between fields; checked only when each field is valid by itself. */
  check?: (input: z.output<z.ZodObject<I>>, issue: Issue) => void
  /** Error codes in addition to those of the operation's group. */
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
        // This check must not run if a field is invalid, but zod also calls it when a field inside a list is invalid, for example a text in place of
        // an identifier.
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

/** Whether the fields of an operation are in the body, as JSON. */
export const takesJson = ({ method, takesFile }: Pick<Endpoint, 'method' | 'takesFile'>): boolean => hasBody(method) && !takesFile

export const hasBody = (method: Method): boolean => method === 'POST' || method === 'PUT'

/** Errors of a body. They also apply to operations without fields, because a body must be an object if there is one. */
const ofBody = (method: Method): readonly FailureCode[] => (hasBody(method) ? ['invalid_request'] : [])

/**
 * Declares a send. `about`: field with the id of the message that the send refers to. `to`: destination if the input
 * has no `phone`.
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
 * Declares an immediate operation. `writes`: the operation changes the account on the network; it needs a subscription and may be refused with
 * `not_allowed`. `deadlineMs`: time limit of operations that take longer than the usual 20 s. `notFound`: the failure that the network's 404 means.
 * `isKnown`: the operation is a read that is answered from local data, without a query to the network.
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

/** Kinds of access whose handlers get no account and no instance. */
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

/** Kinds of operations whose handlers are in the shard. */
export type RemoteKind = Exclude<Kind, 'local'>

/** Argument of a handler, by kind. `sent` is the result of a send's handler, which runs long after the acknowledgement. */
export interface HandlerContexts {
  send: unknown
  action: unknown
  control: unknown
  sent: unknown
}

/** The `send`, `action` and `control` exports of a module. */
type Remote<F> = { [K in keyof F]: F[K] extends Endpoint<RemoteKind> ? F[K] : never }[keyof F]
type HandlerReply<E, C extends HandlerContexts> =
  E extends Endpoint<'send'> ? C['sent'] : E extends { reply: infer R } ? z.output<R> : never
type HandlerContext<E, C extends HandlerContexts> = E extends { kind: infer K extends RemoteKind } ? C[K] : never

/**
 * The handlers of a feature module: one function per operation of the shard, under the id of the operation. If a handler is missing, TypeScript
 * reports `Property '"labels.create"' is missing`. `F` is `typeof import('…/features/x.ts')`. It is only a type, so the shard never loads zod.
 */
export type HandlersOf<F, C extends HandlerContexts> = {
  [E in Remote<F> as E extends { id: infer Id extends string } ? Id : never]: (
    context: HandlerContext<E, C>,
    input: InputOfEndpoint<E>,
  ) => Promise<HandlerReply<E, C>>
}

export type InputOfEndpoint<E> = E extends { input: infer I } ? z.output<I> : never
export type ReplyOfEndpoint<E> = E extends Endpoint<'send'> ? Queued : E extends { reply: infer R } ? z.output<R> : never

/** Input and answer of each operation of the shard, by id. `A` is a union of feature modules. */
export type OperationsOf<A> = {
  [E in A extends unknown ? Remote<A> : never as E extends { id: infer Id extends string } ? Id : never]: {
    kind: E extends { kind: infer K } ? K : never
    input: InputOfEndpoint<E>
    reply: ReplyOfEndpoint<E>
  }
}

/** Result of `engine.call` for a `send`. The shard answers only after its queue has committed the message. */
export interface Queued {
  message_id: string
  svc_id: string
}
