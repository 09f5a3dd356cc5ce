/** Answers of OAuth endpoints: errors (RFC 6749, 5.2), and redirects that contain the issuer (RFC 9207). */
import { Failure } from '../../domain/failures.ts'
import { isStorageFailure, noStorage } from '../../domain/storage-failure.ts'
import { retryAfterOf } from '../errors.ts'

export class OauthError extends Error {
  readonly error: string
  readonly status: number

  constructor(error: string, description: string, status = 400) {
    super(description)
    this.error = error
    this.status = status
  }
}

export const errorBody = (error: string, description: string, status: number) =>
  Response.json({ error, error_description: description }, { status })

export function errorResponse(error: unknown): Response | undefined {
  if (error instanceof OauthError) return errorBody(error.error, error.message, error.status)
  const failure = isStorageFailure(error) ? noStorage() : error
  if (!(failure instanceof Failure)) return undefined
  const retryAfter = retryAfterOf(failure)
  const answer = errorBody(codeOf(failure), failure.message, failure.status)
  if (retryAfter !== undefined) answer.headers.set('Retry-After', String(retryAfter))
  return answer
}

function codeOf({ status }: Failure): string {
  if (status === 429) return 'too_many_requests'
  if (status >= 500) return 'server_error'
  return status < 401 ? 'invalid_request' : 'access_denied'
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
