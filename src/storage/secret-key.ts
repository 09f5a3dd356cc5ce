/** Finds or creates the secret key. If the key is missing or invalid, throws a sentence for the operator. */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SECRET_KEY_BYTES, SECRET_KEY_FORM, secretKeyEncoding } from '../domain/secret-key.ts'
import type { StateStore } from './contract.ts'
import { writeOnce } from './durable-files.ts'
import { keysOfStore } from './record-keys.ts'

export interface SecretKeySource {
  /** Key that the operator gives: 32 bytes as base64 or hex. It takes precedence over the file. */
  secretKey?: string | undefined
  file: string
  /**
   * Store to which the key belongs. A new key is generated only if this store is empty, because nothing in it could be
   * read with a new key.
   */
  store: Pick<StateStore, 'range'>
  mustExist?: boolean
  /** True if there is no file for the key. The operator must then give the key. */
  isGivenOnly?: boolean
}

export async function loadSecretKey({
  secretKey,
  file,
  store,
  mustExist = false,
  isGivenOnly = false,
}: SecretKeySource): Promise<Uint8Array> {
  if (secretKey !== undefined) return parseSecretKey(secretKey, 'SVC_SECRET_KEY')
  if (isGivenOnly) {
    throw new Error(
      `SVC_SECRET_KEY is not set; a store in PostgreSQL needs it, because the key must not be stored beside the data that it opens. It must be ${SECRET_KEY_FORM}.`,
    )
  }
  const found = await readIfThere(file)
  if (found !== undefined) return parseSecretKey(found, `The key file ${file}`)
  if (!(await isEmpty(store))) {
    throw new Error(
      `The key file ${file} is missing, but the store has data sealed with it; put the file back, or set SVC_SECRET_KEY to the key.`,
    )
  }
  if (mustExist) throw new Error(`The key file ${file} is missing; start the service once, which creates it.`)
  return generate(file)
}

export function parseSecretKey(text: string, what: string): Uint8Array {
  const value = text.trim()
  const encoding = secretKeyEncoding(value)
  const bytes = encoding && Buffer.from(value, encoding)
  if (bytes?.byteLength !== SECRET_KEY_BYTES) throw new Error(`${what} must be ${SECRET_KEY_FORM}.`)
  // `Buffer.from` puts small values into a pool that other buffers share, and the key must not stay there.
  const key = Uint8Array.from(bytes)
  bytes.fill(0)
  return key
}

async function generate(file: string): Promise<Uint8Array> {
  const key = randomBytes(SECRET_KEY_BYTES)
  await mkdir(dirname(file), { recursive: true })
  // If another process has created the file first, its key is used.
  if (!(await writeOnce(file, secretKeyText(key)))) return parseSecretKey(await readFile(file, 'utf8'), `The key file ${file}`)
  return Uint8Array.from(key)
}

export const secretKeyText = (key: Uint8Array) => Buffer.from(`${Buffer.from(key).toString('base64')}\n`)

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export async function isEmpty(store: Pick<StateStore, 'range'>): Promise<boolean> {
  for await (const [key] of store.range('')) if (!keysOfStore.has(key)) return false
  return true
}
