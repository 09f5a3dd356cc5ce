/**
 * Reads the passphrase of an archive from a file, or from the terminal without showing it. It is never an argument,
 * because other users of the machine could read the arguments.
 */
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { MIN_PASSPHRASE } from '../domain/archive.ts'
import { UsageError } from './command.ts'

const NO_TERMINAL = 'The passphrase of the archive is needed; name a file that contains it with --passphrase-file.'

/** Reads a passphrase; a new one must be typed twice. Throws if it is too short. */
export async function readPassphrase(
  file: string | undefined,
  { isNew, command }: { isNew: boolean; command: string },
): Promise<string> {
  const passphrase = file === undefined ? await typed(isNew, command) : (await readFile(file, 'utf8')).replace(/\r?\n$/, '')
  if (passphrase.length >= MIN_PASSPHRASE) return passphrase
  throw new UsageError(`The passphrase has ${passphrase.length} characters; it must have at least ${MIN_PASSPHRASE}.`, command)
}

async function typed(isNew: boolean, command: string): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError(NO_TERMINAL, command)
  const first = await ask('Passphrase of the archive: ')
  if (isNew && (await ask('Repeat the passphrase: ')) !== first) throw new UsageError('The two passphrases differ.', command)
  return first
}

async function ask(question: string): Promise<string> {
  process.stderr.write(question)
  // The terminal interface would show the typed characters, so its output is discarded.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  try {
    return await lines.question('')
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
