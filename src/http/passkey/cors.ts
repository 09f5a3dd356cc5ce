/**
 * Allows cross-origin requests with a ticket. An extension has a different origin in each browser, and the ticket is
 * the only credential, so every origin is allowed.
 */
import { TICKET_HEADER } from '../open-checks.ts'

export const METHODS = 'GET, POST'

/** Seconds for which browsers cache the preflight. Chromium caches it for two hours at most. */
const MAX_AGE = 7_200

export const ANYBODY = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id' }

/** Answers a preflight, which has no ticket and is always allowed. */
export const preflightResponse = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': `Content-Type, ${TICKET_HEADER}`,
      'Access-Control-Max-Age': String(MAX_AGE),
    },
  })
