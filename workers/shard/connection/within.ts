/**
 * Waits for the network. Every wait has a deadline of ours and ends with the socket, because the library resolves a query with undefined when its own
 * timeout has passed.
 */
import { MINUTE, SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'

// Deadlines in ms of waits for the network, by kind of query. The deadline of an action is in the action's declaration.

/** Deadline of a single query or write. */
export const QUERY_DEADLINE = 20 * SECOND
/** Deadline of sending a message. It includes a query for devices, a query for keys, and the write. */
export const RELAY_DEADLINE = 60 * SECOND
/** Deadline of the network's ack of a sent message; without an ack the outcome is `send_timeout`. */
export const ACK_DEADLINE = 60 * SECOND
/** Deadline of an upload: a file of 100 MB over a slow connection. Other instances do not wait for it. */
export const UPLOAD_DEADLINE = 15 * MINUTE
/** Deadline of an answer of the account's own phone. The network only relays this answer. */
export const PHONE_DEADLINE = 30 * SECOND

/** An object whose signal is aborted when its socket ends. */
export interface Ending {
  readonly ended: AbortSignal
}

/**
 * Waits for `work`. Rejects with `instance_not_connected` if the socket ends first. The wait uses a listener, which is removed afterwards. A
 * `Promise.race` against one promise of the connection would leave memory behind with every call, until the connection ends.
 */
export function untilEnd<T>({ ended }: Ending, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onEnd = () => reject(new Failure('instance_not_connected'))
    if (ended.aborted) onEnd()
    else ended.addEventListener('abort', onEnd)
    work.then(resolve, reject).finally(() => ended.removeEventListener('abort', onEnd))
  })
}

/** Waits for `work` until the socket ends or the deadline passes, with a single promise for both, because each sent text waits several times. */
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

/** Waits this many ms. Rejects with `instance_not_connected` if the socket ends first. */
export function pause(session: Ending, ms: number): Promise<void> {
  if (ms <= 0) return Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return untilEnd(session, over).finally(() => clearTimeout(timer))
}
