/**
 * Types for downloading a received file from the network's host through a thread to its reader: the input of the
 * thread, and the messages on the port of one download. Plain data; pieces are transferred, not copied. Either side
 * ends a download by closing the port.
 */
import type { FailureData } from './failures.ts'

/** Kinds of files in messages. */
export type FileKind = 'image' | 'video' | 'audio' | 'document' | 'sticker'

/**
 * Data of an encrypted file on the network's host: the key that decrypts it, and the hashes that the file must have. A
 * key or hash is null if the message did not state it.
 */
export interface SealedFile {
  kind: FileKind | 'history' | 'app-state'
  /** Key that decrypts the file. Null if the host stores the file unencrypted, as it does for channels. A file without a key always has a hash. */
  mediaKey: Uint8Array | null
  /** Hash of the decrypted file. The field after this one is the hash of the file as the host stores it. */
  fileSha256: Uint8Array | null
  fileEncSha256: Uint8Array | null
  /** Length of the decrypted file in bytes, as the sender states it. It may be wrong. */
  fileLength: number | null
  /**
   * True for a file of a channel. Some clients state a key although the file is not encrypted; the length of the stored file shows whether it is
   * encrypted, and so whether the key is used.
   */
  isOfChannel?: boolean
}

export interface FileDownload {
  file: SealedFile
  /** Path on the network's file host, including the query. */
  path: string
  proxyUrl: string | null
  /** Id of the instance, for the log. */
  instance: string
}

/**
 * Number of decrypted bytes per message: large enough to keep messages to the main thread rare, small enough to limit
 * what is in flight.
 */
export const PIECE = 128 * 1_024
/**
 * Maximum number of pieces of one download that were sent to the main thread and not passed on yet. Together with `PIECE` this limits the memory for
 * a reader that reads nothing to half a megabyte, and slows down the download from the host.
 */
export const WINDOW = 4

/** Messages of the thread to the main thread. `status`, `failed` and `end` are each the last message of a download. */
export type FileNews =
  | { type: 'status'; status: number }
  /** `length` is the verified length of the decrypted file in bytes; null while more of the file is still to come. */
  | { type: 'open'; length: number | null }
  | { type: 'piece'; bytes: ArrayBuffer }
  | { type: 'end' }
  | { type: 'failed'; err: FailureData }

/** Message of the main thread to the thread: one piece was passed on, so another may be sent. */
export const MORE = 'more'

export interface OpenDownload {
  /**
   * Number of bytes of the decrypted file; null until the end of the file is known. The length in the message is not used, because the sender may
   * have stated a wrong one.
   */
  length: number | null
  /**
   * Bytes of the file. The stream fails if the file differs from the one that was sent; the connection to the reader
   * then fails too.
   */
  stream: ReadableStream<Uint8Array>
  /** Resolves when no bytes of the download are in memory any longer, whether it succeeded, failed or was aborted. */
  ended: Promise<void>
}

/**
 * Opens a download. A status other than 200 is an answer, not an error. Rejects with `Failure`; aborting the signal
 * ends the download.
 */
export type OpenFile = (download: FileDownload, signal: AbortSignal) => Promise<OpenDownload | { status: number }>

/** A file that the phone can be asked to upload again. Such a file needs a key, because the phone encrypts its answer with it. */
export type UploadableFile = ReceivedFile & { mediaKey: Uint8Array }
export const isUploadable = (file: ReceivedFile): file is UploadableFile => file.mediaKey !== null

/** Description of a file from a message: all data that a link to the file must contain. */
export interface ReceivedFile extends SealedFile {
  kind: FileKind
  /** Path on the network's file host, including the query. */
  path: string
  mimeType: string
  fileName: string | null
  /** Key of the message on the network, which is needed to ask the phone for a new upload. */
  key: { id: string; remoteJid: string; fromMe: boolean; participant?: string }
  /** Time of the message, in epoch ms. */
  at: number
}
