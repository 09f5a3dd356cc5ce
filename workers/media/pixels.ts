/** sharp with limits on formats and sizes: pictures come from strangers. */
import sharp, { type Metadata, type Sharp } from 'sharp'
import { invalid } from './content.ts'

/** An 8-bit picture of this size takes 400 MB when its format cannot be read line by line; the largest phone cameras stay below. */
export const MAX_PIXELS = 100_000_000
const TOO_LARGE = `The picture has more than ${MAX_PIXELS / 1_000_000} million pixels.`
/** libvips works outside the heap: no picture may keep a thread of the process's pool for longer. */
export const LIMIT_SECONDS = 30

export const tooLarge = (cause?: unknown) => invalid(TOO_LARGE, cause)
export const damaged = (cause?: unknown) => invalid('The picture is damaged or not readable.', cause)

// Formats that libvips could read but the service never needs (SVG, PDF, raw files of other programs) stay disabled, whatever a file claims.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].map((format) => `VipsForeignLoad${format}`) })
// A picture is seldom seen twice, and what is kept is memory.
sharp.cache(false)
// libvips' own threads; how many pictures are worked on at a time is bounded elsewhere.
sharp.concurrency(1)

/** Decoded elsewhere, as it is shown: RGBA, 8 bits. */
export interface Pixels {
  width: number
  height: number
  /** False: every pixel is opaque. */
  hasAlpha: boolean
  data: Uint8Array
}

/** A path, a file's bytes, or pixels. */
export type Source = string | Uint8Array | Pixels

const isPixels = (source: Source): source is Pixels => typeof source === 'object' && 'data' in source

export function open(source: Source, isAnimated = false): Sharp {
  const options = { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true, animated: isAnimated } as const
  if (!isPixels(source)) return sharp(source, options).timeout({ seconds: LIMIT_SECONDS })
  const { data, width, height } = source
  return sharp(data, { ...options, raw: { width, height, channels: 4 } }).timeout({ seconds: LIMIT_SECONDS })
}

export interface Picture extends Pick<Metadata, 'hasAlpha' | 'pages' | 'compression'> {
  /** As it is shown, its orientation applied. */
  width: number
  height: number
}

export async function measure(source: Source): Promise<Picture> {
  if (isPixels(source)) return { width: source.width, height: source.height, hasAlpha: source.hasAlpha }
  const { width, height, orientation = 1, hasAlpha, pages, compression } = await unlessBroken(open(source).metadata())
  if (!width || !height) throw invalid('The picture has no size.')
  // Not every format's limit is looked at while only its head is read.
  if (width * height > MAX_PIXELS) throw tooLarge()
  const isTurned = orientation >= 5
  return { width: isTurned ? height : width, height: isTurned ? width : height, hasAlpha, pages, compression }
}

/** The preview in a bubble until the picture is loaded: the longer side in pixels, as in the official apps. It is sent to every device. */
const THUMBNAIL_SIDE = 72
const THUMBNAIL_QUALITY = 55

export function thumbnail(input: Source, side = THUMBNAIL_SIDE): Promise<Uint8Array> {
  const small = open(input)
    .autoOrient()
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: THUMBNAIL_QUALITY })
  return unlessBroken(small.toBuffer())
}

/** Any complaint of the decoder is about the file. */
export function unlessBroken<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    const isTooLarge = cause instanceof Error && cause.message.includes('pixel limit')
    throw isTooLarge ? tooLarge(cause) : damaged(cause)
  })
}
