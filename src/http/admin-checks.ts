import type { Account } from '../account/account.ts'
import { ADMIN_KEY_PREFIX } from '../domain/brand.ts'
import { Failure } from '../domain/failures.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import { isIn, parseRanges } from '../egress/addresses.ts'
import type { AccessRequest } from './access-request.ts'
import type { Guesses } from './guesses.ts'
import type { RequestLimit } from './request-limit.ts'

export interface AdminChecksDeps {
  account: Pick<Account, 'findAdmin'>
  guesses: Guesses
  requests: RequestLimit
  adminAllowedIps: readonly string[]
}

/**
 * Message for a missing admin key. The error code is that of a missing API key, so the message says that an API key is
 * not accepted.
 */
const ADMIN_KEY_WANTED = `A valid admin key (${ADMIN_KEY_PREFIX}…) is required; an API key is not accepted here.`

export type AdminChecks = ReturnType<typeof createAdminChecks>

export function createAdminChecks(deps: AdminChecksDeps) {
  const { account, requests } = deps
  const guesses: Guesses = deps.guesses
  const admins = parseRanges(deps.adminAllowedIps)

  function checkAddress(source: string) {
    if (admins.length > 0 && !isIn(admins, source)) throw new Failure('ip_not_allowed')
  }

  return {
    checkAddress,

    /** Checks the admin key `value`. `wanted` is the error message if the key is missing or wrong. */
    admit(value: string | undefined, incoming: AccessRequest, wanted = ADMIN_KEY_WANTED): { workspace: WorkspaceId } {
      const workspace = value === undefined ? undefined : account.findAdmin(value)
      if (!workspace) guesses.refuse('api_key_required', incoming.source, wanted)
      const owner = `workspace:${workspace}`
      requests.report(owner, incoming)
      checkAddress(incoming.source)
      requests.take('workspace', owner, incoming)
      return { workspace }
    },
  }
}
