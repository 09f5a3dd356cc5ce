/**
 * Authentication, in a fixed order of checks: the first check that fails determines the answer. A comment at the end of a line (`// 4`) gives the
 * number of the check. Everything here is synchronous, so that many concurrent guesses cannot pass a throttle together.
 */
import type { Account } from '../account/account.ts'
import type { Directory } from '../directory/directory.ts'
import type { Clock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import { hasPlan, type Scope } from '../domain/workspace.ts'
import { parseRanges } from '../egress/addresses.ts'
import type { Oauth, OauthApp } from '../oauth/oauth.ts'
import { type AccessRequest, bearer } from './access-request.ts'
import { createAdminChecks } from './admin-checks.ts'
import { createAllowlistCheck } from './allowlist-check.ts'
import { createGuesses, type Guesses } from './guesses.ts'
import { checkScope, createKeyChecks } from './key-checks.ts'
import { createOpenChecks } from './open-checks.ts'
import type { Buckets, Throttle } from './rate-limit.ts'
import { createRequestLimit } from './request-limit.ts'
import { createSessionChecks } from './session-checks.ts'

export interface AccessChecksDeps {
  account: Pick<Account, 'workspace' | 'findApiKey' | 'findClientToken' | 'findAdmin' | 'used'>
  directory: Pick<Directory, 'authenticate' | 'authenticateToken' | 'tokenTagOf'>
  /** OAuth apps; null if they are disabled. */
  oauth: Pick<Oauth, 'authenticate' | 'used'> | null
  clock: Clock
  buckets: Buckets
  /** Limit of public requests (the description, pages), per address. */
  descriptions: Buckets
  /** Limit of requests with a passkey ticket, per instance. */
  tickets: Buckets
  /** Limit of requests to `/oauth`, per kind of request and address. */
  apps: Buckets
  /** Limit of requests with a connect link, per link. */
  links: Buckets
  /** Limit of requests with a connect link that begin something on the network, per link and operation. */
  linkStarts: Buckets
  /** Limit of answers with 401, counted when such an answer is given. */
  throttle: Throttle
  /** Limit of wrong guesses at short secrets, counted in this file. */
  shortSecrets: Throttle
  adminAllowedIps: readonly string[]
  trustedProxies: readonly string[]
  /**
   * Compares the token of `/metrics` in constant time. Undefined if no token is set; then only callers on this machine or in a private network get
   * the metrics.
   */
  isMetricsToken: ((value: string) => boolean) | undefined
}

/** Matches every path under an instance, whether or not a route has this path. */
const INSTANCE = /^\/instances\/([^/]+)\/token\/([^/]+)(?:\/|$)/
/** Matches the paths on which `Authorization` identifies the caller. */
const COUNTED = /^\/(?:account|admin|mcp)(?:\/|$)/
const instanceOwner = (caller: { instance: InstanceId } | undefined) => caller && `instance:${caller.instance}`

const ABSENT = new Set(['', 'undefined', 'null'])

export function createAccessChecks(deps: AccessChecksDeps) {
  const { account, directory, oauth, clock, descriptions, tickets, apps, links, linkStarts, throttle, shortSecrets } = deps
  const requests = createRequestLimit(deps.buckets)
  const guesses: Guesses = createGuesses({ throttle, shortSecrets })
  const { keyOfBearer, checkKey } = createKeyChecks({ account, guesses })
  const admins = createAdminChecks({ account, guesses, requests, adminAllowedIps: deps.adminAllowedIps })
  const trusted = parseRanges(deps.trustedProxies)
  const { isMetricsToken } = deps
  const checkAllowlist = createAllowlistCheck()

  /** Makes the checks of the Account API that concern the workspace: its allowlist and its plan. */
  function checkWorkspace(id: WorkspaceId, source: string, isWithoutPlan = false) {
    const workspace = account.workspace(id)
    checkAllowlist(workspace, source) // 4
    if (!isWithoutPlan && !hasPlan(workspace.subscription, clock.now())) throw new Failure('plan_required') // 5
  }

  /** Looks up an app by its access token, which is valid as long as its instance exists. */
  function appOf(value: string): OauthApp | undefined {
    const app = oauth?.authenticate(value)
    return app && directory.tokenTagOf(app.instance) !== undefined ? app : undefined
  }

  /** Returns the owner of the rate limit bucket for a request to a counted path. */
  function ownerOf(path: string, headers: Headers): string | undefined {
    const [, instance, token] = INSTANCE.exec(path) ?? []
    if (instance !== undefined) return instanceOwner(directory.authenticate(instance, token!))
    const value = COUNTED.test(path) ? bearer(headers) : undefined
    if (value === undefined) return undefined
    if (/^\/mcp/.test(path)) return instanceOwner(appOf(value) ?? directory.authenticateToken(value))
    const workspace = keyOfBearer(headers)?.workspace ?? account.findAdmin(value)
    return workspace && `workspace:${workspace}`
  }

  /** Makes the checks 2 to 8 of a request to an instance. */
  function checkInstance(
    instance: string,
    token: string,
    incoming: AccessRequest,
  ): { instance: InstanceId; workspace: WorkspaceId } {
    if (ABSENT.has(instance) || ABSENT.has(token)) throw new Failure('unauthorized') // 2
    const caller = directory.authenticate(instance, token)
    if (!caller) guesses.refuse('instance_not_found', incoming.source) // 3, 4
    requests.report(`instance:${caller.instance}`, incoming)
    const workspace = account.workspace(caller.workspace)
    checkAllowlist(workspace, incoming.source) // 5
    checkKey(workspace, incoming) // 6, 7, 8
    return caller
  }

  return {
    instance(instance: string, token: string, incoming: AccessRequest): { instance: InstanceId; workspace: WorkspaceId } {
      const caller = checkInstance(instance, token, incoming)
      requests.take('instance', `instance:${caller.instance}`, incoming) // 9
      return caller
    },

    /** Admits a request to `/mcp`, with its own order of checks: the credential identifies the instance. */
    mcp(incoming: AccessRequest): { instance: InstanceId; workspace: WorkspaceId } {
      const value = bearer(incoming.headers)
      if (value === undefined) throw new Failure('unauthorized') // 1
      const app = appOf(value)
      const caller = app ?? directory.authenticateToken(value)
      if (!caller) guesses.refuse('instance_not_found', incoming.source) // 2, 3
      if (app) oauth?.used(app)
      const owner = `instance:${caller.instance}`
      requests.report(owner, incoming)
      const workspace = account.workspace(caller.workspace)
      checkAllowlist(workspace, incoming.source) // 4
      // An app needs no API key, because the owner has approved it with the admin key.
      if (!app) checkKey(workspace, incoming, false) // 5, 6
      requests.take('instance', owner, incoming) // 7
      return { instance: caller.instance, workspace: caller.workspace }
    },

    /**
     * Whether an accepted request would still be accepted, for answers that last long (streams). No limit counts this call, because it is not a
     * request.
     */
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
     * Returns how many tokens the bucket of the caller has left. It is for an answer that was made before a bucket was used (an unknown path, a
     * credential of another kind). Undefined if the credential identifies nobody. The missing number reveals no more than the refusal does.
     */
    remaining(path: string, headers: Headers): number | undefined {
      const owner = ownerOf(path, headers)
      return owner === undefined ? undefined : requests.remaining(owner)
    },

    account(scope: Scope, incoming: AccessRequest, { isWithoutPlan = false } = {}): { workspace: WorkspaceId } {
      const key = keyOfBearer(incoming.headers)
      if (!key) guesses.refuse('api_key_required', incoming.source) // 2, 3
      account.used(key, incoming.source)
      const owner = `workspace:${key.workspace}`
      requests.report(owner, incoming)
      checkWorkspace(key.workspace, incoming.source, isWithoutPlan) // 4, 5
      checkScope(key, scope) // 6
      requests.take('workspace', owner, incoming) // 7
      return { workspace: key.workspace }
    },

    /** Admits a request to the administration. `value` is the admin key; the default is the bearer token of the request. */
    admin: (incoming: AccessRequest, value = bearer(incoming.headers)): { workspace: WorkspaceId } =>
      admins.admit(value, incoming),

    ...createSessionChecks({ account, guesses, requests, admins, checkWorkspace }),
    ...createOpenChecks({ guesses, descriptions, tickets, apps, links, linkStarts, trusted, isMetricsToken }),
  }
}
export type AccessChecks = ReturnType<typeof createAccessChecks>
