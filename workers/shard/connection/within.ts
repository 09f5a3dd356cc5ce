/** Every wait on the network has a deadline of ours and ends with the socket: the library's own time-out resolves with undefined. */
import { Failure } from '../../../src/domain/failures.ts'
import type { Connection } from './session.ts'

type Ending = Pick<Connection, 'ended'>

/**
 * Rejects with `instance_not_connected` when the socket ends first. A listener that is taken away again, and not a race against one long
 * promise: such a promise keeps something of every race for as long as the connection lives.
 */
export function untilEnd<T>({ ended }: Ending, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onEnd = () => reject(new Failure('instance_not_connected'))
    if (ended.aborted) onEnd()
    else ended.addEventListener('abort', onEnd)
    work.then(resolve, reject).finally(() => ended.removeEventListener('abort', onEnd))
  })
}

export function within<T>(session: Ending, deadlineMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const inTime = new Promise<T>((resolve, reject) => {
    timer = setTimeout(() => reject(new Failure('send_timeout')), deadlineMs)
    work.then(resolve, reject)
  })
  return untilEnd(session, inTime).finally(() => clearTimeout(timer))
}

/** A pause that ends with the socket. */
export function pause(session: Ending, ms: number): Promise<void> {
  if (ms <= 0) return Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return untilEnd(session, over).finally(() => clearTimeout(timer))
}
