/**
 * Reads the hashes of programs that store Baileys' state in Redis: the credentials in the field `creds`, and each key
 * in a field that is named by its type and id. Evolution API may store the credentials separately.
 */
import { NotImportable } from '../../../src/domain/not-importable.ts'
import { type LibraryKey, type LibraryState, typeOf } from '../library-state.ts'
import { isRow, jsonText, readJsonLines } from './json-lines.ts'

const NO_KEYS = new Set(['creds', 'metadata', 'id', 'sessionId', 'createdAt'])

export async function readHash(path: string): Promise<LibraryState> {
  const rows = await readJsonLines(path)
  const fields = rows.flatMap((row) => Object.entries(row))
  if (fields.some(([name]) => name === 'import-candidates'))
    throw new NotImportable([
      'The other program imported this device without its connection key, and is still trying to find the key.',
    ])
  const keys: LibraryKey[] = []
  let unknown = 0
  for (const [name, value] of fields) {
    const found = typeOf(name)
    if (found) keys.push({ type: found.type, id: found.rest, text: jsonText(value) })
    else if (!NO_KEYS.has(name)) unknown += 1
  }
  const creds = rows.find((row) => typeof row.creds === 'string' || isRow(row.creds))?.creds
  return { creds: creds === undefined ? undefined : credsIn(creds), keys, unknown, writtenAt: undefined }
}

function credsIn(value: unknown): string {
  const once = jsonText(value)
  if (!once.startsWith('"')) return once
  try {
    return String(JSON.parse(once))
  } catch (cause) {
    throw new NotImportable(['The credentials are not readable as JSON.'], { cause })
  }
}
