/** Authentication. All checks are synchronous, so that many concurrent guesses cannot pass a throttle together. */
import type { Account } from '../account/account.ts'
import type { Directory } from '../directory/directory.ts'
import type { Clock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import { hasPlan, type Scope } from '../domain/workspace.ts'
import { parseRanges } from '../egress/addresses.ts'
import type { Oauth } from '../oauth/oauth.ts'
import { type AccessRequest, bearer } from './access-request.ts'
import { createAdminChecks } from './admin-checks.ts'
import { createAllowlistCheck } from './allowlist-check.ts'
import { createGuesses, type Guesses } from './guesses.ts'
import { checkScope, createKeyChecks, type KeyChecks } from './key-checks.ts'
import { createMcpChecks } from './mcp-checks.ts'
import { createOpenChecks } from './open-checks.ts'
import type { Buckets, Throttle } from './rate-limit.ts'
import { createRequestLimit } from './request-limit.ts'
import { createSessionChecks } from './session-checks.ts'

export interface AccessChecksDeps {
  account: Pick<Account, 'isShared' | 'workspace' | 'findApiKey' | 'findClientToken' | 'findAdmin' | 'used'>
  directory: Pick<Directory, 'authenticate' | 'authenticateToken' | 'tokenTagOf'>
  oauth: Pick<Oauth, 'authenticate' | 'used'> | null
  clock: Clock
  buckets: Buckets
  descriptions: Buckets
  tickets: Buckets
  apps: Buckets
  links: Buckets
  /** Limit of requests for a pairing code and of restarts with a connect link. */
  linkStarts: Buckets
  throttle: Throttle
  shortSecrets: Throttle
  adminAllowedIps: readonly string[]
  trustedProxies: readonly string[]
  /** Compares a token with the metrics token, in constant time. Undefined if no metrics token is set. */
  isMetricsToken: ((value: string) => boolean) | undefined
}

const INSTANCE = /^\/instances\/([^/]+)\/token\/([^/]+)(?:\/|$)/
const COUNTED = /^\/(?:account|admin|mcp)(?:\/|$)/
const instanceOwner = (caller: { instance: InstanceId } | undefined) => caller && `instance:${caller.instance}`

const NO_THROTTLE: Throttle = { blockedFor: () => undefined, failed() {} }
const UNLIMITED_GUESSES = { throttle: NO_THROTTLE, shortSecrets: NO_THROTTLE }
const ABSENT = new Set(['', 'undefined', 'null'])

export function createAccessChecks(deps: AccessChecksDeps) {
  const { account, directory, oauth, clock, descriptions, tickets, apps, links, linkStarts, throttle, shortSecrets } = deps
  const requests = createRequestLimit(deps.buckets)
  const guesses: Guesses = createGuesses({ throttle, shortSecrets })
  const keyChecks = createKeyChecks({ account, guesses })
  const { keyOfBearer, hasUnknownKey, checkKey } = keyChecks
  // The checks of requests that were accepted before count no guesses: a caller whose token was replaced has not guessed.
  const { checkKey: checkKeyAgain } = createKeyChecks({ account, guesses: createGuesses(UNLIMITED_GUESSES) })
  const admins = createAdminChecks({ account, guesses, requests, adminAllowedIps: deps.adminAllowedIps })
  const trusted = parseRanges(deps.trustedProxies)
  const { isMetricsToken } = deps
  const checkAllowlist = createAllowlistCheck()
  const mcp = createMcpChecks({ account, directory, oauth, guesses, requests, checkAllowlist, keyChecks })

  function checkWorkspace(id: WorkspaceId, source: string, isWithoutPlan = false) {
    const workspace = account.workspace(id)
    checkAllowlist(workspace, source)
    if (!isWithoutPlan && !hasPlan(workspace.subscription, clock.now())) throw new Failure('plan_required')
  }

  function ownerOf(path: string, headers: Headers): string | undefined {
    const [, instance, token] = INSTANCE.exec(path) ?? []
    if (instance !== undefined) return instanceOwner(directory.authenticate(instance, token!))
    const value = COUNTED.test(path) ? bearer(headers) : undefined
    if (value === undefined) return undefined
    if (/^\/mcp/.test(path)) return instanceOwner(mcp.callerOf(value))
    const workspace = keyOfBearer(headers)?.workspace ?? account.findAdmin(value)
    return workspace && `workspace:${workspace}`
  }

  function checkInstance(
    instance: string,
    token: string,
    incoming: AccessRequest,
    check: KeyChecks['checkKey'] = checkKey,
  ): { instance: InstanceId; workspace: WorkspaceId } {
    if (ABSENT.has(instance) || ABSENT.has(token)) throw new Failure('unauthorized')
    const caller = directory.authenticate(instance, token)
    if (!caller) guesses.refuse('instance_not_found', incoming.source)
    requests.report(`instance:${caller.instance}`, incoming)
    const workspace = account.workspace(caller.workspace)
    checkAllowlist(workspace, incoming.source)
    check(workspace, incoming)
    return caller
  }

  return {
    /**
     * True if the service may look for unknown credentials among the changes of other services. This reads the store,
     * so it is false for a caller with too many wrong guesses.
     */
    mayCatchUp: (source: string): boolean => account.isShared && throttle.blockedFor(source) === undefined,

    /**
     * False if the credentials of a request for an instance are not in memory. Another service may have stored them a
     * moment ago.
     */
    knows: (instance: string, token: string, headers: Headers): boolean =>
      directory.authenticate(instance, token) !== undefined && !hasUnknownKey(headers),

    instance(instance: string, token: string, incoming: AccessRequest): { instance: InstanceId; workspace: WorkspaceId } {
      const caller = checkInstance(instance, token, incoming)
      requests.take('instance', `instance:${caller.instance}`, incoming)
      return caller
    },

    /** Whether a request that was accepted would still be accepted. The call counts neither as a request nor as a guess. */
    isStillAllowed(instance: string, token: string, incoming: AccessRequest): boolean {
      try {
        checkInstance(instance, token, incoming, checkKeyAgain)
        return true
      } catch (error) {
        if (error instanceof Failure) return false
        throw error
      }
    },

    /**
     * Returns the number of remaining requests; undefined if they have no limit, or if the credential identifies
     * nobody.
     */
    remaining(path: string, headers: Headers): number | undefined {
      const owner = ownerOf(path, headers)
      return owner === undefined ? undefined : requests.remaining(owner)
    },

    account(scope: Scope, incoming: AccessRequest, { isWithoutPlan = false } = {}): { workspace: WorkspaceId } {
      const key = keyOfBearer(incoming.headers)
      if (!key) guesses.refuse('api_key_required', incoming.source)
      account.used(key, incoming.source)
      const owner = `workspace:${key.workspace}`
      requests.report(owner, incoming)
      checkWorkspace(key.workspace, incoming.source, isWithoutPlan)
      checkScope(key, scope)
      requests.take('workspace', owner, incoming)
      return { workspace: key.workspace }
    },

    /** Checks an admin request. `value` is the admin key. */
    admin: (incoming: AccessRequest, value = bearer(incoming.headers)): { workspace: WorkspaceId } =>
      admins.admit(value, incoming),

    knowsMcp: mcp.knows,
    mcp: mcp.admit,
    ...createSessionChecks({ account, guesses, requests, admins, checkWorkspace }),
    ...createOpenChecks({ guesses, descriptions, tickets, apps, links, linkStarts, trusted, isMetricsToken }),
  }
}
export type AccessChecks = ReturnType<typeof createAccessChecks>
