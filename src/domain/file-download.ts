/**
 * A received file on its way from the network's host through a thread to its reader: the thread's input, and the messages on the
 * port of one download. Plain data; the pieces are moved, not copied. Either side ends a download by closing the port.
 */
import type { FailureData } from './failures.ts'

/** Of messages. */
export type FileKind = 'image' | 'video' | 'audio' | 'document' | 'sticker'

/** The key that opens a file of the network, and the hashes it must have. Null: the message did not state it. */
export interface SealedFile {
  kind: FileKind | 'history' | 'app-state'
  /** Null: the host stores the file unencrypted, as it does for channels. Such a file always has a hash. */
  mediaKey: Uint8Array | null
  /** Hash of the plain file, and of what lies on the host. */
  fileSha256: Uint8Array | null
  fileEncSha256: Uint8Array | null
  /** Length of the plain file as the sender states it. */
  fileLength: number | null
  /** Some clients post a key beside an unencrypted file of a channel; the length on the host decides whether the key is used. */
  isOfChannel?: boolean
}

export interface FileDownload {
  file: SealedFile
  /** On the network's host of files, query included. */
  path: string
  proxyUrl: string | null
  /** For the log. */
  instance: string
}

/** Plain bytes that cross at a time: few messages for the main thread, and still little of them in flight. */
export const PIECE = 128 * 1_024
/** Pieces of one download that main has not handed on yet. With these two a reader that stops holds half a megabyte, and the host back. */
export const WINDOW = 4

/** From the thread. `status`, `failed` and `end` are each the last message of a download. */
export type FileNews =
  | { type: 'status'; status: number }
  /** `length`: bytes of the plain file, found right already; null: more of it is still to come. */
  | { type: 'open'; length: number | null }
  | { type: 'piece'; bytes: ArrayBuffer }
  | { type: 'end' }
  | { type: 'failed'; err: FailureData }

/** To the thread: a piece has been handed on, there is room for another. */
export const MORE = 'more'

export interface OpenDownload {
  /** Bytes of the plain file; null: not known before its end. The length in the message is only its sender's claim. */
  length: number | null
  /** Fails, and with it the connection, when the file is not the one that was sent. */
  stream: ReadableStream<Uint8Array>
  /** When nothing of it is held any more, however it ended. */
  ended: Promise<void>
}

/** A status other than 200 is an answer. Rejects with `Failure`; ends when the signal does. */
export type OpenFile = (download: FileDownload, signal: AbortSignal) => Promise<OpenDownload | { status: number }>

/** A file that the phone can be asked to upload again: the phone encrypts its answer under the file's key. */
export type UploadableFile = ReceivedFile & { mediaKey: Uint8Array }
export const isUploadable = (file: ReceivedFile): file is UploadableFile => file.mediaKey !== null

/** The description of a file that came with a message: everything a link to it must hold. */
export interface ReceivedFile extends SealedFile {
  kind: FileKind
  /** On the network's host of files, query included. */
  path: string
  mimeType: string
  fileName: string | null
  /** The message, as the network knows it: needed to ask the phone for a new upload. */
  key: { id: string; remoteJid: string; fromMe: boolean; participant?: string }
  /** Time of the message, epoch ms. */
  at: number
}
