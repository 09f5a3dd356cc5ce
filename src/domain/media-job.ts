/** A job of `workers/media` on one file, and its result: plain data, files by path, so that no bytes cross threads. */

/** The purpose of the file. `card`: the picture of a link. `portrait`: the picture of an account, a group or a channel. */
export type Purpose = 'image' | 'video' | 'gif' | 'ptv' | 'voice' | 'audio' | 'sticker' | 'card' | 'portrait'

export interface MediaJob {
  purpose: Purpose
  path: string
  /** Folder for the files that are made; the caller removes it. */
  dir: string
  /** Largest file that may leave, in bytes. */
  limit: number
  /** Publisher to write into a sticker. */
  author: string | null
  /** A loudness picture is wanted (voice notes). */
  waveform: boolean
}

export interface PreparedMedia {
  /** The file to send: the job's own, or one made of it in `dir`. */
  path: string
  mime: string
  width: number | null
  height: number | null
  seconds: number | null
  isAnimated: boolean
  /** Small JPEG. */
  thumbnail: Uint8Array | null
  /** 64 values, 0 to 100. */
  waveform: Uint8Array | null
}
