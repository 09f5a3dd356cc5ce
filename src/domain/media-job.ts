/**
 * Input and result of a job of `workers/media` on one file. Plain data: files are passed by path, so that no bytes are
 * passed between threads.
 */

/** Purpose of the file. A `card` is the picture of a link; a `portrait` is the picture of an account, a group or a channel. */
export type Purpose = 'image' | 'video' | 'gif' | 'ptv' | 'voice' | 'audio' | 'sticker' | 'card' | 'portrait'

export interface MediaJob {
  purpose: Purpose
  path: string
  /** Folder for the created files; the caller removes it. */
  dir: string
  /** Largest allowed size of the result, in bytes. */
  limit: number
  /** Publisher that is written into a sticker. */
  author: string | null
  /** Whether a waveform is needed (voice notes). */
  waveform: boolean
}

export interface PreparedMedia {
  /** File to send: the file of the job, or one that was created from it in `dir`. */
  path: string
  mime: string
  width: number | null
  height: number | null
  seconds: number | null
  isAnimated: boolean
  /** Small JPEG preview. */
  thumbnail: Uint8Array | null
  /** Waveform: 64 values from 0 to 100. */
  waveform: Uint8Array | null
}
