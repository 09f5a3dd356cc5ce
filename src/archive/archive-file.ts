/**
 * The file of an archive: frames (`frames.ts`) in the age format (https://age-encryption.org/v1), so that the program
 * `age` can also open it. A file that was truncated, changed or put together from several files is detected.
 */
import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { Decrypter, Encrypter } from 'age-encryption'
import { NotImportable } from '../domain/not-importable.ts'
import { syncFolder } from '../storage/durable-files.ts'
import { PRIVATE_FILE } from '../storage/private.ts'
import { type Frame, frameBytes, framesIn } from './frames.ts'

/**
 * Cost of scrypt, as a logarithm to base 2. With it, each guess of a passphrase takes 128 MB of memory and about a
 * second.
 */
const WORK_FACTOR = 17
const CHUNK = 65_536

export interface DraftOptions {
  /** Name of the file until it is complete. A killed command leaves such a file, so an existing one is replaced. */
  draft?: string
  written?(draft: string): Promise<void>
}

/**
 * Writes the archive as a draft, which gets the name of the file when it is complete. The file is durable when the
 * promise resolves.
 */
export async function writeArchiveFile(
  file: string,
  passphrase: string,
  frames: AsyncIterable<Frame>,
  { draft = `${file}.tmp`, written = async () => {} }: DraftOptions = {},
): Promise<void> {
  await rm(draft, { force: true })
  const handle = await open(draft, 'wx', PRIVATE_FILE)
  try {
    try {
      for await (const sealed of await encrypted(passphrase, frames)) await handle.writeFile(sealed)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await written(draft)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await rename(draft, file)
  await syncFolder(dirname(file))
}

/**
 * Encrypts the frames. Resolves when the key is derived from the passphrase, which blocks the thread for about a
 * second.
 */
export async function encrypted(passphrase: string, frames: AsyncIterable<Frame>): Promise<AsyncIterable<Uint8Array>> {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(WORK_FACTOR)
  return encrypter.encrypt(Readable.toWeb(Readable.from(chunked(frames))) as ReadableStream<Uint8Array>)
}

async function* chunked(frames: AsyncIterable<Frame>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = []
  let size = 0
  for await (const frame of frames) {
    for (const part of frameBytes(frame)) {
      parts.push(part)
      size += part.length
    }
    if (size < CHUNK) continue
    yield Buffer.concat(parts)
    parts = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(parts)
}

/**
 * Reads the frames of an archive. Throws `NotImportable` if the passphrase is wrong, or if the file is no archive,
 * incomplete or changed.
 */
export async function* readArchiveFile(file: string, passphrase: string): AsyncGenerator<Frame> {
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  const sealed = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
  let plain: ReadableStream<Uint8Array>
  try {
    plain = await decrypter.decrypt(sealed)
  } catch (cause) {
    throw problemOf(file, cause as Error)
  }
  try {
    yield* framesIn(plain)
  } catch (cause) {
    throw new NotImportable(['The archive is damaged or not complete, so nothing of it was taken.'], { cause })
  }
}

function problemOf(file: string, cause: Error & { code?: string }): Error {
  if (cause.code === 'ENOENT') return new Error(`There is no file ${file}.`, { cause })
  const sentence = /no identity matched/.test(cause.message)
    ? 'The passphrase is not that of this archive.'
    : 'The file is not an archive of this service.'
  return new NotImportable([sentence], { cause })
}
