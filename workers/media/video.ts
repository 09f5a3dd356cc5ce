/**
 * Prepares videos. An mp4 with H.264 (with AAC, MP3 or no sound) is sent unchanged, and so is a 3gp with a usual codec
 * that is sent as an ordinary video. All others become mp4. Without ffmpeg, an mp4, or a 3gp that is sent as an
 * ordinary video, is sent unchanged unless it is damaged. All others are refused.
 */
import { join } from 'node:path'
import type { MediaJob, PreparedMedia } from '../../src/domain/media-job.ts'
import { readFilm } from './boxes.ts'
import { type Content, demuxerOf, invalid, lacks, needsConverter, notA } from './content.ts'
import type { Converter, Probe } from './converter.ts'
import { thumbnail } from './pixels.ts'

export type VideoPart = Pick<PreparedMedia, 'path' | 'mime' | 'width' | 'height' | 'seconds' | 'thumbnail'>

const WORDS = { video: 'a video', gif: 'a GIF', ptv: 'a round video' } as const
type Kind = keyof typeof WORDS

const MP4 = new Set(['video/mp4', 'video/x-m4v'])
const THREE_GP = new Set(['video/3gpp', 'video/3gpp2'])
/** Longest side in pixels of a video that is encoded again. Larger videos take minutes to encode. */
const MAX_SIDE = 1_280
/**
 * Returns the size in bytes at which ffmpeg stops. It is a little above the limit, so that the result is known to be
 * too large.
 */
const sizeStop = (limit: number) => String(limit + 65_536)

export async function prepareVideo(job: MediaJob, content: Content, converter: Converter): Promise<VideoPart> {
  const kind = job.purpose as Kind
  const isGif = content.mime === 'image/gif' && kind === 'gif'
  if (content.family !== 'video' && !isGif) throw notA(WORDS[kind], content)
  const isFilm = MP4.has(content.mime) || THREE_GP.has(content.mime)
  const film = isFilm ? await readFilm(job.path) : undefined
  if (isFilm && film === undefined) throw invalid('The video is damaged or cut off.')

  const demuxer = demuxerOf(content)
  if (!converter.ffmpeg) {
    const leaves = MP4.has(content.mime) || (THREE_GP.has(content.mime) && kind === 'video')
    if (!film || !leaves) throw needsConverter(content, WORDS[kind])
    return { path: job.path, mime: MP4.has(content.mime) ? 'video/mp4' : 'video/3gpp', ...film, thumbnail: null }
  }
  if (demuxer === undefined) throw invalid(`${content.mime} cannot be sent as ${WORDS[kind]}.`)
  const probe = await converter.probe(job.path, demuxer)
  if (!probe?.video) throw lacks('picture', content)
  const plays = playsAsIs(content, probe, kind)
  const path = plays ? job.path : await toMp4(job, demuxer, probe, converter, isFilm || content.mime === 'video/quicktime')
  const result = plays ? probe : await converter.probe(path, 'mov')
  if (!result?.video) throw invalid('The video could not be converted.')
  const { width, height } = result.video
  return {
    path,
    mime: plays && THREE_GP.has(content.mime) ? 'video/3gpp' : 'video/mp4',
    width,
    height,
    seconds: result.seconds ?? film?.seconds ?? null,
    thumbnail: await firstFrame(path, plays ? demuxer : 'mov', converter),
  }
}

const isH264 = ({ video }: Probe) => video?.codec === 'h264' && (video.pixels === 'yuv420p' || video.pixels === 'yuvj420p')

function playsAsIs(content: Content, probe: Probe, kind: Kind): boolean {
  const sound = probe.audio?.codec
  if (MP4.has(content.mime)) return isH264(probe) && (sound === undefined || sound === 'aac' || sound === 'mp3')
  if (!THREE_GP.has(content.mime) || kind !== 'video') return false
  return isH264(probe) || ['h263', 'mpeg4'].includes(probe.video?.codec ?? '')
}

async function toMp4(job: MediaJob, demuxer: string, probe: Probe, converter: Converter, isSibling: boolean): Promise<string> {
  const made = join(job.dir, 'video.mp4')
  const sound = job.purpose === 'gif' ? ['-an'] : ['-map', '0:a:0?']
  // If only the container of the file is wrong, the streams are copied into another container and not converted.
  const canCopy = isH264(probe) && (isSibling || demuxer === 'matroska') && (job.purpose === 'gif' || copyable(probe))
  const codecs = canCopy ? ['-c', 'copy'] : recode
  const end = ['-map_metadata', '-1', '-movflags', '+faststart', '-fs', sizeStop(job.limit), '-f', 'mp4', `file:${made}`]
  await converter.convert(job.path, demuxer, ['-map', '0:v:0', ...sound, ...codecs, ...end])
  return made
}

const copyable = ({ audio }: Probe) => audio === null || audio.codec === 'aac'

/** Filter that scales a video. H.264 requires even sides, and neither may exceed the maximum. */
const SCALE = `scale='min(${MAX_SIDE},iw)':'min(${MAX_SIDE},ih)':force_original_aspect_ratio=decrease:force_divisible_by=2`
const recode = [
  ...['-vf', `${SCALE},format=yuv420p`, '-c:v', 'libx264', '-profile:v', 'main', '-preset', 'veryfast', '-crf', '26'],
  ...['-threads', '2', '-c:a', 'aac', '-b:a', '96k', '-ac', '2'],
]

async function firstFrame(path: string, demuxer: string, converter: Converter): Promise<Uint8Array | null> {
  const output = [
    '-map',
    '0:v:0',
    '-frames:v',
    '1',
    '-vf',
    "scale='min(320,iw)':-2",
    '-c:v',
    'mjpeg',
    '-f',
    'image2pipe',
    'pipe:1',
  ]
  const frame = await converter.glance(path, demuxer, output)
  return frame.byteLength === 0 ? null : thumbnail(frame)
}
