import type { Dialect } from '../domain/dialect.ts'
import { Failure, type FailureCode } from '../domain/failures.ts'
import { errorIn } from '../features/dialects/words.ts'

/**
 * The subject of a limit: an instance, a workspace, a connect link, an address that guesses credentials, or an address
 * that sends too many requests without credentials (for the description, for OAuth).
 */
export type LimitScope = 'instance' | 'workspace' | 'link' | 'credential' | 'address'

export class TooMany extends Failure {
  override readonly retryAfter: number
  readonly scope: LimitScope

  constructor(retryAfter: number, scope: LimitScope) {
    super('rate_limited')
    this.retryAfter = retryAfter
    this.scope = scope
  }
}

/**
 * Failure because the service has no memory for the body of the request at the moment. The same request may succeed a
 * moment later.
 */
export class Busy extends Failure {
  constructor(message: string) {
    super('engine_unavailable', { message })
  }
}

/**
 * `instance_not_found` with the status 404 in place of 401: the credential was valid, but the instance is no longer on
 * this server. (The status 401 means that the credential in the path belongs to no instance.)
 */
export class InstanceGone extends Failure {
  constructor(cause?: unknown) {
    super('instance_not_found', { message: 'The instance is no longer on this server.', cause })
  }

  override get status(): Failure['status'] {
    return 404
  }
}

/**
 * Failure of a request that was refused before it reached the application. The status states which limit of the HTTP
 * server the request exceeds.
 */
export class Unread extends Failure {
  readonly #status: 408 | 413 | 431

  constructor(status: 408 | 413 | 431, message: string) {
    super('invalid_request', { details: { issues: [{ path: '', message }] } })
    this.#status = status
  }

  override get status(): Failure['status'] {
    return this.#status
  }
}

export const NO_ROUTE = 'No such route exists.'

const MAY_BE_DONE: ReadonlySet<unknown> = new Set(['outcome_unknown', 'partly_done'])
const AGAIN_SOON: ReadonlySet<FailureCode> = new Set(['engine_unavailable', 'rate_limited'])

/**
 * Returns the seconds for the header `Retry-After`. Many clients repeat every request whose answer has this header, so
 * it is left out if the request may have been carried out.
 */
export function retryAfterOf(failure: Failure): number | undefined {
  if (failure.retryAfter !== undefined) return failure.retryAfter
  return AGAIN_SOON.has(failure.code) && !MAY_BE_DONE.has(failure.details?.reason) ? 1 : undefined
}

export function failureBody(failure: Failure) {
  const { code, message, details } = failure.toData()
  return { error: { code, message, details: details ?? {} } }
}

export function failureResponse(failure: Failure, dialect?: Dialect): Response {
  const headers = new Headers()
  const retryAfter = retryAfterOf(failure)
  if (retryAfter !== undefined) headers.set('Retry-After', String(retryAfter))
  const body = failureBody(failure)
  return Response.json(dialect === undefined ? body : errorIn[dialect](body), { status: failure.status, headers })
}
