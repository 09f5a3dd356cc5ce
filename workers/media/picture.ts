/** Opens any still picture for sharp: the file, the pixels of a HEIC picture, or a PNG that ffmpeg has made from it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MediaJob } from '../../src/domain/media-job.ts'
import { type Content, demuxerOf, invalid, needsConverter } from './content.ts'
import type { Converter } from './converter.ts'
import { sourceOf } from './heic.ts'
import type { Source } from './pixels.ts'

const BY_FFMPEG = new Set(['image/bmp'])
const READABLE = new Set([
  ...BY_FFMPEG,
  'image/jpeg',
  'image/png',
  'image/apng',
  'image/gif',
  'image/webp',
  'image/tiff',
  'image/avif',
  'image/heic',
  'image/heif',
  'image/heic-sequence',
  'image/heif-sequence',
])
const NAMES = 'JPEG, PNG, GIF, WebP, TIFF, BMP, HEIC and AVIF'

export async function pictureOf(job: MediaJob, content: Content, converter: Converter, what: string): Promise<Source> {
  const { mime, name } = content
  if (!READABLE.has(mime))
    throw invalid(
      `The content is ${mime}${name ? ` (${name})` : ''}, which cannot be sent as ${what}. Pictures are read from ${NAMES}.`,
    )
  return BY_FFMPEG.has(content.mime) ? toPng(job, content, converter, what) : sourceOf(job.path, content)
}

async function toPng(job: MediaJob, content: Content, { ffmpeg, convert }: Converter, what: string): Promise<string> {
  if (!ffmpeg) throw needsConverter(content, what)
  const demuxer = demuxerOf(content)
  if (demuxer === undefined) throw invalid(`${content.mime} cannot be sent as ${what}.`)
  const made = join(job.dir, 'picture.png')
  await writeFile(made, await convert(job.path, demuxer, ['-frames:v', '1', '-c:v', 'png', '-f', 'image2pipe', 'pipe:1']))
  return made
}
