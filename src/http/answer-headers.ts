import { REFILL_PER_SECOND } from './rate-limit.ts'

interface Answered {
  requestId: string
  headers: Record<string, string>
  remaining: number | undefined
}

/** Returns the headers of an answer as a plain object, which the server writes without conversion. */
export function answerHeaders(
  { requestId, headers, remaining }: Answered,
  contentType: string,
  cacheControl: string | undefined,
): Record<string, string> {
  const all: Record<string, string> = {
    'Content-Type': contentType,
    'X-Request-Id': requestId,
    // Paths and answers contain credentials, so browsers must not cache answers or send paths to another site as a
    // referrer.
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

/**
 * Adds the headers of an answer to a response. The response keeps its own headers for caching and for the content type.
 */
export function dress(its: Headers, answered: Answered): void {
  const { 'Content-Type': _, 'Cache-Control': cacheControl, ...others } = answerHeaders(answered, '', undefined)
  if (!its.has('Cache-Control')) its.set('Cache-Control', cacheControl!)
  for (const name in others) its.set(name, others[name]!)
}
