/** Reads databases with one row per key of Baileys' state: OpenWA, and WAHA with its engine NOWEB. */
import { stat } from 'node:fs/promises'
import { NotImportable } from '../../../src/domain/not-importable.ts'
import { keyOfName, readFolder } from '../baileys/folder.ts'
import { type LibraryKey, type LibraryState, typeOf } from '../library-state.ts'
import { jsonText, type Row, readJsonLines } from './json-lines.ts'

const CREDS = 'creds'

interface KeyRow {
  session: string
  name: string
  text: string
}

const ofOpenWa = ({ sessionName, keyType, keyId, value }: Row): KeyRow => ({
  session: String(sessionName),
  name: keyType === CREDS ? CREDS : `${keyType}-${keyId}`,
  text: jsonText(value),
})

/**
 * Converts a row of WAHA. A number in the row is a text of digits, which the first versions of WAHA stored without
 * quotes.
 */
const ofWaha = ({ session_id: session, key, value }: Row): KeyRow => ({
  session: String(session),
  name: String(key),
  text: JSON.stringify(typeof value === 'number' ? String(value) : value),
})

function stateOf(rows: readonly KeyRow[], keyOf: (name: string) => { type: string; id: string } | undefined): LibraryState {
  const sessions = new Set(rows.map(({ session }) => session))
  if (sessions.size > 1)
    throw new NotImportable([`The rows are those of ${sessions.size} sessions: print the rows of one session only.`])
  const keys: LibraryKey[] = []
  let unknown = 0
  for (const { name, text } of rows) {
    if (name === CREDS) continue
    const found = keyOf(name)
    if (found) keys.push({ ...found, text })
    else unknown += 1
  }
  const creds = rows.find(({ name }) => name === CREDS)
  return { creds: creds?.text, keys, unknown, writtenAt: undefined }
}

const plainKey = (name: string) => {
  const found = typeOf(name)
  return found && { type: found.type, id: found.rest }
}

const isFolder = async (path: string) => path !== '-' && (await stat(path).catch(() => undefined))?.isDirectory() === true

/**
 * Reads the state of a session. `path`: the folder of the session, a file of rows of its table, or `-` for rows on
 * standard input.
 */
export const readOpenWa = async (path: string): Promise<LibraryState> =>
  (await isFolder(path)) ? readFolder(path) : stateOf((await readJsonLines(path)).map(ofOpenWa), keyOfName)

export const readWaha = async (path: string): Promise<LibraryState> =>
  (await isFolder(path)) ? readFolder(path) : stateOf((await readJsonLines(path)).map(ofWaha), plainKey)
