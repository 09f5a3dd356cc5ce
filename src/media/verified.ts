/**
 * Verifies a file that this service reads itself, before anything in the file may have an effect. The encrypted bytes
 * are written to a temporary file and read again, so that the whole file is not in memory.
 */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { SealedFile } from '../domain/file-download.ts'
import { decrypted } from './decrypt.ts'

/**
 * Resolves with the decrypted bytes when the MAC, the hashes and the length have been verified. The bytes of `source`
 * are first written to `path`, still encrypted, and the result decrypts them from there. The file must not exist
 * before; the caller removes it. Rejects with `ChangedFile`, or with the error of reading or writing.
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
