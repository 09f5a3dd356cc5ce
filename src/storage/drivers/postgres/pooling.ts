/**
 * A pooler that gives the connections of the server to others between two transactions loses what belongs to a connection: the settings of `link.ts`, the
 * statements that are prepared once, the lock of the owner. PgBouncer does so with `pool_mode=transaction`, and not with `session`.
 */
import { connect, type Link, UnfitServer } from './link.ts'
import type { Target } from './target.ts'

const SILENCE = 3_000
const PROCESS = { text: 'SELECT pg_backend_pid()' }

/** Refuses such a pooler with a sentence: there, two open connections are served by one process, or one connection by two. */
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
