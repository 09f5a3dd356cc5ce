/**
 * Allows cross-origin requests with a ticket. An extension has a different origin in each browser and the ticket is the
 * only credential, so every origin is allowed. Cookies are never read.
 */
import { TICKET_HEADER } from '../open-checks.ts'

export const METHODS = 'GET, POST'

/** Seconds that a browser caches the preflight; two hours is the longest that browsers accept. */
const MAX_AGE = 7_200

/** Headers of every answer to a request with a ticket. */
export const ANYBODY = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id' }

/** Answers a preflight. It carries no ticket, so it is always answered. */
export const preflightResponse = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': `Content-Type, ${TICKET_HEADER}`,
      'Access-Control-Max-Age': String(MAX_AGE),
    },
  })
