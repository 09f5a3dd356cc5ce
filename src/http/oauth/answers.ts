/** Answers of OAuth endpoints: errors (RFC 6749, 5.2), and redirects that contain the issuer (RFC 9207). */
import { Failure } from '../../domain/failures.ts'
import { isStorageFailure, noStorage } from '../../domain/storage-failure.ts'
import { TooMany } from '../errors.ts'

export class OauthError extends Error {
  readonly error: string
  readonly status: number

  constructor(error: string, description: string, status = 400) {
    super(description)
    this.error = error
    this.status = status
  }
}

export const errorBody = (error: string, description: string, status: number, headers: Record<string, string> = {}) =>
  Response.json({ error, error_description: description }, { status, headers })

export function errorResponse(error: unknown): Response | undefined {
  if (error instanceof OauthError) return errorBody(error.error, error.message, error.status)
  if (error instanceof TooMany)
    return errorBody('too_many_requests', error.message, 429, { 'Retry-After': String(error.retryAfter) })
  if (isStorageFailure(error)) return errorBody('server_error', noStorage().message, 503, { 'Retry-After': '1' })
  if (!(error instanceof Failure)) return undefined
  return errorBody(
    error.status >= 500 ? 'server_error' : error.status < 401 ? 'invalid_request' : 'access_denied',
    error.message,
    error.status,
  )
}

/**
 * Redirects the browser to a URL with these fields. The status 303 makes it load the URL without sending the form,
 * which contains a key.
 */
export function redirect(uri: string, fields: Record<string, string>, status: 302 | 303): Response {
  const url = new URL(uri)
  for (const [name, value] of Object.entries(fields)) url.searchParams.append(name, value)
  return new Response(null, { status, headers: { Location: url.href } })
}
