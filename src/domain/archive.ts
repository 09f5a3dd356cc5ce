import type { InstanceId } from './ids.ts'

/**
 * Kinds of archives. After a `move` the instance continues at the target and no longer at the source; a `backup` is a
 * copy in case the instance is lost.
 */
export const ARCHIVE_KINDS = ['move', 'backup'] as const
export type ArchiveKind = (typeof ARCHIVE_KINDS)[number]

export const MIN_PASSPHRASE = 12

/** Version of the archive format that this release writes. This release also reads all earlier versions. */
export const ARCHIVE_VERSION = 1

export interface ArchiveHead {
  v: number
  kind: ArchiveKind
  id: string
  /** Time at which the archive was made, in epoch ms. */
  made: number
  release: string
}

export interface ArchiveParts {
  head: ArchiveHead
  config: Uint8Array
  ringKey: Uint8Array
}

export type ExportInstance = (
  instance: InstanceId,
  wish: { kind: ArchiveKind; passphrase: string },
  signal: AbortSignal,
) => Promise<ReadableStream<Uint8Array>>
