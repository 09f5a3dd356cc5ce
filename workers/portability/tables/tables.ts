import { open, stat } from 'node:fs/promises'
import { NotImportable } from '../../../src/domain/not-importable.ts'
import { type Row, readJsonLines } from '../rows/json-lines.ts'

export interface Tables {
  rows(table: string): readonly Row[]
  /** Last write in epoch ms; undefined if unknown. */
  writtenAt: number | undefined
}

/** The part of `node:sqlite` that this module uses. The types of the oldest supported Node do not include it. */
interface Sqlite {
  DatabaseSync: new (
    path: string,
    options: { readOnly: true },
  ) => {
    prepare(sql: string): { all(...values: string[]): Row[] }
    close(): void
  }
}

const SQLITE = 'SQLite format 3\0'
/**
 * Suffixes of the files that SQLite writes next to the database. The newest of all these files shows the last write.
 */
const LOGS = ['-wal', '-journal']

/**
 * Opens the tables. `path`: an SQLite file, a file of rows `{"table": …, "row": …}`, or `-` for rows on standard input.
 */
export const openTables = async (path: string): Promise<Tables> =>
  (await isSqlite(path)) ? tablesOfFile(path) : tablesOfRows(await readJsonLines(path))

async function isSqlite(path: string): Promise<boolean> {
  if (path === '-') return false
  const file = await open(path).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ENOENT' ? new Error(`There is no file ${path}.`, { cause }) : cause
  })
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SQLITE.length), 0, SQLITE.length, 0)
    return buffer.toString('latin1', 0, bytesRead) === SQLITE
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EISDIR') throw cause
    throw new Error(`${path} is a folder; name the file of the database in it.`, { cause })
  } finally {
    await file.close()
  }
}

async function tablesOfFile(path: string): Promise<Tables> {
  const { DatabaseSync } = await loadSqlite()
  try {
    return { ...tablesOf(new DatabaseSync(path, { readOnly: true })), writtenAt: await lastWrite(path) }
  } catch (cause) {
    throw new NotImportable([`SQLite cannot read the database: ${(cause as Error).message}.`], { cause })
  }
}

function tablesOf(database: InstanceType<Sqlite['DatabaseSync']>): Pick<Tables, 'rows'> {
  try {
    const names = database.prepare(`select name from sqlite_master where type = 'table'`).all()
    const tables = new Map(names.map(({ name }) => [String(name), database.prepare(`select * from "${name}"`).all()]))
    return { rows: (table) => tables.get(table) ?? [] }
  } finally {
    database.close()
  }
}

async function loadSqlite(): Promise<Sqlite> {
  // The name is in a variable. If it were a literal in `import()`, compilers would look for the types of the module.
  const name: string = 'node:sqlite'
  try {
    return await import(name)
  } catch (cause) {
    throw new NotImportable(
      [
        `Reading an SQLite file needs Node 22.13 or newer, and this is Node ${process.versions.node}. Run this command with a newer Node.`,
      ],
      { cause },
    )
  }
}

async function lastWrite(path: string): Promise<number> {
  const times = ['', ...LOGS].map(async (suffix) => (await stat(path + suffix).catch(() => undefined))?.mtimeMs ?? 0)
  return Math.max(...(await Promise.all(times)))
}

function tablesOfRows(lines: readonly Row[]): Tables {
  const tables = new Map<string, Row[]>()
  for (const { table, row } of lines) {
    if (typeof table !== 'string' || typeof row !== 'object' || row === null)
      throw new NotImportable(['Each line must be {"table": "<name>", "row": {…}}.'])
    const rows = tables.get(table)
    if (rows) rows.push(row as Row)
    else tables.set(table, [row as Row])
  }
  return { rows: (table) => tables.get(table) ?? [], writtenAt: undefined }
}
