import { rm } from 'node:fs/promises'
import type { Stored } from '../../harness/other-stores.ts'

export type Columns = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Node's SQLite module, or undefined: the oldest supported version of Node does not have it. */
const sqlite = await import('node:sqlite' as string).catch(() => undefined)
export const skip = sqlite === undefined ? `Node ${process.versions.node} has no node:sqlite.` : false

/** Writes rows to a SQLite file. `types`: the columns of a table, by default those of its first row. */
export async function writeSqlite(file: string, stored: Stored, types: Columns = {}): Promise<string> {
  await rm(file, { force: true })
  const database = new sqlite.DatabaseSync(file)
  for (const [table, rows] of Object.entries(stored)) {
    const columns = Object.keys(types[table] ?? rows[0] ?? { none: 1 })
    database.exec(`create table "${table}" (${columns.map((name) => `"${name}" ${types[table]?.[name] ?? ''}`).join(', ')})`)
    const insert = database.prepare(`insert into "${table}" values (${columns.map(() => '?').join(', ')})`)
    for (const row of rows) insert.run(...columns.map((name) => row[name] ?? null))
  }
  database.close()
  return file
}
