/**
 * Reads an encrypted file for the service itself. It is downloaded into a temporary file, with retries, and verified
 * before any decrypted byte is passed on.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { SECOND } from '../domain/clock.ts'
import type { SealedFile } from '../domain/file-download.ts'
import { ChangedFile } from './decrypt.ts'
import type { FileHost } from './file-host.ts'
import { verified } from './verified.ts'

export interface FetchDeps {
  host: FileHost
  tempDir: string
  ended: AbortSignal
  log: Pick<Logger, 'info'>
  /** Delays in ms before each repeated request. */
  retries?: readonly number[] | undefined
}

const RETRIES = [2 * SECOND, 15 * SECOND, 60 * SECOND]

export class HostRefused extends Error {
  readonly status: number
  constructor(status: number) {
    super(`the host of a file answered with status ${status}`)
    this.status = status
  }
}

export function isFinalAnswer(error: unknown): boolean {
  if (error instanceof HostRefused) return error.status >= 400 && error.status < 500 && error.status !== 429
  return error instanceof ChangedFile
}

/**
 * Downloads a file, and resolves with the result of `read`. Rejects with `HostRefused`, `ChangedFile`, or an error of
 * the request, the file or `read`.
 */
export type ReadFile = <T>(file: SealedFile, path: string, read: (bytes: AsyncIterable<Uint8Array>) => Promise<T>) => Promise<T>

export function readFetched({ host, tempDir, ended, log, retries = RETRIES }: FetchDeps): ReadFile {
  async function fetched(file: SealedFile, path: string, to: string): Promise<AsyncIterable<Uint8Array>> {
    const answer = await host.get({ file, path, proxyUrl: null }, ended)
    if ('body' in answer) return verified(file, answer.body, to)
    throw new HostRefused(answer.status)
  }

  async function fetchedAtLast(file: SealedFile, path: string, to: string): Promise<AsyncIterable<Uint8Array>> {
    for (const after of retries) {
      try {
        return await fetched(file, path, to)
      } catch (error) {
        if (isFinalAnswer(error)) throw error
        log.info({ err: error, kind: file.kind }, 'a received file could not be downloaded; it is requested again')
        await rm(to, { force: true })
        await wait(after, undefined, { signal: ended })
      }
    }
    return fetched(file, path, to)
  }

  return async (file, path, read) => {
    await mkdir(tempDir, { recursive: true })
    const to = join(tempDir, `${file.kind}-${randomUUID()}`)
    try {
      return await read(await fetchedAtLast(file, path, to))
    } finally {
      await rm(to, { force: true })
    }
  }
}
