/**
 * Who calls, in the order of shared/api/auth-and-limits.md ("Order of checks"): the first failing row answers, and its number stands at
 * its line. Everything here is synchronous, so that many guesses at once cannot pass a throttle together.
 */
import type { Account, ApiKey } from '../account/account.ts'
import type { Directory } from '../directory/directory.ts'
import { API_KEY_PREFIX } from '../domain/brand.ts'
import type { Clock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import { hasPlan, type Scope, type Workspace } from '../domain/workspace.ts'
import { isIn, isNear, literalAddress, parseRanges, type Ranges, subscriberOf } from '../egress/addresses.ts'
import { TooMany } from './errors.ts'
import type { Buckets, Throttle } from './rate-limit.ts'

export interface GateDeps {
  account: Pick<Account, 'workspace' | 'findApiKey' | 'findClientToken' | 'findAdmin' | 'used'>
  directory: Pick<Directory, 'authenticate'>
  clock: Clock
  buckets: Buckets
  /** Of what anybody may ask for, per address. */
  descriptions: Buckets
  /** Of answers with 401; whoever gives them counts them. */
  throttle: Throttle
  /** Of wrong guesses at short secrets, counted here. */
  shortSecrets: Throttle
  adminAllowedIps: readonly string[]
  trustedProxies: readonly string[]
  /** Constant time. Undefined: no token is set, and only who is near is shown the metrics. */
  isMetricsToken: ((value: string) => boolean) | undefined
}

/** The request as far as a check may look at it. `limit` takes the number of tokens left, for the response's headers. */
export interface Knock {
  headers: Headers
  source: string
  /** Address of the socket, whatever a proxy says. */
  peer: string | undefined
  limit(remaining: number): void
}

/** Longest credential a header may carry, in characters. */
const MAX_CREDENTIAL = 256

/** Repeated headers arrive joined with a comma, so they match neither form. */
function bearer(headers: Headers): string | undefined {
  const value = headers.get('Authorization')
  if (value === null || value.length > MAX_CREDENTIAL) return undefined
  return /^bearer +([\x21-\x7e]+)$/i.exec(value)?.[1]
}

/** What reverse proxies add to a request they pass on. */
const RELAYED = ['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP']

/**
 * Whether `Host` names this machine or a machine of its own network: an address that is near, `localhost`, or a name without a dot, which nobody
 * outside can have. A page in a browser near by can have a name of its own resolve to us, and read what we answer under it.
 */
function isLocalHost(host: string | null): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(:\d*)?$/.exec(host ?? '')?.[1]
  if (name === undefined || name === '') return false
  const literal = literalAddress(name)
  return literal === undefined ? /^[a-z0-9_-]+$|\.localhost$/i.test(name) : isNear(literal)
}

export const NO_ROUTE = 'There is no such route.'

/** Codes of a wrong credential. */
type Wrong = 'unauthorized' | 'instance_not_found' | 'api_key_required' | 'client_token_required'

const ABSENT = new Set(['', 'undefined', 'null'])

