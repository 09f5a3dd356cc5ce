/**
 * Connects again with attempts that overlap. The packets of an attempt may be lost, and a slow server may need seconds
 * for each connection.
 */
import { orLate } from '../../../../lib/deadline.ts'
import type { Link } from '../link.ts'

export interface Reconnect {
  /**
   * Begins one more attempt. Resolves with the first connection of all attempts. Rejects after `waitMs`, or when all
   * attempts have failed; attempts that still run continue.
   */
  next(): Promise<Link>
  /** Ends the connections of attempts that still succeed. */
  stop(): void
}

export function createReconnect(connect: () => Promise<Link>, waitMs: number): Reconnect {
  let attempts: Promise<Link>[] = []

  function endOthers(used?: Link) {
    for (const attempt of attempts) attempt.then((made) => (made === used ? undefined : made.end())).catch(() => {})
    attempts = []
  }

  return {
    async next() {
      const attempt = connect()
      attempts.push(attempt)
      attempt.catch(() => {
        attempts = attempts.filter((each) => each !== attempt)
      })
      const link = await orLate(Promise.any(attempts), waitMs, () => {
        throw new Error('The database has not accepted a connection yet.')
      })
      endOthers(link)
      return link
    },
    stop: () => endOthers(),
  }
}
