/**
 * A file of the network that this service reads for itself: nothing of it may have an effect before all of it is verified to be the file
 * that was sent. It is read twice, from the host into a file, and from there. The file holds the encrypted bytes, never the plain ones, and the key
 * is in memory alone. Only a piece is held at a time.
 */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { SealedFile } from '../domain/file-download.ts'
import { decrypted } from './decrypt.ts'

/**
 * The plain bytes, in pieces, once MAC, hashes and length have been found right; `path` must not exist, and the caller removes it. * Rejects with `ChangedFile`, or with the error of reading or writing.
 */
export async function verified(
  file: SealedFile,
  source: AsyncIterable<Uint8Array>,
  path: string,
): Promise<AsyncGenerator<Uint8Array>> {
  const kept = await open(path, 'wx', 0o600)
  async function* keeping() {
    for await (const chunk of source) {
      await kept.appendFile(chunk)
      yield chunk
    }
  }
  try {
    for await (const _ of decrypted(file, keeping()));
  } finally {
    await kept.close()
  }
  return decrypted(file, createReadStream(path))
}
