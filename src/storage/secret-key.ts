/** Where the secret key comes from, and whether it is the one this store was written with. Every refusal is one sentence for the operator. */
import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SECRET_KEY_BYTES, SECRET_KEY_FORM, secretKeyEncoding } from '../domain/secret-key.ts'
import type { StateStore } from './contract.ts'
import { keys } from './keys.ts'
import type { Sealer } from './seal.ts'

export interface SecretKeySource {
  /** 32 bytes as base64 or hex, given by the operator. Wins over the file. */
  secretKey?: string | undefined
  /** Where the generated key lives, beside the store. */
  file: string
  /** A key is generated only while this store is empty: a new one would make everything in it unreadable. */
  store: Pick<StateStore, 'range'>
  /** None is generated. */
  mustExist?: boolean
}

export async function loadSecretKey({ secretKey, file, store, mustExist = false }: SecretKeySource): Promise<Uint8Array> {
  if (secretKey !== undefined) return parseSecretKey(secretKey, 'SVC_SECRET_KEY')
  const found = await readIfThere(file)
  if (found !== undefined) return parseSecretKey(found, `The key file ${file}`)
  if (!(await isEmpty(store))) {
    throw new Error(
      `The key file ${file} is missing, but the store has data sealed with it; put the file back or give the key itself.`,
    )
  }
  if (mustExist) throw new Error(`The key file ${file} is missing; start the service once.`)
  return generate(file)
}

/** First start: leaves a sealed constant in the empty store. Later: refuses a key that does not open it, and changes nothing. */
export async function checkKey(store: StateStore, sealer: Sealer): Promise<void> {
  const key = keys.keyCheck
  const mark = Buffer.from('this store is read with the right key')
  let sealed = await store.get(key)
  if (sealed === undefined) {
    if (!(await isEmpty(store)))
      throw new Error('The store has data but no key mark, so the secret key cannot be checked; restore the store from a backup.')
    if (await store.commit({ guard: { key, equals: null }, ops: [[key, sealer.seal(key, mark)]] })) return
    sealed = await store.get(key)
  }
  try {
    if (sealed !== undefined && sealer.open(key, sealed).equals(mark)) return
  } catch (cause) {
    throw new Error(
      'The secret key is not the one this store was written with; start with the original key or use an empty store.',
      { cause },
    )
  }
  throw new Error('The key mark of the store is not readable; restore the store from a backup.')
}

export function parseSecretKey(text: string, what: string): Uint8Array {
  const value = text.trim()
  const encoding = secretKeyEncoding(value)
  const bytes = encoding && Buffer.from(value, encoding)
  if (bytes?.byteLength !== SECRET_KEY_BYTES) throw new Error(`${what} must be ${SECRET_KEY_FORM}.`)
  // An own copy: Buffer.from puts small values into a pool shared with everything else.
  return Uint8Array.from(bytes)
}

/** Written beside, flushed, then linked into place: the file is either absent or whole, and an existing one is never replaced. */
async function generate(file: string): Promise<Uint8Array> {
  const key = randomBytes(SECRET_KEY_BYTES)
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`
  await mkdir(dirname(file), { recursive: true })
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(`${key.toString('base64')}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    await link(draft, file)
  } catch (error) {
    // Another process was first: its key counts.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return parseSecretKey(await readFile(file, 'utf8'), `The key file ${file}`)
  } finally {
    await unlink(draft)
  }
  await syncDirectory(dirname(file))
  return Uint8Array.from(key)
}

async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function isEmpty(store: Pick<StateStore, 'range'>): Promise<boolean> {
  for await (const _ of store.range('', { limit: 1 })) return false
  return true
}
