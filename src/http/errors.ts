/** Failures as answers. */
import type { Dialect } from '../domain/dialect.ts'
import { Failure, type FailureCode } from '../domain/failures.ts'
import { errorIn } from '../features/dialects/words.ts'

/** The limit that was exceeded: of an instance, of a workspace, of addresses that guess, or of an address that asks for the description too often. */
export type LimitScope = 'instance' | 'workspace' | 'credential' | 'address'

/** Seconds a client should wait, for `Retry-After`. */
export class TooMany extends Failure {
  readonly retryAfter: number
  readonly scope: LimitScope

  constructor(retryAfter: number, scope: LimitScope) {
    super('rate_limited')
    this.retryAfter = retryAfter
    this.scope = scope
  }
}

/**
 * There is no room to do it now: row 13, not 11 or 9, because neither the request nor the caller's rate is at fault and the same request
 * is good a moment later.
 */
export class Busy extends Failure {
  constructor(message: string) {
    super('engine_unavailable', { message })
  }
}

/**
 * The one code with two statuses: 401 when the credential in the path is no instance's, 404 when it was, and the engine does not host
 * it any more.
 */
export class InstanceGone extends Failure {
  constructor(cause?: unknown) {
    super('instance_not_found', { message: 'The instance is no longer hosted.', cause })
  }

  override get status(): Failure['status'] {
    return 404
  }
}

/** A request that is refused before it reaches the application: its status says which bound of HTTP it exceeds. */
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

/** A temporary refusal whose duration is unknown. */
const AGAIN_SOON: ReadonlySet<FailureCode> = new Set(['engine_unavailable', 'rate_limited'])

/** Every failure leaves in this body, or in what a dialect makes of it. */
export function failureBody(failure: Failure) {
  const { code, message, details } = failure.toData()
  return { error: { code, message, details: details ?? {} } }
}

export function failureResponse(failure: Failure, dialect?: Dialect): Response {
  const headers = new Headers()
  const retryAfter = failure instanceof TooMany ? failure.retryAfter : AGAIN_SOON.has(failure.code) ? 1 : undefined
  if (retryAfter !== undefined) headers.set('Retry-After', String(retryAfter))
  const body = failureBody(failure)
  return Response.json(dialect === undefined ? body : errorIn[dialect](body), { status: failure.status, headers })
}
