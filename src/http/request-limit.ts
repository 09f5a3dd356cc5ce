import type { AccessRequest } from './access-request.ts'
import { TooMany } from './errors.ts'
import type { Buckets } from './rate-limit.ts'

export type RequestLimit = ReturnType<typeof createRequestLimit>

export function createRequestLimit(buckets: Buckets) {
  return {
    remaining: buckets.remaining,
    /** Reports the number of remaining requests. Takes none, because a later check may still refuse the request. */
    report: (owner: string, { limit }: AccessRequest) => limit(buckets.remaining(owner)),
    take(scope: 'instance' | 'workspace', owner: string, { limit }: AccessRequest): void {
      const { allowed, remaining, retryAfter } = buckets.take(owner)
      limit(remaining)
      if (!allowed) throw new TooMany(retryAfter, scope)
    },
  }
}
