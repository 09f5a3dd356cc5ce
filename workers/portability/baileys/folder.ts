import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { NotImportable } from '../../../src/domain/not-importable.ts'
import { type LibraryKey, type LibraryState, typeOf } from '../library-state.ts'
import { isRow, jsonText, type Row } from '../rows/json-lines.ts'

const CREDS = 'creds.json'
const NO_FILES = 'The file must be a JSON object that has the files of the folder as its fields, or name the folder itself.'
const JSON_FILE = '.json'
const AT_ONCE = 32

export const readBaileys = async (path: string): Promise<LibraryState> =>
  (await isFile(path)) ? stateOfFiles(await readFile(path, 'utf8')) : readFolder(path)

const isFile = async (path: string) => (await stat(path).catch(() => undefined))?.isFile() === true

function stateOfFiles(text: string): LibraryState {
  const files = parsedFiles(text)
  const keys: LibraryKey[] = []
  let unknown = 0
  for (const [name, content] of Object.entries(files)) {
    if (name === CREDS) continue
    const found = name.endsWith(JSON_FILE) ? keyOfFile(name) : undefined
    if (found) keys.push({ ...found, text: jsonText(content) })
    else unknown += 1
  }
  const creds = files[CREDS]
  return { creds: creds === undefined ? undefined : jsonText(creds), keys, unknown, writtenAt: undefined }
}

function parsedFiles(text: string): Row {
  let files: unknown
  try {
    files = JSON.parse(text)
  } catch (cause) {
    throw new NotImportable([NO_FILES], { cause })
  }
  if (isRow(files)) return files
  throw new NotImportable([NO_FILES])
}

export async function readFolder(folder: string): Promise<LibraryState> {
  const names = await namesIn(folder)
  const files = names.filter((name) => name.endsWith(JSON_FILE) && name !== CREDS)
  const keys: LibraryKey[] = []
  let unknown = 0
  for (const name of files) {
    const found = keyOfFile(name)
    if (found) keys.push({ ...found, text: name })
    else unknown += 1
  }
  const texts = await inGroups(keys, ({ text: name }) => readFile(join(folder, name), 'utf8'))
  const times = await inGroups(
    [...files, ...(names.includes(CREDS) ? [CREDS] : [])],
    async (name) => (await stat(join(folder, name))).mtimeMs,
  )
  return {
    creds: names.includes(CREDS) ? await readFile(join(folder, CREDS), 'utf8') : undefined,
    keys: keys.map(({ type, id }, index) => ({ type, id, text: texts[index]! })),
    unknown,
    writtenAt: times.length === 0 ? undefined : Math.max(...times),
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile()).map(({ name }) => name)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new Error(`There is no folder ${folder}.`, { cause })
    throw cause
  }
}

async function inGroups<T, R>(all: readonly T[], read: (one: T) => Promise<R>): Promise<R[]> {
  const found: R[] = []
  for (let from = 0; from < all.length; from += AT_ONCE)
    found.push(...(await Promise.all(all.slice(from, from + AT_ONCE).map(read))))
  return found
}

/**
 * Matches group, author and device in the name of a sender key. Ids of old groups contain dashes, so the name is parsed
 * from its end.
 */
const SENDER_KEY = /^(.+)--(\d+(?:_\d+)?)--(\d+)$/

const keyOfFile = (file: string) => keyOfName(file.slice(0, -JSON_FILE.length))

/**
 * Returns the type and id of a key from its file name without `.json`. Baileys writes `/` as `__` and `:` as `-`; the
 * type of the key decides which character was meant.
 */
export function keyOfName(name: string): { type: string; id: string } | undefined {
  const found = typeOf(name)
  if (!found) return undefined
  const { type, rest } = found
  // Base64 has slashes but no underscores, so every `__` was a slash.
  if (type === 'app-state-sync-key') return { type, id: rest.replaceAll('__', '/') }
  if (type === 'pre-key' && !/^\d{1,8}$/.test(rest)) return undefined
  if (type !== 'sender-key') return { type, id: rest }
  const parts = SENDER_KEY.exec(rest)
  return parts ? { type, id: parts.slice(1).join('::') } : undefined
}
