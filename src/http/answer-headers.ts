/** The headers that every answer has: given to a response as it is made, or set on one that somebody else made. */
import { REFILL_PER_SECOND } from './rate-limit.ts'

interface Answered {
  requestId: string
  /** Further ones. */
  headers: Record<string, string>
  /** Tokens left in the bucket of the instance or workspace, where it is known. */
  remaining: number | undefined
}

/** As a plain object, which the server writes as it is. */
export function answerHeaders(
  { requestId, headers, remaining }: Answered,
  contentType: string,
  cacheControl: string | undefined,
): Record<string, string> {
  const all: Record<string, string> = {
    'Content-Type': contentType,
    'X-Request-Id': requestId,
    // Paths and answers carry credentials: neither may be cached, or sent as a referrer to another site.
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': cacheControl ?? 'no-store',
  }
  for (const name in headers) all[name] = headers[name]!
  if (remaining !== undefined) {
    all['X-RateLimit-Limit'] = String(REFILL_PER_SECOND)
    all['X-RateLimit-Remaining'] = String(remaining)
  }
  return all
}

/** The same for a response that is there. What it says about its caching and its type stays. */
export function dress(its: Headers, answered: Answered): void {
  const { 'Content-Type': _, 'Cache-Control': cacheControl, ...others } = answerHeaders(answered, '', undefined)
  if (!its.has('Cache-Control')) its.set('Cache-Control', cacheControl!)
  for (const name in others) its.set(name, others[name]!)
}
