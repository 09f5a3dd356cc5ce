/**
 * Detects a pooler that gives the server connection to another client between two transactions, as PgBouncer does with
 * `pool_mode=transaction`. Settings, prepared statements and locks of the connection are then lost.
 */
import { connect, type Link, UnfitServer } from './link.ts'
import type { Target } from './target.ts'

const SILENCE = 3_000
const PROCESS = { text: 'SELECT pg_backend_pid()' }

/**
 * Throws a sentence for the operator if a pooler changes the server process between transactions. The signs are: two
 * connections have the same server process, or the server process of one connection has changed.
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
