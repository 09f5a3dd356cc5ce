/** Waits for the network, at most until a deadline or the end of the socket. */
import { MINUTE, SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'

export const QUERY_DEADLINE = 20 * SECOND
/** Deadline in ms of sending a message. It includes a query for devices, a query for keys, and the write. */
export const RELAY_DEADLINE = 60 * SECOND
export const ACK_DEADLINE = 60 * SECOND
/** Deadline of an upload in ms, long enough for a file of 100 MB over a slow connection. */
export const UPLOAD_DEADLINE = 15 * MINUTE
/** Deadline of a query that the account's own phone answers; the network only relays it. */
export const PHONE_DEADLINE = 30 * SECOND

export interface Ending {
  readonly ended: AbortSignal
}

/**
 * Rejects with `instance_not_connected` if the socket ends before `work` does. A `Promise.race` against
 * one promise of the connection would leak memory with every call.
 */
export function untilEnd<T>({ ended }: Ending, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onEnd = () => reject(new Failure('instance_not_connected'))
    if (ended.aborted) onEnd()
    else ended.addEventListener('abort', onEnd)
    work.then(resolve, reject).finally(() => ended.removeEventListener('abort', onEnd))
  })
}

/**
 * Rejects with `send_timeout` after the deadline, and with `instance_not_connected` if the socket ends first. A single
 * promise handles both, because each sent text waits several times.
 */
export function within<T>({ ended }: Ending, deadlineMs: number, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    function over() {
      clearTimeout(timer)
      ended.removeEventListener('abort', onEnd)
    }
    function fail(error: unknown) {
      over()
      reject(error)
    }
    const onEnd = () => fail(new Failure('instance_not_connected'))
    const timer = setTimeout(() => fail(new Failure('send_timeout')), deadlineMs)
    if (ended.aborted) onEnd()
    else ended.addEventListener('abort', onEnd)
    work.then((value) => {
      over()
      resolve(value)
    }, fail)
  })
}

/** Waits for this time in ms. Rejects with `instance_not_connected` if the socket ends earlier. */
export function pause(session: Ending, ms: number): Promise<void> {
  if (ms <= 0) return Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return untilEnd(session, over).finally(() => clearTimeout(timer))
}
