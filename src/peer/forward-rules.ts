/** Rules for a request that a standby passes on: how it can end, and when it is sent again. */
import { Failure } from '../domain/failures.ts'

/** Address of the port at which a service takes requests of other services. */
export interface PeerAddress {
  host: string
  port: number
}

/** The active service; `id` differs for each run of a service. */
export interface ActiveService extends PeerAddress {
  id: string
}

/**
 * How an attempt to pass a request on has ended.
 *
 * - `answered`: the caller has an answer, or at least its head.
 * - `unsent`: nothing of the request has left this service, and no more of its body than the kept pieces was read.
 * - `busy`: as `unsent`; the reason is that too many requests are under way.
 * - `elsewhere`: the other service refused the request, because it is not the service that is addressed, or because it
 *   stops (`isLeaving`).
 * - `unknown`: the connection broke after the sending of the request had begun.
 * - `left`: the caller has closed its connection.
 * - `refused`: the caller gets `failure` as the answer.
 */
export type Ending =
  | { is: 'answered' | 'unsent' | 'busy' | 'unknown' | 'left' }
  | { is: 'elsewhere'; isLeaving: boolean }
  | { is: 'refused'; failure: Failure }

/** Bodies up to this number of bytes are kept while there is room, so that their requests can be sent again. */
export const LONGEST_KEPT = 256 * 1_024

/**
 * Whether a request may be sent again: the other service cannot have begun to carry it out. `isKept`: the whole body is
 * kept.
 */
export const isSentAgain = ({ is }: Ending, isKept: boolean): boolean =>
  is === 'unsent' || is === 'busy' || (is === 'elsewhere' && isKept)

/**
 * True for a request that opens a stream of events. It lasts for hours, so it must not use up the places of other
 * requests.
 */
export const isEventStream = (method: string | undefined, accept: string | undefined): boolean =>
  method === 'GET' && (accept ?? '').includes('text/event-stream')

export const noActive = () =>
  new Failure('engine_unavailable', {
    message: 'The active service cannot be reached from this standby at the moment; nothing of the request was carried out.',
    details: { reason: 'no_active_service' },
  })

export const tooMany = () =>
  new Failure('engine_unavailable', {
    message: 'This standby passes on as many requests as it can at the moment; nothing of the request was carried out.',
    details: { reason: 'standby_busy' },
  })

export const outcomeUnknown = (service = 'the active service') =>
  new Failure('engine_unavailable', {
    message: `The connection to ${service} was lost before its answer; the request may have been carried out. Repeat a send with the same Idempotency-Key.`,
    details: { reason: 'outcome_unknown' },
  })
