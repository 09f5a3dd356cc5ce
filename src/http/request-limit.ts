/** The limit on the number of requests per instance, workspace or session. Every answer also reports it. */
import type { AccessRequest } from './access-request.ts'
import { TooMany } from './errors.ts'
import type { Buckets } from './rate-limit.ts'

export type RequestLimit = ReturnType<typeof createRequestLimit>

export function createRequestLimit(buckets: Buckets) {
  return {
    remaining: buckets.remaining,
    /** Reports the remaining requests of a caller without using one up, because a later check may refuse the request. */
    report: (owner: string, { limit }: AccessRequest) => limit(buckets.remaining(owner)),
    /** Takes a token from the bucket. This is the last check of a request. */
    take(scope: 'instance' | 'workspace', owner: string, { limit }: AccessRequest): void {
      const { allowed, remaining, retryAfter } = buckets.take(owner)
      limit(remaining)
      if (!allowed) throw new TooMany(retryAfter, scope)
    },
  }
}
