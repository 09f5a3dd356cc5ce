/**
 * Prepares stickers. WebP is not converted, unless an animated one exceeds the limits of the apps. All other files are
 * converted to WebP of 512 by 512 pixels on a transparent background. The publisher is added if the request names one.
 */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Semaphore } from 'async-mutex'
import type { MediaJob, PreparedMedia } from '../../src/domain/media-job.ts'
import { type Content, needsConverter, notA } from './content.ts'
import type { Converter } from './converter.ts'
import { CONTAINED, framesOfFilm, framesOfPicture, MAX_LENGTH, SIDE } from './frames.ts'
import { MAX_BYTES, makeMoving, PUBLISHER_BYTES } from './moving-sticker.ts'
import { pictureOf } from './picture.ts'
import { measure, open, pageTimes, unlessBroken } from './pixels.ts'
import { withPublisher } from './webp.ts'

export type StickerPart = Pick<PreparedMedia, 'path' | 'mime' | 'width' | 'height' | 'isAnimated' | 'thumbnail'>

const QUALITY = 75
const SEVERAL_PAGES = new Set(['image/webp', 'image/gif'])

/**
 * Prepares a sticker. `inTurn`: the queue of still pictures. Animated stickers are not converted in this queue, so that
 * they do not block it.
 */
export async function prepareSticker(
  job: MediaJob,
  content: Content,
  converter: Converter,
  inTurn: Semaphore,
): Promise<StickerPart> {
  const made = (await moves(job.path, content))
    ? await shown(job, content, converter)
    : await inTurn.runExclusive(() => still(job, content, converter))
  const { width, height, pages = 1 } = await measure(made)
  // Decodes the sticker once, so that a damaged sticker is refused here and does not fail on the phones.
  await inTurn.runExclusive(() => unlessBroken(open(made).resize(64).raw().toBuffer()))
  const path = job.author === null ? made : await published(job, made, job.author)
  return { path, mime: 'image/webp', width, height, isAnimated: pages > 1, thumbnail: null }
}

async function moves(path: string, { family, mime }: Content): Promise<boolean> {
  if (SEVERAL_PAGES.has(mime)) return ((await measure(path)).pages ?? 1) > 1
  if (family === 'video' || mime === 'image/apng') return true
  if (family === 'image') return false
  throw notA('a sticker', { mime })
}

async function still(job: MediaJob, content: Content, converter: Converter): Promise<string> {
  if (content.mime === 'image/webp') return job.path
  const made = join(job.dir, 'sticker.webp')
  const source = await pictureOf(job, content, converter, 'a sticker')
  await measure(source)
  const picture = open(source)
    .autoOrient()
    .resize({ width: SIDE, height: SIDE, ...CONTAINED })
  await unlessBroken(picture.webp({ quality: QUALITY }).toFile(made))
  return made
}

async function shown(job: MediaJob, content: Content, converter: Converter): Promise<string> {
  const { path, dir, author } = job
  if (content.mime === 'image/webp') {
    const { size } = await stat(path)
    const { end } = await pageTimes(path)
    if (end <= MAX_LENGTH && size <= MAX_BYTES - (author === null ? 0 : PUBLISHER_BYTES)) return path
  }
  if (!SEVERAL_PAGES.has(content.mime) && !converter.ffmpeg) throw needsConverter(content, 'a sticker')
  const made = join(dir, 'sticker.webp')
  await makeMoving(() => (SEVERAL_PAGES.has(content.mime) ? framesOfPicture(path) : framesOfFilm(path, content, converter)), made)
  return made
}

async function published(job: MediaJob, path: string, author: string): Promise<string> {
  const made = join(job.dir, 'published.webp')
  await writeFile(made, withPublisher(await readFile(path), author))
  return made
}
