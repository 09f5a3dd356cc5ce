import { join } from 'node:path'
import type { MediaJob, PreparedMedia } from '../../src/domain/media-job.ts'
import { type Content, notA } from './content.ts'
import type { Converter } from './converter.ts'
import { pictureOf } from './picture.ts'
import { measure, open, thumbnail, unlessBroken } from './pixels.ts'

const JPEG_QUALITY = 88
const CARD_SIDE = 1_200
const CARD_THUMBNAIL_SIDE = 192

export type ImagePart = Pick<PreparedMedia, 'path' | 'mime' | 'width' | 'height' | 'thumbnail'>

const AS_IS: Readonly<Record<string, string>> = {
  'image/jpeg': 'image/jpeg',
  'image/png': 'image/png',
  'image/apng': 'image/png',
}
export async function prepareImage(job: MediaJob, content: Content, converter: Converter): Promise<ImagePart> {
  if (content.family !== 'image') throw notA('an image', content)
  const mime = AS_IS[content.mime]
  if (mime !== undefined && job.purpose !== 'card') return described(job.path, mime)
  const source = await pictureOf(job, content, converter, 'an image')
  const { width, height, hasAlpha } = await measure(source)
  const isPng = hasAlpha === true && job.purpose !== 'card'
  const made = join(job.dir, isPng ? 'image.png' : 'image.jpg')
  const side = job.purpose === 'card' ? CARD_SIDE : Math.max(width, height)
  const picture = open(source).autoOrient().resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
  const coded = isPng ? picture.png() : picture.flatten({ background: '#ffffff' }).jpeg({ quality: JPEG_QUALITY })
  await unlessBroken(coded.toFile(made))
  return described(made, isPng ? 'image/png' : 'image/jpeg', job.purpose === 'card' ? CARD_THUMBNAIL_SIDE : undefined)
}

async function described(path: string, mime: string, side?: number): Promise<ImagePart> {
  const { width, height } = await measure(path)
  return { path, mime, width, height, thumbnail: await thumbnail(path, side) }
}
