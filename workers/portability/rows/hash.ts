/**
 * Rows of programs that keep Baileys' state in Redis or a database, as the server's own client prints them: a JSON document on each line. A hash
 * has the credentials under `creds` and each key under its type and id; Evolution API may keep its credentials apart, in a row of their own.
 */
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { NotImportable } from '../credentials.ts'
import { type LibraryKey, type LibraryState, typeOf } from '../library-state.ts'

type Row = Record<string, unknown>

/** Fields of a hash, or of a row, that are no key. */
const NO_KEYS = new Set(['creds', 'metadata', 'id', 'sessionId', 'createdAt'])

/** `-`: from standard input. */
export async function readHash(path: string): Promise<LibraryState> {
  const lines = (path === '-' ? await text(process.stdin) : await readFile(path, 'utf8')).split('\n')
  const rows = lines.filter((line) => line.trim() !== '').map(rowOf)
  const fields = rows.flatMap((row) => Object.entries(row))
  if (fields.some(([name]) => name === 'import-candidates'))
    throw new NotImportable([
      'The device was brought into the other program without its key of the connection, which is still being guessed there.',
    ])
  const keys: LibraryKey[] = []
  let unknown = 0
  for (const [name, value] of fields) {
    const found = typeOf(name)
    if (found) keys.push({ type: found.type, id: found.rest, text: textOf(value) })
    else if (!NO_KEYS.has(name)) unknown += 1
  }
  const creds = rows.find((row) => typeof row.creds === 'string' || isRow(row.creds))?.creds
  return { creds: creds === undefined ? undefined : credsIn(creds), keys, unknown, writtenAt: undefined }
}

function rowOf(line: string, index: number): Row {
  let row: unknown
  try {
    row = JSON.parse(line)
  } catch (cause) {
    throw new NotImportable([`Line ${index + 1} is not JSON.`], { cause })
  }
  if (isRow(row)) return row
  throw new NotImportable([`Line ${index + 1} is not a JSON object.`])
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Evolution API writes the JSON text as a JSON text again. */
function credsIn(value: unknown): string {
  const once = textOf(value)
  const isTwice = once.startsWith('"')
  return isTwice ? String(JSON.parse(once)) : once
}
