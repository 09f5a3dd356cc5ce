/** Every wait on the network has a deadline of ours and ends with the socket: the library's own time-out resolves with undefined. */
import { Failure } from '../../src/domain/failures.ts'
import type { Session } from './session.ts'

export async function within<T>(session: Pick<Session, 'ended'>, deadlineMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Failure('send_timeout')), deadlineMs)
  })
  // What loses the race is still awaited by nobody: it must not become an unhandled rejection.
  work.catch(() => {})
  try {
    return await Promise.race([work, session.ended, late])
  } finally {
    clearTimeout(timer)
  }
}

/** A pause that ends with the socket. */
export async function pause(session: Pick<Session, 'ended'>, ms: number): Promise<void> {
  if (ms <= 0) return
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  try {
    await Promise.race([over, session.ended])
  } finally {
    clearTimeout(timer)
  }
}
