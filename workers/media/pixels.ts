/** sharp with limits on formats and sizes, because pictures come from untrusted senders. */
import sharp, { type Metadata, type Sharp } from 'sharp'
import { invalid } from './content.ts'

/**
 * Largest number of pixels of a picture. An 8-bit picture of this size takes 400 MB if its format cannot be read line
 * by line.
 */
export const MAX_PIXELS = 100_000_000
const TOO_LARGE = `The picture has more than ${MAX_PIXELS / 1_000_000} million pixels.`
/** Time limit in s for one step with a picture, because it occupies a thread of the process's thread pool. */
export const LIMIT_SECONDS = 30

export const tooLarge = (cause?: unknown) => invalid(TOO_LARGE, cause)
export const isTooLarge = (error: unknown) => error instanceof Error && error.message === TOO_LARGE
export const damaged = (cause?: unknown) => invalid('The picture is damaged or not readable.', cause)

// The service never needs the other formats of libvips (SVG, PDF, raw files), so they stay disabled, whatever type is
// declared.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].map((format) => `VipsForeignLoad${format}`) })
// The cache of sharp is off: the same picture is seldom opened twice, and a cache takes memory.
sharp.cache(false)
// sharp uses one thread per picture. `prepare.ts` limits the number of pictures that are prepared at the same time.
sharp.concurrency(1)

export interface Pixels {
  width: number
  height: number
  hasAlpha: boolean
  data: Uint8Array
}

export type Source = string | Uint8Array | Pixels

const isPixels = (source: Source): source is Pixels => typeof source === 'object' && 'data' in source

export function open(source: Source, isAnimated = false): Sharp {
  const options = { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true, animated: isAnimated } as const
  if (!isPixels(source)) return sharp(source, options).timeout({ seconds: LIMIT_SECONDS })
  const { data, width, height } = source
  return sharp(data, { ...options, raw: { width, height, channels: 4 } }).timeout({ seconds: LIMIT_SECONDS })
}

/**
 * Time limit in s for one read of pages of an animated image. It is long, because all frames may be decoded while the
 * machine has other work.
 */
const PAGES_LIMIT_SECONDS = 120

export const openPages = (path: string, page: number, pages: number): Sharp =>
  sharp(path, { limitInputPixels: false, failOn: 'error', sequentialRead: true, page, pages }).timeout({
    seconds: PAGES_LIMIT_SECONDS,
  })

export const fromFrames = (pixels: Uint8Array, side: number): Sharp =>
  sharp(pixels, {
    raw: { width: side, height: pixels.byteLength / (4 * side), channels: 4, pageHeight: side },
    limitInputPixels: false,
  })

/** Times in ms: browsers and apps show a frame that is shorter than `SHORTEST` for `UNTIMED`. */
const SHORTEST = 11
const UNTIMED = 100

/** Reads when each page of a GIF or a WebP begins, and when the last one ends, in ms. */
export async function pageTimes(path: string): Promise<{ starts: number[]; end: number; pagePixels: number }> {
  const { width, height } = await measure(path)
  const { delay = [], pages = 1 } = await unlessBroken(openPages(path, 0, 1).metadata())
  const starts: number[] = []
  let end = 0
  for (let page = 0; page < pages; page++) {
    starts.push(end)
    const lasts = delay[page] ?? UNTIMED
    end += lasts < SHORTEST ? UNTIMED : lasts
  }
  return { starts, end, pagePixels: width * height }
}

export interface Picture extends Pick<Metadata, 'hasAlpha' | 'pages' | 'compression'> {
  width: number
  height: number
}

export async function measure(source: Source): Promise<Picture> {
  if (isPixels(source)) return { width: source.width, height: source.height, hasAlpha: source.hasAlpha }
  const { width, height, orientation = 1, hasAlpha, pages, compression } = await unlessBroken(open(source).metadata())
  if (!width || !height) throw invalid('The picture has no size.')
  // Some decoders do not check the limit of pixels if only the head of the file is read, so it is checked here.
  if (width * height > MAX_PIXELS) throw tooLarge()
  const isTurned = orientation >= 5
  return { width: isTurned ? height : width, height: isTurned ? width : height, hasAlpha, pages, compression }
}

/**
 * Longer side of the preview in pixels, as in the official apps. The preview is sent to every device, so it must be
 * small.
 */
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

/** Converts an error of the decoder to a failure. The file counts as the cause of every such error, and is refused. */
export function unlessBroken<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    const complaint = cause instanceof Error ? cause.message : ''
    if (complaint.includes('pixel limit')) throw tooLarge(cause)
    if (complaint.startsWith('timeout')) throw invalid('The picture takes too long to be read.', cause)
    throw damaged(cause)
  })
}
