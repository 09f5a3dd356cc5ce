/**
 * Detects a pooler that gives a connection of the server to another client between two transactions. With such a pooler the state of a connection is
 * lost: the settings of `link.ts`, the prepared statements and the lock of the owner. PgBouncer does this with `pool_mode=transaction`, but not with
 * `pool_mode=session`.
 */
import { connect, type Link, UnfitServer } from './link.ts'
import type { Target } from './target.ts'

const SILENCE = 3_000
const PROCESS = { text: 'SELECT pg_backend_pid()' }

/**
 * Throws a sentence for the operator if there is such a pooler. With such a pooler, one process of the server serves two open connections, or two
 * processes serve one connection.
 */
export async function refusePooling(link: Link, target: Target): Promise<void> {
  const processOf = async ({ ask }: Link) => (await ask(PROCESS, SILENCE)).rows[0]![0] as number
  const other = await connect(target, { name: 'check' })
  try {
    await other.ask({ text: 'BEGIN' }, SILENCE)
    const [first] = link.backend
    const found = [other.backend[0], await processOf(other)]
    if (!found.includes(first) && (await processOf(link)) === first) return
  } finally {
    await other.end()
  }
  throw new UnfitServer(
    `The PostgreSQL server of the store (${target.shown}) cannot be used: a pooler in front of it gives connections to others between two transactions. Connect directly, or set pool_mode to session in PgBouncer.`,
  )
}
