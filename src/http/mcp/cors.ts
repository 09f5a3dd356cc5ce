/**
 * What a browser asks before a page of another origin may call the tools and read their answers. Without it a page whose origin is allowed would
 * never get through: `Authorization` needs a preflight.
 */
import { IGNORED_HEADER } from '../ignored-fields.ts'

/** Seconds; browsers keep it for two hours at most. */
const MAX_AGE = 7_200
const READABLE = [
  'Retry-After',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-Request-Id',
  IGNORED_HEADER.name,
]

/** For every answer to a page of an allowed origin. */
export const corsHeaders = (origin: string): Record<string, string> => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Expose-Headers': READABLE.join(', '),
  Vary: 'Origin',
})

export const isPreflight = ({ method, headers }: Request): boolean =>
  method === 'OPTIONS' && headers.has('Origin') && headers.has('Access-Control-Request-Method')

/** To a page of an allowed origin. Whichever headers it is going to send, they are for the request itself to judge; a preflight has no credential. */
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
