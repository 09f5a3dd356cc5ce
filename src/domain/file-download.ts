/**
 * A received file on its way from the network's host through a thread to whoever reads it: what the thread is told, and what goes over
 * the port of one download. Plain data; the pieces are moved, not copied. Either side ends a download by closing the port.
 */
import type { FailureData } from './failures.ts'

/** What opens a file of the network, and what it must turn out to be. Null: the message did not say. */
export interface SealedFile {
  kind: 'image' | 'video' | 'audio' | 'document' | 'sticker'
  mediaKey: Uint8Array
  /** Hash of the plain file, and of what lies on the host. */
  fileSha256: Uint8Array | null
  fileEncSha256: Uint8Array | null
  /** Of the plain file, as the sender says. */
  fileLength: number | null
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

/** From the thread. `status` and `failed` are the last thing said, as is `end`. */
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
  /** Bytes of the plain file; null: not known before its end. What the message declares is its sender's word. */
  length: number | null
  /** Fails, and with it the connection, when the file is not the one that was sent. */
  stream: ReadableStream<Uint8Array>
  /** When nothing of it is held any more, however it ended. */
  ended: Promise<void>
}

/** A status other than 200 is an answer. Rejects with `Failure`; ends when the signal does. */
export type OpenFile = (download: FileDownload, signal: AbortSignal) => Promise<OpenDownload | { status: number }>

/** What is known of a file that came with a message: all that a link to it must hold. */
export interface ReceivedFile extends SealedFile {
  /** On the network's host of files, query included. */
  path: string
  mimeType: string
  fileName: string | null
  /** The message, as the network knows it: needed to ask the phone for a new upload. */
  key: { id: string; remoteJid: string; fromMe: boolean; participant?: string }
  /** Time of the message, epoch ms. */
  at: number
}
