/**
 * Authentication, in a fixed order of checks: the first failing check answers, and its number is at the end of its line. Everything here is
 * synchronous, so that many concurrent guesses cannot pass a throttle together.
 */
import type { Account, ApiKey } from '../account/account.ts'
import type { Directory } from '../directory/directory.ts'
import { ADMIN_KEY_PREFIX, API_KEY_PREFIX } from '../domain/brand.ts'
import type { Clock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import { hasPlan, type Scope, type Workspace } from '../domain/workspace.ts'
import { isIn, isNear, LOOPBACK, literalAddress, parseRanges, type Ranges, subscriberOf } from '../egress/addresses.ts'
import type { Oauth, OauthApp } from '../oauth/oauth.ts'
import { TooMany } from './errors.ts'
import type { Buckets, Throttle } from './rate-limit.ts'
import { isRelayed } from './source.ts'

export interface AccessChecksDeps {
  account: Pick<Account, 'workspace' | 'findApiKey' | 'findClientToken' | 'findAdmin' | 'used'>
  directory: Pick<Directory, 'authenticate' | 'authenticateToken' | 'tokenTagOf'>
  /** Null if OAuth apps are disabled. */
  oauth: Pick<Oauth, 'authenticate' | 'used'> | null
  clock: Clock
  buckets: Buckets
  /** Limit of public requests (the description, pages), per address. */
  descriptions: Buckets
  /** Limit of requests with a passkey ticket, per instance. */
  tickets: Buckets
  /** Limit of requests to `/oauth`, per kind and address. */
  apps: Buckets
  /** Limit of answers with 401, counted where they are given. */
  throttle: Throttle
  /** Limit of wrong guesses at short secrets, counted here. */
  shortSecrets: Throttle
  adminAllowedIps: readonly string[]
  trustedProxies: readonly string[]
  /** Compares in constant time. Undefined if no token is set; then only callers on near addresses get the metrics. */
  isMetricsToken: ((value: string) => boolean) | undefined
}

/** The part of the request that checks may read. `limit` receives the number of remaining tokens, for the headers of the response. */
export interface AccessRequest {
  headers: Headers
  source: string
  /** Address of the peer of the socket, regardless of what a proxy claims. */
  peer: string | undefined
  limit(remaining: number): void
}

/** Longest accepted credential in a header, in characters. */
const MAX_CREDENTIAL = 256

/** Repeated headers arrive joined with a comma, so they match neither form. */
function bearer(headers: Headers): string | undefined {
  const value = headers.get('Authorization')
  if (value === null || value.length > MAX_CREDENTIAL) return undefined
  return /^bearer +([\x21-\x7e]+)$/i.exec(value)?.[1]
}

/**
 * Whether `Host` names this machine or a machine of its own network: a near address, `localhost`, or a name without a dot, which nobody outside can
 * own. Otherwise a page in a near browser could make its own host name resolve to this service and read the answers.
 */
function isLocalHost(host: string | null): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(:\d*)?$/.exec(host ?? '')?.[1]
  if (name === undefined || name === '') return false
  const literal = literalAddress(name)
  return literal === undefined ? /^[a-z0-9_-]+$|\.localhost$/i.test(name) : isNear(literal)
}

/** Every path under an instance, whether or not it is a route. */
const INSTANCE = /^\/instances\/([^/]+)\/token\/([^/]+)(?:\/|$)/
/** Paths on which `Authorization` identifies the caller. */
const COUNTED = /^\/(?:account|admin|mcp)(?:\/|$)/
const instanceOwner = (caller: { instance: InstanceId } | undefined) => caller && `instance:${caller.instance}`

/** Request header that carries a passkey ticket. */
export const TICKET_HEADER = 'X-Passkey-Ticket'
const NO_TICKET = 'This ticket was used or has expired; press the button on the pairing page again.'

export const NO_ROUTE = 'No such route exists.'

/** The error code is that of an API key. The message says that an API key is not accepted here, for callers who sent one. */
const ADMIN_KEY_WANTED = `A valid admin key (${ADMIN_KEY_PREFIX}…) is required; an API key is not accepted here.`

