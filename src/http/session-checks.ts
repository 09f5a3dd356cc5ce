/**
 * Checks of the dashboard's sign-in and sessions. A session of the admin key has the checks of a request with that key;
 * a session of an API key has the checks of the Account API.
 */
import type { Account, ApiKey, DashboardSession } from '../account/account.ts'
import { ADMIN_KEY_PREFIX, API_KEY_PREFIX } from '../domain/brand.ts'
import { OPENING_SCOPE } from '../domain/dashboard-rights.ts'
import { Failure } from '../domain/failures.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import type { AccessRequest } from './access-request.ts'
import type { AdminChecks } from './admin-checks.ts'
import type { Guesses } from './guesses.ts'
import { checkScope } from './key-checks.ts'
import type { RequestLimit } from './request-limit.ts'

export interface SessionChecksDeps {
  account: Pick<Account, 'findApiKey' | 'used'>
  guesses: Guesses
  requests: RequestLimit
  admins: AdminChecks
  checkWorkspace(workspace: WorkspaceId, source: string): void
}

/** A session that is open. `key` is null for a session of the admin key. */
export interface OpenSession {
  session: DashboardSession
  key: ApiKey | null
}

const KEY_WANTED = `A valid admin key (${ADMIN_KEY_PREFIX}…) or API key (${API_KEY_PREFIX}…) is required.`

export function createSessionChecks({ account, requests, admins, checkWorkspace, ...deps }: SessionChecksDeps) {
  const guesses: Guesses = deps.guesses

  function checkSession({ session, key }: OpenSession, source: string) {
    if (key === null) admins.checkAddress(source)
    else checkWorkspace(session.workspace, source)
  }

  return {
    signIn(value: string, incoming: AccessRequest): { workspace: WorkspaceId; key: ApiKey | null } {
      if (!value.startsWith(API_KEY_PREFIX)) return { ...admins.admit(value, incoming, KEY_WANTED), key: null }
      const key = account.findApiKey(value)
      if (!key) guesses.refuse('api_key_required', incoming.source, KEY_WANTED)
      account.used(key, incoming.source)
      const owner = `workspace:${key.workspace}`
      requests.report(owner, incoming)
      checkWorkspace(key.workspace, incoming.source)
      checkScope(key, OPENING_SCOPE)
      requests.take('workspace', owner, incoming)
      return { workspace: key.workspace, key }
    },

    session(open: OpenSession | undefined, incoming: AccessRequest): OpenSession {
      if (!open) guesses.refuse('unauthorized', incoming.source)
      const { session, key } = open
      if (key) account.used(key, incoming.source)
      const owner = `session:${session.id}`
      requests.report(owner, incoming)
      checkSession(open, incoming.source)
      requests.take('workspace', owner, incoming)
      return open
    },

    checkSession,

    isStillAdmitted(open: OpenSession, source: string): boolean {
      try {
        checkSession(open, source)
        return true
      } catch (error) {
        if (error instanceof Failure) return false
        throw error
      }
    },
  }
}
