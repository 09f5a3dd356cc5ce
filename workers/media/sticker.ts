/** Stickers: WebP as it is; pictures and short films become one, 512 by 512 on a transparent ground. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MediaJob, PreparedMedia } from '../../src/domain/media-job.ts'
import { type Content, demuxerOf, invalid, needsConverter, notA } from './content.ts'
import type { Converter } from './converter.ts'
import { sourceOf } from './heic.ts'
import { measure, open, unlessBroken } from './pixels.ts'
import { withPublisher } from './webp.ts'

export type StickerPart = Pick<PreparedMedia, 'path' | 'mime' | 'width' | 'height' | 'isAnimated' | 'thumbnail'>

const SIDE = 512
const QUALITY = 75
/** Longer ones are not shown moving. */
const MAX_SECONDS = 10
const FRAMES_PER_SECOND = 15

export async function prepareSticker(job: MediaJob, content: Content, converter: Converter): Promise<StickerPart> {
  const path = await webpOf(job, content, converter)
  const { width, height, pages = 1 } = await measure(path)
  // Decoded once, small: a sticker that is damaged shows here and not on the phones.
  await unlessBroken(open(path).resize(64).raw().toBuffer())
  const sent = job.author === null ? path : await published(job, path, job.author)
  return { path: sent, mime: 'image/webp', width, height, isAnimated: pages > 1, thumbnail: null }
}

async function webpOf(job: MediaJob, content: Content, converter: Converter): Promise<string> {
  if (content.mime === 'image/webp') return job.path
  const made = join(job.dir, 'sticker.webp')
  if (content.family === 'image') {
    const source = await sourceOf(job.path, content)
    await measure(source)
    const picture = open(source, content.mime === 'image/gif')
      .autoOrient()
      .resize({ width: SIDE, height: SIDE, fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } })
      .webp({ quality: QUALITY, loop: 0 })
    await unlessBroken(picture.toFile(made))
    return made
  }
  if (content.family !== 'video') throw notA('a sticker', content)
  if (!converter.ffmpeg) throw needsConverter(content, 'a sticker')
  const demuxer = demuxerOf(content)
  if (demuxer === undefined) throw invalid(`${content.mime} cannot be sent as a sticker.`)
  const square = `fps=${FRAMES_PER_SECOND},scale=${SIDE}:${SIDE}:force_original_aspect_ratio=decrease,format=yuva420p,pad=${SIDE}:${SIDE}:-1:-1:color=black@0`
  await converter.convert(job.path, demuxer, [
    ...['-t', String(MAX_SECONDS), '-map', '0:v:0', '-an', '-vf', square],
    ...['-c:v', 'libwebp_anim', '-q:v', '50', '-loop', '0', '-fs', String(job.limit + 65_536), '-f', 'webp', `file:${made}`],
  ])
  return made
}

async function published(job: MediaJob, path: string, author: string): Promise<string> {
  const made = join(job.dir, 'published.webp')
  await writeFile(made, withPublisher(await readFile(path), author))
  return made
}
