import type { components } from './generated/schema.ts'

export type ErrorBody = components['schemas']['Error']['error']
export type ErrorCode = ErrorBody['code']

/** An answer of the service that is not a success. `code` is one of the codes of its error table. */
export class SvcError extends Error {
  override readonly name = 'SvcError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: ErrorBody['details']
  /** Id of the request in the log of the service. Undefined if the answer contained none. */
  readonly requestId: string | undefined
  /** Number of seconds that the service asks the client to wait before the next request. */
  readonly retryAfter: number | undefined

  constructor({ code, message, details }: ErrorBody, response: Response) {
    const issues = (details?.issues ?? []).map((issue) => ` ${issue.path} ${issue.message}.`)
    super(`${code} (HTTP ${response.status}): ${message}${issues.join('')}`)
    this.code = code
    this.status = response.status
    this.details = details
    this.requestId = response.headers.get('X-Request-Id') ?? undefined
    this.retryAfter = secondsIn(response.headers)
  }
}

/**
 * Thrown if there was no answer in time, or none of the service itself (for example only the error page of a proxy). It
 * is unknown whether the service has carried out the request.
 */
export class SvcConnectionError extends Error {
  override readonly name = 'SvcConnectionError'
  /** HTTP status, if there was an answer. */
  readonly status: number | undefined
  readonly retryAfter: number | undefined

  constructor(message: string, options: { cause?: unknown; response?: Response } = {}) {
    super(message, { cause: options.cause })
    this.status = options.response?.status
    this.retryAfter = options.response && secondsIn(options.response.headers)
  }
}

function secondsIn(headers: Headers): number | undefined {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}
