/** What a shard asks of `workers/media` about one file, and what it is told: plain data, files by path, so that no bytes cross threads. */

/** What the file is to become. `card`: the picture of a link. */
export type Purpose = 'image' | 'video' | 'gif' | 'ptv' | 'voice' | 'audio' | 'sticker' | 'card'

export interface MediaJob {
  purpose: Purpose
  path: string
  /** Where whatever is made may be put; the one who asks removes it. */
  dir: string
  /** Largest file that may leave, in bytes. */
  limit: number
  /** Publisher to write into a sticker. */
  author: string | null
  /** A loudness picture is wanted (voice notes). */
  waveform: boolean
}

export interface PreparedMedia {
  /** The file to send: the one that was asked about, or one made of it in `dir`. */
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
