import { Failure, type FailureCode } from '../../../src/domain/failures.ts'
import { isStorageFailure, noStorage } from '../../../src/domain/storage-failure.ts'
import { SESSION_CLOSED } from '../keys/signal/errors.ts'

interface BoomLike {
  message?: unknown
  data?: unknown
  output?: { statusCode?: unknown }
}

/** Returns the network's code in an error, or else the status code of the error; null if it has neither. */
export function networkCode(error: unknown): number | null {
  const boom = (typeof error === 'object' && error !== null ? error : {}) as BoomLike
  if (typeof boom.data === 'number') return boom.data
  const extensions = (boom.data as { extensions?: { error_code?: unknown } } | null | undefined)?.extensions
  if (typeof extensions?.error_code === 'number') return extensions.error_code
  const status = boom.output?.statusCode
  return typeof status === 'number' ? status : null
}

/** Status codes of errors that mean that the connection is lost: 408 (no answer) and 428 (closed). */
const SOCKET_CODES = new Set([408, 428])

const BROKEN_PIPE = new Set([
  'ECONNABORTED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ETIMEDOUT',
])

/**
 * Whether the error is an answer of the network. The status code does not show this, because the network and the socket
 * use the same codes, such as 408.
 */
function isAnswer({ data }: BoomLike): boolean {
  if (typeof data !== 'object' || data === null) return typeof data === 'number'
  return 'extensions' in data || ('tag' in data && data.tag === 'error')
}

function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error) || isAnswer(error as BoomLike)) return false
  const { output, code } = error as BoomLike & { code?: unknown }
  // These two errors have no status: the error of a query that is pending when a socket ends, and the error of the
  // Signal repository after its end.
  if (error.message.startsWith('Connection Closed') || error.message === SESSION_CLOSED) return true
  return SOCKET_CODES.has(output?.statusCode as number) || BROKEN_PIPE.has(code as string)
}

/** Error codes of the API by code of the network. `otherwise` is used for all other codes. */
export interface Meanings {
  readonly [code: number]: FailureCode
  readonly otherwise?: FailureCode
}

const ACTION: Meanings = {
  401: 'not_allowed',
  // The network's code for a group or community that is full.
  402: 'not_allowed',
  403: 'not_allowed',
  404: 'not_found',
  405: 'not_allowed',
  410: 'invite_link_invalid',
  412: 'not_allowed',
  416: 'group_suspended',
  419: 'not_allowed',
  423: 'group_suspended',
  436: 'invite_link_invalid',
  451: 'not_allowed',
}

const SEND: Meanings = {
  401: 'not_allowed',
  403: 'not_allowed',
  404: 'chat_not_found',
  405: 'not_allowed',
  423: 'group_suspended',
  429: 'action_failed',
}

const NO_INVITATION: Meanings = { 400: 'invite_link_invalid', 404: 'invite_link_invalid', 406: 'invite_link_invalid' }

const NO_NEWSLETTER: Meanings = { 404: 'newsletter_not_found', 423: 'newsletter_not_found', 451: 'newsletter_not_found' }

export function meaningsOf(notFound: FailureCode): Meanings {
  if (notFound === 'invite_link_invalid') return NO_INVITATION
  return notFound === 'newsletter_not_found' ? NO_NEWSLETTER : { 404: notFound }
}

/** Returns our own failures unchanged. `meanings` take precedence over the general meanings. */
export type ToFailure = (error: unknown, meanings?: Meanings) => Failure

export const actionFailure: ToFailure = (error, meanings = {}) =>
  lost(error) ?? refused(networkCode(error), error, [meanings, ACTION], 'action_failed')

/**
 * Converts an error of a send, before its ack. Connection losses and disk failures keep their own codes, because the
 * network has not refused the message.
 */
export const sendFailure: ToFailure = (error, meanings = {}) =>
  lost(error) ?? refused(networkCode(error), error, [meanings, SEND], 'send_failed')

export const ackFailure = (code: number, isRestricted: boolean, meanings: Meanings = {}): Failure =>
  refused(code, undefined, [meanings, { 463: isRestricted ? 'shadow_ban' : 'not_allowed' }, SEND], 'send_failed')

function lost(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error
  if (isStorageFailure(error)) return noStorage(error)
  return isConnectionLoss(error) ? new Failure('instance_not_connected', { cause: error }) : undefined
}

function refused(code: number | null, cause: unknown, tables: readonly Meanings[], fallback: FailureCode): Failure {
  if (code === null) return new Failure(fallback, { cause })
  const details = { network_code: code }
  for (const meanings of tables) {
    const known = meanings[code] ?? meanings.otherwise
    if (known) return new Failure(known, { cause, details })
  }
  if (code === NOT_ACCEPTABLE && tables.includes(ACTION))
    return new Failure('invalid_request', {
      details: { issues: [{ path: 'value', message: 'was not accepted by the network' }] },
      cause,
    })
  return new Failure(fallback, { cause, details })
}

const NOT_ACCEPTABLE = 406

/** Returns the network's code in a `Failure`. Null if the error contains no code from an answer of the network. */
export const networkCodeOf = (error: unknown): number | null => {
  const code = error instanceof Failure ? error.details?.network_code : undefined
  return typeof code === 'number' ? code : null
}

export function refusedFieldOf(failure: unknown): string | null {
  const { refusedField } = ((failure as Failure | undefined)?.cause ?? {}) as { refusedField?: unknown }
  return typeof refusedField === 'string' ? refusedField : null
}
