/**
 * Connects again with attempts that overlap. An attempt may hang because its packets are lost, and another server needs
 * seconds for each connection, so a new attempt does not end those that still wait.
 */
import { orLate } from '../../../../lib/deadline.ts'
import type { Link } from '../link.ts'

export interface Reconnect {
  /**
   * Begins one more attempt. Resolves with the first connection of all attempts, and rejects after `waitMs`; the
   * attempts continue.
   */
  next(): Promise<Link>
  /** Ends the connections that attempts still make. */
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
