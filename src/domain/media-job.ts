/**
 * Use for which a file is prepared. A `card` is the picture of a link; a `portrait` is the picture of an account, a
 * group or a channel.
 */
export type Purpose = 'image' | 'video' | 'gif' | 'ptv' | 'voice' | 'audio' | 'sticker' | 'card' | 'portrait'

export interface MediaJob {
  purpose: Purpose
  path: string
  /** Folder for the created files; the caller removes it. */
  dir: string
  limit: number
  author: string | null
  waveform: boolean
}

export interface PreparedMedia {
  path: string
  mime: string
  width: number | null
  height: number | null
  seconds: number | null
  isAnimated: boolean
  thumbnail: Uint8Array | null
  /** Loudness of each of 64 parts of a voice message, from 0 to 100. */
  waveform: Uint8Array | null
}
