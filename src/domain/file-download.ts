/**
 * Types for the download of a received file, such as the input of the thread and its messages to the main thread. Both
 * are plain data; bytes are transferred, not copied. Either side ends a download by closing the port.
 */
import type { FailureData } from './failures.ts'

export type FileKind = 'image' | 'video' | 'audio' | 'document' | 'sticker'

/** An encrypted file on the network's host. A key or hash is null if the message did not state it. */
export interface SealedFile {
  kind: FileKind | 'history' | 'app-state'
  /**
   * Key that decrypts the file. Null if the network stores the file unencrypted, as for channels; such a file is read
   * only if it has a hash.
   */
  mediaKey: Uint8Array | null
  fileSha256: Uint8Array | null
  fileEncSha256: Uint8Array | null
  /** Length of the decrypted file in bytes, as the sender states it; may be wrong. */
  fileLength: number | null
  /**
   * True for a file of a channel. Some clients state a key although such a file is not encrypted; only the length of
   * the stored file then shows that it is not.
   */
  isOfChannel?: boolean
}

export interface FileDownload {
  file: SealedFile
  path: string
  proxyUrl: string | null
  instance: string
}

/**
 * Maximum number of decrypted bytes per message between the threads. A larger piece needs more memory, and a smaller
 * one needs more messages.
 */
export const PIECE = 128 * 1_024
/**
 * Maximum number of pieces that the thread has sent and the main thread has not passed on yet. If the reader reads
 * nothing, the memory for it is limited to `WINDOW` times `PIECE`, half a megabyte.
 */
export const WINDOW = 4

/** Messages of the thread to the main thread. The last message of a download is `status`, `failed` or `end`. */
export type FileNews =
  | { type: 'status'; status: number }
  /** `length` is the verified length of the decrypted file in bytes; null if its end is not known at this time. */
  | { type: 'open'; length: number | null }
  | { type: 'piece'; bytes: ArrayBuffer }
  | { type: 'end' }
  | { type: 'failed'; err: FailureData }

/** Message of the main thread: it has passed one piece on, so the thread may send another. */
export const MORE = 'more'

export interface OpenDownload {
  /** Verified number of bytes of the decrypted file; null if its end was not known when the download began. */
  length: number | null
  /** The decrypted bytes. The stream fails if the file differs from the one that was sent. */
  stream: ReadableStream<Uint8Array>
  /** Resolves when no bytes of the download are left in memory, however the download ended. */
  ended: Promise<void>
}

/**
 * Opens a download. Resolves with the status if it is not 200, because this is not an error. Rejects with `Failure`.
 * Aborting the signal ends the download.
 */
export type OpenFile = (download: FileDownload, signal: AbortSignal) => Promise<OpenDownload | { status: number }>

/** A file that the phone can be asked to upload again. The phone encrypts its answer with the key of the file. */
export type UploadableFile = ReceivedFile & { mediaKey: Uint8Array }
export const isUploadable = (file: ReceivedFile): file is UploadableFile => file.mediaKey !== null

export interface ReceivedFile extends SealedFile {
  kind: FileKind
  path: string
  mimeType: string
  fileName: string | null
  /** Key of the message, which is needed to ask the phone to upload the file again. */
  key: { id: string; remoteJid: string; fromMe: boolean; participant?: string }
  /** Time of the message in epoch ms. */
  at: number
}
