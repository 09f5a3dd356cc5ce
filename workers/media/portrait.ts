/**
 * Prepares the picture of an account, a group or a channel: a square JPEG, cut from the middle of the given picture.
 */
import { join } from 'node:path'
import type { MediaJob, PreparedMedia } from '../../src/domain/media-job.ts'
import { type Content, invalid, notA } from './content.ts'
import { measure, open, unlessBroken } from './pixels.ts'

const SIDE = 640
/** Smallest side in pixels: the network's apps refuse smaller pictures. */
const SMALLEST_SIDE = 192
const JPEG_QUALITY = 88

const FORMATS = new Set(['image/jpeg', 'image/png', 'image/apng', 'image/webp'])

export async function preparePortrait(
  { path, dir }: MediaJob,
  content: Content,
): Promise<Pick<PreparedMedia, 'path' | 'mime' | 'width' | 'height'>> {
  if (content.family !== 'image') throw notA('an image', content)
  if (!FORMATS.has(content.mime)) throw invalid(`The content is ${content.mime}; the picture must be JPEG, PNG or WebP.`)
  const { width, height } = await measure(path)
  if (Math.min(width, height) < SMALLEST_SIDE)
    throw invalid(`The picture has ${width} x ${height} pixels; each side must have at least ${SMALLEST_SIDE}.`)
  const made = join(dir, 'portrait.jpg')
  const square = open(path).autoOrient().resize({ width: SIDE, height: SIDE, fit: 'cover' }).flatten({ background: '#ffffff' })
  await unlessBroken(square.jpeg({ quality: JPEG_QUALITY }).toFile(made))
  return { path: made, mime: 'image/jpeg', width: SIDE, height: SIDE }
}
