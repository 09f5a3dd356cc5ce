/** Types for the import of an instance over HTTP, which the API, the main thread and the thread that reads the file share. */
import type { ImportSource } from './device-bundle.ts'
import type { InstanceId, WorkspaceId } from './ids.ts'

/** Size limit of the file in bytes. Archives with many large media are imported with the command. */
export const MAX_IMPORT = 64 * 1_048_576

/** The file to import: the program that it comes from, and choices for reading it. */
export interface FileToRead {
  from: ImportSource
  /** Passphrase of an archive. */
  passphrase: string | undefined
  /** Id of the device to read, for a database that has several devices. */
  device: string | undefined
  /** True if the caller says that the device was used again after the file was made. */
  isOld: boolean
}

export interface FileFound {
  /** Public identity key of the device. */
  identity: string
  /** Id that the instance had at another server. */
  id: string | undefined
  /** Sentences for the operator about the content of the file. */
  report: readonly string[]
}

export interface ImportWish extends FileToRead {
  name: string | undefined
  /** Whether the instance of a backup keeps its token. */
  hasSameToken: boolean
  /** If true, the file is only checked and nothing is written. */
  isDry: boolean
}

/**
 * Reads the file to its end, even if the device is refused. `instance` is undefined if nothing was written. Rejects
 * with a `Failure`.
 */
export type ImportInstance = (
  workspace: WorkspaceId,
  file: AsyncIterable<Uint8Array>,
  wish: ImportWish,
) => Promise<{ instance: InstanceId | undefined; report: readonly string[] }>