/** Codes of a wrong credential. */
type Wrong = 'unauthorized' | 'instance_not_found' | 'api_key_required' | 'client_token_required'

const ABSENT = new Set(['', 'undefined', 'null'])

export function createAccessChecks(deps: AccessChecksDeps) {
  const { account, directory, oauth, clock, buckets, descriptions, tickets, apps, throttle, shortSecrets } = deps
  const { adminAllowedIps, isMetricsToken } = deps
  const trusted = parseRanges(deps.trustedProxies)
  const admins = parseRanges(adminAllowedIps)
  const loopback = parseRanges(LOOPBACK)
  const allowlists = new WeakMap<object, Ranges>()

  /**
   * Answers a wrong credential. Only wrong credentials are throttled: behind a proxy, strangers share the address of every caller and must not be
   * able to lock anybody out. A secret of 192 bits needs no lockout.
   */
  function refuse(code: Wrong, source: string, message?: string): never {
    const wait = throttle.blockedFor(source)
    throw wait === undefined ? new Failure(code, message === undefined ? {} : { message }) : new TooMany(wait, 'credential')
  }

  /**
   * Secrets that people choose may be short enough to guess. So each address has a hard limit of wrong guesses per `owner` of such a secret: above it
   * even the right secret is refused until the minute ends.
   */
  function guessed<T>(owner: string, source: string, isRight: () => T | undefined): T | undefined {
    const wait = shortSecrets.blockedFor(source, owner)
    if (wait !== undefined) throw new TooMany(wait, 'credential')
    const right = isRight()
    if (right === undefined) shortSecrets.failed(source, owner)
    return right
  }

  function checkAllowlist({ security: { allowlist } }: Workspace, source: string) {
    if (!allowlist.enabled) return
    const ranges = allowlists.get(allowlist) ?? parseRanges(allowlist.entries.map(({ cidr }) => cidr))
    allowlists.set(allowlist, ranges)
    if (!isIn(ranges, source)) throw new Failure('ip_not_allowed')
  }

  function checkAdminAddress({ source }: AccessRequest) {
    if (admins.length > 0 && !isIn(admins, source)) throw new Failure('ip_not_allowed')
  }

  function isLocal(
    { headers, source, peer }: Pick<AccessRequest, 'headers' | 'source' | 'peer'>,
    isNearEnough: (source: string) => boolean,
  ) {
    // A proxy that may not name its callers relayed the request, so the caller may be anybody, although the proxy is near.
    const isAnybodys = isRelayed(headers) && !isIn(trusted, peer ?? '')
    return !isAnybodys && isNearEnough(source) && isLocalHost(headers.get('Host'))
  }

  function checkScope(key: ApiKey, scope: Scope) {
    if (!key.scopes.includes(scope)) throw new Failure('insufficient_scope', { details: { required_scope: scope } })
  }

  function takeToken(scope: 'instance' | 'workspace', owner: string, { limit }: AccessRequest) {
    const { allowed, remaining, retryAfter } = buckets.take(owner)
    limit(remaining)
    if (!allowed) throw new TooMany(retryAfter, scope)
  }

  /** An API key in `Authorization`. An imported client token is not accepted there. */
  function keyOfBearer(headers: Headers): ApiKey | undefined {
    const value = bearer(headers)
    if (value === undefined || !value.startsWith(API_KEY_PREFIX)) return undefined
    return account.findApiKey(value)
  }

  /** A value without the prefix of an API key can only be the imported client token of the workspace, which has at least 8 characters. */
  function keyOfClientToken(workspace: WorkspaceId, { headers, source }: AccessRequest): ApiKey | undefined {
    const value = headers.get('Client-Token')
    if (value === null || value === '' || value.length > MAX_CREDENTIAL) return undefined
    if (value.startsWith(API_KEY_PREFIX)) return account.findApiKey(value)
    return guessed(workspace, source, () => account.findClientToken(workspace, value))
  }

  /** Checks 6 to 8. One credential is checked per request. `mayBear`: whether `Authorization` may hold a key. */
  function checkKey({ id, security }: Workspace, incoming: AccessRequest, mayBear = true) {
    const { headers, source } = incoming
    if (!security.requireClientToken && !security.requireApiKey) return
    const isBearer = mayBear && !security.requireClientToken && headers.has('Authorization')
    const key = isBearer ? keyOfBearer(headers) : keyOfClientToken(id as WorkspaceId, incoming)
    if (key?.workspace !== id) refuse(security.requireClientToken ? 'client_token_required' : 'api_key_required', source) // 6, 7
    account.used(key, source)
    checkScope(key, 'instances:operate') // 8
  }

  /** Looks up an app by its access token, which is valid as long as its instance exists. */
  function appOf(value: string): OauthApp | undefined {
    const app = oauth?.authenticate(value)
    return app && directory.tokenTagOf(app.instance) !== undefined ? app : undefined
  }

  /** Owner of the rate limit bucket for a request to a counted path. */
  function ownerOf(path: string, headers: Headers): string | undefined {
    const [, instance, token] = INSTANCE.exec(path) ?? []
    if (instance !== undefined) return instanceOwner(directory.authenticate(instance, token!))
    const value = COUNTED.test(path) ? bearer(headers) : undefined
    if (value === undefined) return undefined
    if (/^\/mcp/.test(path)) return instanceOwner(appOf(value) ?? directory.authenticateToken(value))
    const workspace = keyOfBearer(headers)?.workspace ?? account.findAdmin(value)
    return workspace && `workspace:${workspace}`
  }

  /** Checks 2 to 8. */
  function checkInstance(
    instance: string,
    token: string,
    incoming: AccessRequest,
  ): { instance: InstanceId; workspace: WorkspaceId } {
    if (ABSENT.has(instance) || ABSENT.has(token)) throw new Failure('unauthorized') // 2
    const caller = directory.authenticate(instance, token)
    if (!caller) refuse('instance_not_found', incoming.source) // 3, 4
    incoming.limit(buckets.remaining(`instance:${caller.instance}`))
    const workspace = account.workspace(caller.workspace)
    checkAllowlist(workspace, incoming.source) // 5
    checkKey(workspace, incoming) // 6, 7, 8
    return caller
  }

  return {
    instance(instance: string, token: string, incoming: AccessRequest): { instance: InstanceId; workspace: WorkspaceId } {
      const caller = checkInstance(instance, token, incoming)
      takeToken('instance', `instance:${caller.instance}`, incoming) // 9
      return caller
    },

    /** `/mcp`, with its own order of checks: the credential identifies the instance. */
    mcp(incoming: AccessRequest): { instance: InstanceId; workspace: WorkspaceId } {
      const value = bearer(incoming.headers)
      if (value === undefined) throw new Failure('unauthorized') // 1
      const app = appOf(value)
      const caller = app ?? directory.authenticateToken(value)
      if (!caller) refuse('instance_not_found', incoming.source) // 2, 3
      if (app) oauth?.used(app)
      const owner = `instance:${caller.instance}`
      incoming.limit(buckets.remaining(owner))
      const workspace = account.workspace(caller.workspace)
      checkAllowlist(workspace, incoming.source) // 4
      // An app needs no key, because the owner has approved it with the admin key.
      if (!app) checkKey(workspace, incoming, false) // 5, 6
      takeToken('instance', owner, incoming) // 7
      return { instance: caller.instance, workspace: caller.workspace }
    },

    /** Whether an accepted request would still be accepted, for answers that last long. This is not a request, so no limit counts it. */
    isStillAllowed(instance: string, token: string, incoming: AccessRequest): boolean {
      try {
        checkInstance(instance, token, incoming)
        return true
      } catch (error) {
        if (error instanceof Failure) return false
        throw error
      }
    },

    /**
     * Remaining tokens of the caller, for an answer that was made before a bucket was used (an unknown path, a credential of another kind). Undefined
     * if the credential identifies nobody; the absence reveals no more than the refusal does.
     */
    remaining(path: string, headers: Headers): number | undefined {
      const owner = ownerOf(path, headers)
      return owner === undefined ? undefined : buckets.remaining(owner)
    },

    account(scope: Scope, incoming: AccessRequest): { workspace: WorkspaceId } {
      const key = keyOfBearer(incoming.headers)
      if (!key) refuse('api_key_required', incoming.source) // 2, 3
      account.used(key, incoming.source)
      const owner = `workspace:${key.workspace}`
      incoming.limit(buckets.remaining(owner))
      const workspace = account.workspace(key.workspace)
      checkAllowlist(workspace, incoming.source) // 4
      if (!hasPlan(workspace.subscription, clock.now())) throw new Failure('plan_required') // 5
      checkScope(key, scope) // 6
      takeToken('workspace', owner, incoming) // 7
      return { workspace: key.workspace }
    },

    /** `value`: the admin key; by default the bearer token of the request. */
    admin(incoming: AccessRequest, value = bearer(incoming.headers)): { workspace: WorkspaceId } {
      const workspace = value === undefined ? undefined : account.findAdmin(value)
      if (!workspace) refuse('api_key_required', incoming.source, ADMIN_KEY_WANTED) // 2, 3
      const owner = `workspace:${workspace}`
      incoming.limit(buckets.remaining(owner))
      checkAdminAddress(incoming) // 4
      takeToken('workspace', owner, incoming) // 5
      return { workspace }
    },

    /** A session of the dashboard: checks 2 to 5 of the admin API, with its own bucket. `session` is undefined if there is none. */
    session(session: { id: string; workspace: WorkspaceId } | undefined, incoming: AccessRequest): { workspace: WorkspaceId } {
      if (!session) refuse('unauthorized', incoming.source)
      const owner = `session:${session.id}`
      incoming.limit(buckets.remaining(owner))
      checkAdminAddress(incoming)
      takeToken('workspace', owner, incoming)
      return { workspace: session.workspace }
    },

    /** Accepts a passkey ticket instead of the credentials of its instance. */
    ticket(
      find: (ticket: string) => InstanceId | undefined,
      { headers, source }: Pick<AccessRequest, 'headers' | 'source'>,
    ): { instance: InstanceId; ticket: string } {
      const ticket = headers.get(TICKET_HEADER)
      const instance = ticket === null || ticket.length > MAX_CREDENTIAL ? undefined : find(ticket)
      if (ticket === null || instance === undefined) refuse('unauthorized', source, NO_TICKET)
      const { allowed, retryAfter } = tickets.take(instance)
      if (!allowed) throw new TooMany(retryAfter, 'instance')
      return { instance, ticket }
    },

    /** Refuses a ticket that is no longer valid. */
    staleTicket: ({ source }: Pick<AccessRequest, 'source'>): never => refuse('unauthorized', source, NO_TICKET),

    /** Whether the caller is a program on this machine that connected directly and used a name that only this machine has. */
    isOnThisMachine: (incoming: Pick<AccessRequest, 'headers' | 'source' | 'peer'>): boolean =>
      isLocal(incoming, (source) => isIn(loopback, source)),

    /** Limits a request to `/oauth` by its address. Each `kind` of request has its own limit. */
    oauth({ source }: Pick<AccessRequest, 'source'>, kind: string): void {
      const { allowed, retryAfter } = apps.take(`${kind} ${subscriberOf(source)}`)
      if (!allowed) throw new TooMany(retryAfter, 'address')
    },

    /** Limits downloads that are large, the same for everybody and rarely needed. */
    described({ source }: Pick<AccessRequest, 'source'>, what = ''): void {
      const { allowed, retryAfter } = descriptions.take(what + subscriberOf(source))
      if (!allowed) throw new TooMany(retryAfter, 'address')
    },

    /** Without a configured token, callers that are not near get `not_found`. */
    metrics({ headers, source, peer }: AccessRequest): void {
      if (isMetricsToken) {
        const value = bearer(headers)
        // A request without a token does not count as a guess.
        const isRight = value !== undefined && guessed('metrics', source, () => isMetricsToken(value) || undefined)
        if (!isRight) refuse('unauthorized', source)
        return
      }
      if (!isLocal({ headers, source, peer }, isNear)) throw new Failure('not_found', { message: NO_ROUTE })
    },
  }
}
export type AccessChecks = ReturnType<typeof createAccessChecks>
