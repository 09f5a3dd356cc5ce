import { writeFile } from 'node:fs/promises'
import { Encrypter } from 'age-encryption'
import { type Frame, frameBytes } from '../../../src/archive/frames.ts'

export const PASSPHRASE = 'correct horse battery'

/**
 * Writes an archive with a cheap derivation of the key from `PASSPHRASE`. For a real archive, deriving the key from the
 * passphrase takes a second.
 */
export async function writeCheaply(file: string, frames: AsyncIterable<Frame>): Promise<void> {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(PASSPHRASE)
  encrypter.setScryptWorkFactor(1)
  const parts: Uint8Array[] = []
  for await (const frame of frames) parts.push(...frameBytes(frame))
  await writeFile(file, await encrypter.encrypt(Buffer.concat(parts)))
}
