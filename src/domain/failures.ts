/**
 * Failures that the API can report, by code, with their HTTP status and message. The `error_code` of a `delivery` event
 * is a code of this table too.
 */
interface FailureRow {
  status: 400 | 401 | 402 | 403 | 404 | 409 | 422 | 429 | 500 | 502 | 503 | 504
  sentence: string
}

export const FAILURES = {
  invalid_request: { status: 400, sentence: 'The request is not valid.' },
  invalid_phone: { status: 400, sentence: 'The phone or chat identifier is not valid for this operation.' },
  media_invalid: { status: 400, sentence: 'The media cannot be used.' },
  invite_link_invalid: { status: 400, sentence: 'The invitation link is not valid or was revoked.' },
  unauthorized: {
    status: 401,
    sentence: 'Credentials are missing or not valid; the API reference says which ones this operation needs.',
  },
  instance_not_found: { status: 401, sentence: 'No instance has this id and token.' },
  api_key_required: { status: 401, sentence: 'A valid API key is required.' },
  client_token_required: { status: 401, sentence: 'A valid Client-Token header is required.' },
  subscription_required: {
    status: 402,
    sentence: 'The subscription of the workspace does not allow this operation; the administrator can change it.',
  },
  insufficient_scope: { status: 403, sentence: 'The API key lacks the scope this operation needs.' },
  ip_not_allowed: { status: 403, sentence: 'The IP address of the caller is not on the allowlist.' },
  plan_required: {
    status: 403,
    sentence: 'The plan of the workspace does not allow this operation; the administrator can change the plan.',
  },
  not_allowed: { status: 403, sentence: 'This operation is not allowed.' },
  shadow_ban: { status: 403, sentence: 'WhatsApp restricts this account: it cannot message new contacts for now.' },
  group_suspended: { status: 403, sentence: 'The network suspended this group.' },
  not_found: { status: 404, sentence: 'Not found.' },
  chat_not_found: { status: 404, sentence: 'Chat not found.' },
  group_not_found: { status: 404, sentence: 'Group not found: the account does not know it.' },
  newsletter_not_found: { status: 404, sentence: 'Channel not found.' },
  message_not_found: { status: 404, sentence: 'Message not found: its id is wrong, or it is no longer stored.' },
  phone_not_on_whatsapp: { status: 404, sentence: 'This number has no WhatsApp account.' },
  product_not_found: { status: 404, sentence: 'Product not found.' },
  order_not_found: { status: 404, sentence: 'Order not found.' },
  label_not_found: { status: 404, sentence: 'Label not found.' },
  instance_not_connected: { status: 409, sentence: 'The instance is not connected.' },
  instance_starting: { status: 409, sentence: 'The instance is starting; try again in a moment.' },
  instance_already_connected: { status: 409, sentence: 'The instance is already connected.' },
  already_linked: { status: 409, sentence: 'This device, or an instance with its id, already exists on this service.' },
  instance_limit_reached: {
    status: 409,
    sentence: 'All instance slots of the plan are in use; delete an instance, or ask the administrator for more slots.',
  },
  passkey_not_pending: { status: 409, sentence: 'No passkey is being asked for.' },
  queue_full: { status: 409, sentence: 'The queue of this instance is full; try again when messages have been sent.' },
  queue_disabled_while_disconnected: {
    status: 409,
    sentence: 'The instance is not connected, and its settings refuse messages until it is.',
  },
  held_by_send_safety: { status: 409, sentence: 'Send safety of the instance holds messages to this person.' },
  rate_limited: { status: 429, sentence: 'Too many requests; try again later.' },
  internal: { status: 500, sentence: 'An internal error occurred; the log of the service has the details.' },
  action_failed: { status: 502, sentence: 'The network refused the operation or failed to complete it.' },
  send_failed: { status: 502, sentence: 'The message could not be sent: the network did not accept it.' },
  not_importable: { status: 422, sentence: 'The file has no device that can be imported.' },
  media_download_failed: { status: 422, sentence: 'The media could not be downloaded.' },
  engine_unavailable: { status: 503, sentence: 'The engine that runs this instance is not available; try again later.' },
  send_timeout: { status: 504, sentence: 'The network did not answer in time.' },
} as const satisfies Record<string, FailureRow>

export type FailureCode = keyof typeof FAILURES

/** A failure as plain data, to be sent between threads: structured clone drops the codes and fields of an Error. */
export interface FailureData {
  code: FailureCode
  message: string
  details?: Record<string, unknown> | undefined
  retryAfter?: number | undefined
}

export interface Issue {
  /** Path of the field with dots, for example `phones.3`; empty for the whole body. */
  path: string
  message: string
}

export interface FailureOptions {
  message?: string
  details?: Record<string, unknown>
  retryAfter?: number
  cause?: unknown
}

/**
 * A failure that the API can report. `message` replaces the sentence of the table; `toData` shortens it to 500
 * characters.
 */
export class Failure extends Error {
  readonly code: FailureCode
  readonly details: Record<string, unknown> | undefined
  /** Seconds after which the same request may succeed; undefined if this is not known. */
  readonly retryAfter: number | undefined

  constructor(code: FailureCode, options: FailureOptions = {}) {
    super(options.message ?? FAILURES[code].sentence, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Failure'
    this.code = code
    this.details = options.details
    this.retryAfter = options.retryAfter
  }

  /**
   * HTTP status of the failure. The statuses 408, 413 and 431 are for requests that are refused before any handler
   * reads them.
   */
  get status(): FailureRow['status'] | 408 | 413 | 431 {
    return FAILURES[this.code].status
  }

  toData(): FailureData {
    const { retryAfter } = this
    const data = { code: this.code, message: this.message.slice(0, 500), details: this.details }
    return retryAfter === undefined ? data : { ...data, retryAfter }
  }

  /** Returns a copy of the failure with more details. A new value replaces the value of a detail with its name. */
  detailed(more: Record<string, unknown>): Failure {
    const { code, message, retryAfter, cause } = this
    const details = { ...this.details, ...more }
    return new Failure(code, { message, details, cause, ...(retryAfter === undefined ? {} : { retryAfter }) })
  }

  /**
   * Returns the failure with other paths in its issues, so that a caller sees the field names that its request used.
   */
  renamed(nameOf: (path: string) => string): Failure {
    const { issues } = (this.details ?? {}) as { issues?: readonly Issue[] }
    if (!issues) return this
    return this.detailed({ issues: issues.map(({ path, message }) => ({ path: nameOf(path), message })) })
  }

  static from({ code, message, details, retryAfter }: FailureData): Failure {
    return new Failure(code, {
      message,
      ...(details === undefined ? {} : { details }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    })
  }

  /** Creates the failure of an invalid request. It keeps only the first 50 issues. */
  static invalid(...issues: Issue[]): Failure {
    return new Failure('invalid_request', { details: { issues: issues.slice(0, 50) } })
  }
}
