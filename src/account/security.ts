import { Failure, type Issue } from '../domain/failures.ts'
import type { AllowlistEntry, Security } from '../domain/workspace.ts'
import { problemOfRange } from '../egress/addresses.ts'
import type { SecurityChange } from './account.ts'
import { checkAllowlist, checkRequirement } from './guards.ts'

function issueOf({ cidr }: AllowlistEntry, index: number): Issue[] {
  const message = problemOfRange(cidr)
  return message === undefined ? [] : [{ path: `entries.${index}.cidr`, message }]
}

/**
 * Returns the settings after a change. Throws `invalid_request` for entries that are not IP ranges, and `not_allowed`
 * for a change that would lock everybody out.
 */
export function securityAfter(current: Security, change: SecurityChange, operateKeys: number): Security {
  const { requireApiKey = current.requireApiKey, requireClientToken = current.requireClientToken } = change
  const { enabled, entries = current.allowlist.entries } = change.allowlist ?? current.allowlist
  const issues = change.allowlist?.entries?.flatMap(issueOf) ?? []
  if (issues.length > 0) throw Failure.invalid(...issues)
  const allowlist = change.allowlist ? { enabled, entries } : current.allowlist
  const next = { requireApiKey, requireClientToken, allowlist }
  if (change.requireApiKey === true || change.requireClientToken === true) checkRequirement(next, operateKeys)
  if (change.allowlist) checkAllowlist(allowlist)
  return next
}
