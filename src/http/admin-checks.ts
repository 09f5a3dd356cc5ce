/** Checks of requests with the admin key, and of those with a session of the dashboard, which the admin key has opened. */
import type { Account } from '../account/account.ts'
import { ADMIN_KEY_PREFIX } from '../domain/brand.ts'
import { Failure } from '../domain/failures.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import { isIn, parseRanges } from '../egress/addresses.ts'
import { type AccessRequest, bearer } from './access-request.ts'
import type { Guesses } from './guesses.ts'
import type { RequestLimit } from './request-limit.ts'

export interface AdminChecksDeps {
  account: Pick<Account, 'findAdmin'>
  guesses: Guesses
  requests: RequestLimit
  /** Addresses from which the admin key may be used. If empty: from all. */
  adminAllowedIps: readonly string[]
}

/** The error code is that of an API key. The message says that an API key is not accepted here, for callers who sent one. */
const ADMIN_KEY_WANTED = `A valid admin key (${ADMIN_KEY_PREFIX}…) is required; an API key is not accepted here.`

export function createAdminChecks(deps: AdminChecksDeps) {
  const { account, requests } = deps
  const guesses: Guesses = deps.guesses
  const admins = parseRanges(deps.adminAllowedIps)

  function checkAddressAndLimit(owner: string, incoming: AccessRequest) {
    requests.report(owner, incoming)
    if (admins.length > 0 && !isIn(admins, incoming.source)) throw new Failure('ip_not_allowed') // 4
    requests.take('workspace', owner, incoming) // 5
  }

  return {
    /** Admits a request to the administration. `value`: the admin key; by default the bearer token of the request. */
    admin(incoming: AccessRequest, value = bearer(incoming.headers)): { workspace: WorkspaceId } {
      const workspace = value === undefined ? undefined : account.findAdmin(value)
      if (!workspace) guesses.refuse('api_key_required', incoming.source, ADMIN_KEY_WANTED) // 2, 3
      checkAddressAndLimit(`workspace:${workspace}`, incoming)
      return { workspace }
    },

    /** Admits a session of the dashboard: the same checks, with a separate bucket. `session` is undefined if there is none. */
    session(session: { id: string; workspace: WorkspaceId } | undefined, incoming: AccessRequest): { workspace: WorkspaceId } {
      if (!session) guesses.refuse('unauthorized', incoming.source)
      checkAddressAndLimit(`session:${session.id}`, incoming)
      return { workspace: session.workspace }
    },
  }
}
