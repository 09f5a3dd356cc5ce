/** Draws the frames of an animated image or a video on the square of a sticker, with the time at which each begins. */
import { type Content, demuxerOf, invalid } from './content.ts'
import type { Converter } from './converter.ts'
import { openPages, pageTimes, unlessBroken } from './pixels.ts'

export interface Frames {
  pictures: readonly Uint8Array[]
  /** Time at which each frame begins, in ms. */
  starts: readonly number[]
  end: number
}

export const SIDE = 512
/** The longest duration of a sticker in ms. The apps do not animate a longer sticker, so the rest is cut off. */
export const MAX_LENGTH = 10_000
/** Highest number of frames per second that are drawn. People do not notice more, and each frame costs bytes. */
const RATE = 15
const MAX_FRAMES = (RATE * MAX_LENGTH) / 1_000
const FRAME_BYTES = SIDE * SIDE * 4

/** Selects the first frame in every period of the new rate. `delay`: time in ms for which the frame is shown. */
export function atRate({ starts, end }: Pick<Frames, 'starts' | 'end'>, rate: number): { index: number; delay: number }[] {
  const kept: number[] = []
  let next = 0
  for (const [index, start] of starts.entries()) {
    // Times are rounded to whole ms, so the beginning of a frame could be counted in the period before its own. Adding
    // half a ms corrects this.
    const at = start + 0.5
    if (at < next) continue
    kept.push(index)
    next = (Math.floor((at * rate) / 1_000) + 1) * (1_000 / rate)
  }
  return kept.map((index, position) => {
    const following = kept[position + 1]
    return { index, delay: (following === undefined ? end : starts[following]!) - starts[index]! }
  })
}

/**
 * Maximum number of pages per read. More pages need more memory. Fewer pages need more reads, and each read decodes all
 * earlier pages again.
 */
const PAGES = MAX_FRAMES
/** Largest number of pixels of the pages in the first 10 s: 50 pages per second of 2,000 by 2,000 pixels. */
const MAX_PIXELS = 2_000_000_000
/** Time in ms after which no further pages of a picture are read: a file may have thousands of large pages. */
const READING_LIMIT = 120_000

export async function framesOfPicture(path: string, now = () => performance.now()): Promise<Frames> {
  const began = now()
  const all = await pageTimes(path)
  const starts = all.starts.filter((start) => start < MAX_LENGTH)
  if (starts.length * all.pagePixels > MAX_PIXELS)
    throw invalid(
      `The picture has more than ${(MAX_PIXELS / 1_000_000).toLocaleString('en')} million pixels in its first ${MAX_LENGTH / 1_000} s.`,
    )
  const end = Math.min(all.end, MAX_LENGTH)
  const wanted = atRate({ starts, end }, RATE).map(({ index }) => index)
  const pictures: Uint8Array[] = []
  for (let page = 0; page < starts.length; page += PAGES) {
    if (now() - began > READING_LIMIT) throw invalid('The picture takes too long to be read.')
    const count = Math.min(PAGES, starts.length - page)
    const square = openPages(path, page, count).resize({ width: SIDE, height: SIDE, ...CONTAINED })
    const pixels = await unlessBroken(square.ensureAlpha().raw().toBuffer())
    const here = wanted.filter((index) => index >= page && index < page + count)
    pictures.push(...here.map((index) => frameAt(pixels, index - page)))
  }
  return { pictures, starts: wanted.map((index) => starts[index]!), end }
}

export const CONTAINED = { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } } as const

const frameAt = (pixels: Uint8Array, index: number) =>
  Uint8Array.from(pixels.subarray(index * FRAME_BYTES, (index + 1) * FRAME_BYTES))

const SQUARE = [
  `fps=${RATE}`,
  `scale=${SIDE}:${SIDE}:force_original_aspect_ratio=decrease`,
  'format=rgba',
  `pad=${SIDE}:${SIDE}:-1:-1:color=black@0`,
].join()

export async function framesOfFilm(path: string, content: Content, converter: Converter): Promise<Frames> {
  const demuxer = demuxerOf(content)
  if (demuxer === undefined) throw invalid(`${content.mime} cannot be sent as a sticker.`)
  const pictures: Uint8Array[] = []
  const starts: number[] = []
  const frame = new Uint8Array(FRAME_BYTES)
  let filled = 0
  let count = 0

  function take() {
    const before = pictures.at(-1)
    if (before === undefined || Buffer.compare(before, frame) !== 0) {
      pictures.push(Uint8Array.from(frame))
      starts.push(Math.round((count * 1_000) / RATE))
    }
    count++
    filled = 0
  }

  const output = ['-t', String(MAX_LENGTH / 1_000), '-map', '0:v:0', '-vf', SQUARE, '-frames:v', String(MAX_FRAMES)]
  await converter.convert(path, demuxer, [...output, '-pix_fmt', 'rgba', '-f', 'rawvideo', 'pipe:1'], (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + FRAME_BYTES - filled)
      frame.set(part, filled)
      filled += part.length
      at += part.length
      if (filled === FRAME_BYTES) take()
    }
  })
  if (count === 0) throw invalid(`The content is ${content.mime} without a picture that can be shown.`)
  return { pictures, starts, end: Math.round((count * 1_000) / RATE) }
}
