/**
 * Adds CORS headers, so that pages of allowed origins can call the tools. A browser sends `Authorization` to another
 * origin only after a successful preflight.
 */
import { IGNORED_HEADER } from '../ignored-fields.ts'

/** Seconds for which browsers cache the preflight. Chromium caches it for two hours at most. */
const MAX_AGE = 7_200
const READABLE = [
  'Retry-After',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-Request-Id',
  IGNORED_HEADER.name,
]

export const corsHeaders = (origin: string): Record<string, string> => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Expose-Headers': READABLE.join(', '),
  Vary: 'Origin',
})

export const isPreflight = ({ method, headers }: Request): boolean =>
  method === 'OPTIONS' && headers.has('Origin') && headers.has('Access-Control-Request-Method')

/** Answers a preflight. All headers are allowed, because the request that follows is checked. */
export function preflightResponse({ headers }: Request): Response {
  const wanted = headers.get('Access-Control-Request-Headers')
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'POST',
      ...(wanted === null ? {} : { 'Access-Control-Allow-Headers': wanted }),
      'Access-Control-Max-Age': String(MAX_AGE),
    },
  })
}
