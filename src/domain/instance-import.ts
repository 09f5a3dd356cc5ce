import type { ImportSource } from './device-bundle.ts'
import type { InstanceId, WorkspaceId } from './ids.ts'

/** Maximum size of an uploaded file in bytes. A larger file can be imported with the command `instance import`. */
export const MAX_IMPORT = 64 * 1_048_576

export interface FileToRead {
  from: ImportSource
  passphrase: string | undefined
  device: string | undefined
  isOld: boolean
}

export interface FileFound {
  identity: string
  id: string | undefined
  report: readonly string[]
}

export interface ImportWish extends FileToRead {
  name: string | undefined
  hasSameToken: boolean
  /** If true, the file is checked and nothing is written. */
  isDry: boolean
}

/**
 * Imports an instance from a file, which is read to its end even if the device is refused. `instance` is undefined if
 * nothing was written. Rejects with `Failure`.
 */
export type ImportInstance = (
  workspace: WorkspaceId,
  file: AsyncIterable<Uint8Array>,
  wish: ImportWish,
) => Promise<{ instance: InstanceId | undefined; report: readonly string[] }>