export function createGate(deps: GateDeps) {
  const { account, directory, clock, buckets, descriptions, throttle, shortSecrets, adminAllowedIps, isMetricsToken } = deps
  const trusted = parseRanges(deps.trustedProxies)
  const admins = parseRanges(adminAllowedIps)
  const allowlists = new WeakMap<object, Ranges>()

  /**
   * Answers a wrong credential. Only a wrong one is ever throttled: behind a proxy strangers share the address of every caller, and must not
   * be able to lock anybody out. A secret of 192 bits needs no lockout.
   */
  function refuse(code: Wrong, source: string): never {
    const wait = throttle.blockedFor(source)
    throw wait === undefined ? new Failure(code) : new TooMany(wait, 'credential')
  }

  /**
   * Secrets that somebody chose may be short enough to be guessed. So for each `owner` of them an address has a hard limit of wrong guesses:
   * beyond it the right one is not answered either, until the minute ends.
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

  function checkScope(key: ApiKey, scope: Scope) {
    if (!key.scopes.includes(scope)) throw new Failure('insufficient_scope', { details: { required_scope: scope } })
  }

  function takeToken(scope: 'instance' | 'workspace', owner: string, { limit }: Knock) {
    const { allowed, remaining, retryAfter } = buckets.take(owner)
    limit(remaining)
    if (!allowed) throw new TooMany(retryAfter, scope)
  }

  /** An API key in `Authorization`. An imported client token is none. */
  function keyOfBearer(headers: Headers): ApiKey | undefined {
    const value = bearer(headers)
    if (value === undefined || !value.startsWith(API_KEY_PREFIX)) return undefined
    return account.findApiKey(value)
  }

  /** What does not begin like an API key can only be the imported client token of the workspace, which has 8 characters at least. */
  function keyOfClientToken(workspace: WorkspaceId, { headers, source }: Knock): ApiKey | undefined {
    const value = headers.get('Client-Token')
    if (value === null || value === '' || value.length > MAX_CREDENTIAL) return undefined
    if (value.startsWith(API_KEY_PREFIX)) return account.findApiKey(value)
    return guessed(workspace, source, () => account.findClientToken(workspace, value))
  }

  /** Rows 6 to 8. One credential is looked at per request. */
  function checkKey({ id, security }: Workspace, knock: Knock) {
    const { headers, source } = knock
    if (!security.requireClientToken && !security.requireApiKey) return
    const isBearer = !security.requireClientToken && headers.has('Authorization')
    const key = isBearer ? keyOfBearer(headers) : keyOfClientToken(id as WorkspaceId, knock)
    if (key?.workspace !== id) refuse(security.requireClientToken ? 'client_token_required' : 'api_key_required', source) // 6, 7
    account.used(key, source)
    checkScope(key, 'instances:operate') // 8
  }

  return {
    instance(instance: string, token: string, knock: Knock): { instance: InstanceId; workspace: WorkspaceId } {
      if (ABSENT.has(instance) || ABSENT.has(token)) throw new Failure('unauthorized') // 2
      const caller = directory.authenticate(instance, token)
      if (!caller) refuse('instance_not_found', knock.source) // 3, 4
      const owner = `instance:${caller.instance}`
      knock.limit(buckets.remaining(owner))
      const workspace = account.workspace(caller.workspace)
      checkAllowlist(workspace, knock.source) // 5
      checkKey(workspace, knock) // 6, 7, 8
      takeToken('instance', owner, knock) // 9
      return caller
    },

    /** Tokens left of an instance, for a path under it that is no route; undefined for a wrong pair. */
    remaining(instance: string, token: string): number | undefined {
      const caller = directory.authenticate(instance, token)
      return caller && buckets.remaining(`instance:${caller.instance}`)
    },

    account(scope: Scope, knock: Knock): { workspace: WorkspaceId } {
      const key = keyOfBearer(knock.headers)
      if (!key) refuse('api_key_required', knock.source) // 2, 3
      account.used(key, knock.source)
      const owner = `workspace:${key.workspace}`
      knock.limit(buckets.remaining(owner))
      const workspace = account.workspace(key.workspace)
      checkAllowlist(workspace, knock.source) // 4
      if (!hasPlan(workspace.subscription, clock.now())) throw new Failure('plan_required') // 5
      checkScope(key, scope) // 6
      takeToken('workspace', owner, knock) // 7
      return { workspace: key.workspace }
    },

    admin(knock: Knock): { workspace: WorkspaceId } {
      const value = bearer(knock.headers)
      const workspace = value === undefined ? undefined : account.findAdmin(value)
      if (!workspace) refuse('api_key_required', knock.source) // 2, 3
      const owner = `workspace:${workspace}`
      knock.limit(buckets.remaining(owner))
      if (admins.length > 0 && !isIn(admins, knock.source)) throw new Failure('ip_not_allowed') // 4
      takeToken('workspace', owner, knock) // 5
      return { workspace }
    },

    /** Large and the same for everybody: nobody needs it often. */
    described({ source }: Knock): void {
      const { allowed, retryAfter } = descriptions.take(subscriberOf(source))
      if (!allowed) throw new TooMany(retryAfter, 'address')
    },

    /** shared/api/mcp-and-system.md, `system.metrics`. Without a token whoever is not near hears of no such route. */
    metrics({ headers, source, peer }: Knock): void {
      if (isMetricsToken) {
        const value = bearer(headers)
        // Whoever names none guesses at none.
        const isRight = value !== undefined && guessed('metrics', source, () => isMetricsToken(value) || undefined)
        if (!isRight) refuse('unauthorized', source)
        return
      }
      // Relayed by somebody who is not trusted to say for whom: it may be anybody, although the relay is near.
      const isRelayed = RELAYED.some((name) => headers.has(name)) && !isIn(trusted, peer ?? '')
      if (isRelayed || !isNear(source) || !isLocalHost(headers.get('Host'))) throw new Failure('not_found', { message: NO_ROUTE })
    },
  }
}
export type Gate = ReturnType<typeof createGate>
