import { Failure } from '../domain/failures.ts'
import type { Workspace } from '../domain/workspace.ts'
import { isIn, parseRanges, type Ranges } from '../egress/addresses.ts'

export function createAllowlistCheck() {
  const parsed = new WeakMap<object, Ranges>()

  return function checkAllowlist({ security: { allowlist } }: Workspace, source: string): void {
    if (!allowlist.enabled) return
    const ranges = parsed.get(allowlist) ?? parseRanges(allowlist.entries.map(({ cidr }) => cidr))
    parsed.set(allowlist, ranges)
    if (!isIn(ranges, source)) throw new Failure('ip_not_allowed')
  }
}
