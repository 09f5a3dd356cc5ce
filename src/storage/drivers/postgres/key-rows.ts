/**
 * Stores the keys as rows. A removed row stays in dead pages, in the log and in backups for a while. A rotation of the
 * secret key makes it unreadable, because the row is encrypted with the former one.
 */
import type { KeyTable, Places } from '../../key-table.ts'
import type { Question } from './link.ts'

const PLACES = ['first', 'second'] as const
/**
 * SQL condition that the writer of this thread may still write. `value` is the position of its id among the query's
 * values.
 */
const holds = (value: number) => `EXISTS (SELECT FROM svc_writer WHERE id = $${value} AND NOT is_over)`

export const keyRows = (
  { ask, writer }: { ask(question: Question): Promise<unknown[][]>; writer: string | undefined },
  where: string,
): KeyTable => {
  /**
   * Removes one copy of a key, unless it is the only one. Two services that start with different secret keys could
   * otherwise each remove the copy of the other.
   */
  async function clear(name: string, place: 0 | 1): Promise<void> {
    const other = PLACES[place === 0 ? 1 : 0]
    const cleared = await ask({
      text: `UPDATE svc_key SET ${PLACES[place]} = NULL WHERE name = $1 AND ${other} IS NOT NULL AND ${holds(2)} RETURNING 1`,
      values: [name, writer],
    })
    if (cleared.length === 0)
      throw new Error(
        `The key ${whereIs(name)} has only one copy left. Another service has started with another SVC_SECRET_KEY; start all services with the same one.`,
      )
  }
  const whereIs = (name: string) => `${name} in ${where}`

  return {
    where,
    whereIs,
    names: async () => (await ask({ text: 'SELECT name FROM svc_key' })).map(([name]) => name as string),
    async get(name) {
      const [row] = await ask({ text: 'SELECT first, second FROM svc_key WHERE name = $1', values: [name] })
      return row && placesOf(row)
    },
    async all() {
      const rows = await ask({ text: 'SELECT name, first, second FROM svc_key' })
      return new Map(rows.map(([name, ...places]) => [name as string, placesOf(places)]))
    },
    async add(name, [first, second]) {
      await ask({
        text: `INSERT INTO svc_key (name, first, second) SELECT $1, $2, $3 WHERE ${holds(4)} ON CONFLICT DO NOTHING`,
        values: [name, first ?? null, second ?? null, writer],
      })
    },
    async set(name, place, value) {
      if (value === undefined) return clear(name, place)
      await ask({
        text: `UPDATE svc_key SET ${PLACES[place]} = $2 WHERE name = $1 AND ${holds(3)}`,
        values: [name, value, writer],
      })
    },
    remove: async (name) =>
      void (await ask({ text: `DELETE FROM svc_key WHERE name = $1 AND ${holds(2)}`, values: [name, writer] })),
    // PostgreSQL has no incomplete rows, so there are no drafts.
    removeDrafts: async () => {},
  }
}

function placesOf(row: unknown[]): Places {
  const [first, second] = row as (Uint8Array | null)[]
  return [first ?? undefined, second ?? undefined]
}
