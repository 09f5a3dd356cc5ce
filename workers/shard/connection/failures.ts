/**
 * What the network answered, as a code of the API: "Network result to API code" of shared/api/auth-and-limits.md for immediate
 * operations, and the table of shared/api/messages.md 1.6 for sends. An operation names what an answer means there; this is the rest.
 */
import { Failure, type FailureCode } from '../../../src/domain/failures.ts'
import { isStorageFailure, noStorage } from '../../../src/domain/storage-failure.ts'
import { SESSION_CLOSED } from '../keys/signal/errors.ts'

interface BoomLike {
  message?: unknown
  data?: unknown
  output?: { statusCode?: unknown }
}

/**
 * The network's own code, in the order the library hides it: `data` of a refused query, then the GraphQL extension of channel queries,
 * then the status of a socket error.
 */
export function networkCode(error: unknown): number | null {
  const boom = (typeof error === 'object' && error !== null ? error : {}) as BoomLike
  if (typeof boom.data === 'number') return boom.data
  const extensions = (boom.data as { extensions?: { error_code?: unknown } } | null | undefined)?.extensions
  if (typeof extensions?.error_code === 'number') return extensions.error_code
  const status = boom.output?.statusCode
  return typeof status === 'number' ? status : null
}

/** `connectionLost` and `timedOut`, `connectionClosed`: what the library's socket gives to whatever was waiting on it. */
const SOCKET_CODES = new Set([408, 428])

/** What a write to a connection that is going down meets before its end is told. */
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
 * The same numbers mean different things: the network can answer a query with 408, too. Its answers come with the code as `data` (a refused
 * query), the error node (group metadata) or the GraphQL error (channels); the socket's own errors have none of these, but a status.
 */
function isAnswer({ data }: BoomLike): boolean {
  if (typeof data !== 'object' || data === null) return typeof data === 'number'
  return 'extensions' in data || ('tag' in data && data.tag === 'error')
}

function isConnectionLoss(error: unknown): boolean {
  // A query that is pending at a cut can reject with a bare value (NETWORK.md 15).
  if (!(error instanceof Error)) return true
  if (isAnswer(error as BoomLike)) return false
  const { output, code } = error as BoomLike & { code?: unknown }
  // Without a status: told to pending queries at the end of a socket (`baileys/end.ts`, `baileys/rejections.ts`), and by a fenced repository.
  if (error.message.startsWith('Connection Closed') || error.message === SESSION_CLOSED) return true
  return SOCKET_CODES.has(output?.statusCode as number) || BROKEN_PIPE.has(code as string)
}

const ACTION_CODES: Readonly<Record<number, FailureCode>> = {
  401: 'not_allowed',
  // A group, or a community, is full.
  402: 'not_allowed',
  403: 'not_allowed',
  405: 'not_allowed',
  410: 'invite_link_invalid',
  412: 'not_allowed',
  416: 'group_suspended',
  419: 'not_allowed',
  423: 'group_suspended',
  436: 'invite_link_invalid',
  451: 'not_allowed',
}

/** Of a question about an invitation: the network knows none like it. */
const NO_INVITATION = new Set([400, 404, 406])

function meaningOf(code: number, notFound: FailureCode): FailureCode | undefined {
  if (notFound === 'invite_link_invalid' && NO_INVITATION.has(code)) return notFound
  return code === 404 ? notFound : ACTION_CODES[code]
}

/** `notFound`: what 404 means for the operation. */
export function actionFailure(error: unknown, notFound: FailureCode = 'not_found'): Failure {
  if (error instanceof Failure) return error
  if (isStorageFailure(error)) return noStorage(error)
  if (isConnectionLoss(error)) return new Failure('instance_not_connected', { cause: error })
  const code = networkCode(error)
  if (code === null) return new Failure('action_failed', { cause: error })
  const details = { network_code: code }
  const known = meaningOf(code, notFound)
  if (known) return new Failure(known, { cause: error, details })
  if (code === 406) return Failure.invalid({ path: 'value', message: 'was not accepted by the network' })
  return new Failure('action_failed', { cause: error, details })
}

/** The network's code that made a failure of an action; null where it was no answer of the network. */
export const networkCodeOf = (error: unknown): number | null => {
  const code = error instanceof Failure ? error.details?.network_code : undefined
  return typeof code === 'number' ? code : null
}

/** The error attribute of the ack of a message. */
export function ackFailure(code: number, isRestricted: boolean): Failure {
  const details = { network_code: code }
  if (code === 463) return new Failure(isRestricted ? 'shadow_ban' : 'not_allowed', { details })
  if (code === 401 || code === 403 || code === 405) return new Failure('not_allowed', { details })
  if (code === 404) return new Failure('chat_not_found', { details })
  if (code === 423) return new Failure('group_suspended', { details })
  if (code === 429) return new Failure('action_failed', { details })
  return new Failure('send_failed', { details })
}

/**
 * Whatever made a send fail before its ack. Connection losses and failures of the disk stay apart, because the network has refused nothing:
 * the item is sent again. The library commits keys on its way, so that a full disk comes out of its relay.
 */
export function sendFailure(error: unknown, notFound: FailureCode = 'chat_not_found'): Failure {
  if (error instanceof Failure) return error
  if (isStorageFailure(error)) return noStorage(error)
  if (isConnectionLoss(error)) return new Failure('instance_not_connected', { cause: error })
  const code = networkCode(error)
  if (code === 404) return new Failure(notFound, { cause: error })
  if (code === 401 || code === 403 || code === 405) return new Failure('not_allowed', { cause: error })
  if (code === 423) return new Failure('group_suspended', { cause: error })
  if (code === 429) return new Failure('action_failed', { cause: error })
  return new Failure('send_failed', { cause: error })
}
