/**
 * Makes small real media files at run time: images with sharp, and sound and video with ffmpeg if the machine has it.
 * Most files are made only once per process, and kept in memory.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { findPrograms, type Programs } from '../../src/engine/programs.ts'

export const programs: Programs | null = await findPrograms({
  ffmpeg: process.env.SVC_FFMPEG || null,
  path: process.env.PATH ?? '',
})

/** Reason to skip tests of conversions; false if they can run. */
export const withoutFfmpeg: string | false = programs ? false : 'ffmpeg and ffprobe are not on the PATH (nor named by SVC_FFMPEG)'

const made = new Map<string, Promise<Buffer>>()
function once(name: string, make: () => Promise<Buffer>): Promise<Buffer> {
  const known = made.get(name) ?? make()
  made.set(name, known)
  return known
}

/**
 * Makes a picture with a gradient. The gradient has some variation, because encoders would otherwise compress it to
 * almost nothing.
 */
function picture(width: number, height: number) {
  const pixels = Buffer.alloc(width * height * 3)
  for (let at = 0; at < pixels.length; at++) pixels[at] = (at * 7 + (at % 251) * (at % 3)) & 0xff
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}

export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'avif' | 'bmp'

export function image(format: ImageFormat, width = 320, height = 240): Promise<Buffer> {
  return once(`${format} ${width}x${height}`, async () => {
    if (format === 'bmp') return bitmap(width, height)
    return picture(width, height).toFormat(format).toBuffer()
  })
}

export function movingGif(): Promise<Buffer> {
  return once('moving gif', () =>
    frames().then((all) =>
      sharp(all, { join: { animated: true } })
        .gif({ loop: 0 })
        .toBuffer(),
    ),
  )
}
export function movingWebp(): Promise<Buffer> {
  return once('moving webp', () =>
    frames().then((all) =>
      sharp(all, { join: { animated: true } })
        .webp({ loop: 0 })
        .toBuffer(),
    ),
  )
}
export const frames = () =>
  Promise.all(
    ['#c00', '#0c0', '#00c'].map((background) =>
      sharp({ create: { width: 128, height: 96, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  )

function bitmap(width: number, height: number): Buffer {
  const row = Math.ceil((width * 3) / 4) * 4
  const head = Buffer.alloc(54)
  head.write('BM', 'latin1')
  head.writeUInt32LE(54 + row * height, 2)
  head.writeUInt32LE(54, 10)
  head.writeUInt32LE(40, 14)
  head.writeInt32LE(width, 18)
  head.writeInt32LE(height, 22)
  head.writeUInt16LE(1, 26)
  head.writeUInt16LE(24, 28)
  return Buffer.concat([head, Buffer.alloc(row * height, 0x7f)])
}

/** Makes a PNG file whose header declares this size in pixels, although the file contains almost no pixels. */
export function pngHeader(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(data.length)
    ends.writeUInt32BE(crc32(named) >>> 0, 4)
    return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  const data = deflateSync(Buffer.alloc(1_024))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    ...[chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))],
  ])
}

export const zip = (): Buffer =>
  Buffer.from(
    '504b0304140000000000000000000000000000000000000000000100000061504b01021400140000000000000000000000000000000000000000000100000000000000000000000000000000006' +
      '1504b050600000000010001002f0000001f0000000000',
    'hex',
  )

export type MovingFormat = 'gif' | 'webp' | 'apng' | 'mp4' | 'webm'
export interface Moving {
  size: string
  seconds: number
  /** Encoders cannot compress `noise`; most real stickers are like `drawing`. */
  scene: 'drawing' | 'noise'
  /** Frames per second. */
  rate?: number
}
const MOVING: Readonly<Record<MovingFormat, readonly string[]>> = {
  gif: ['-loop', '0'],
  webp: ['-c:v', 'libwebp_anim', '-q:v', '40', '-compression_level', '0', '-loop', '0'],
  apng: ['-plays', '0', '-pred', 'none', '-f', 'apng'],
  mp4: ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'],
  webm: ['-c:v', 'libvpx', '-b:v', '2M', '-deadline', 'realtime', '-cpu-used', '8'],
}
export const moving = (format: MovingFormat, { size, seconds, scene, rate = 10 }: Moving): Promise<Buffer> => {
  const noise = scene === 'noise' ? ',noise=alls=60:allf=t' : ''
  const source = `testsrc2=size=${size}:rate=${rate}:duration=${seconds}${noise}`
  return ffmpeg(format, ['-f', 'lavfi', '-i', source, ...MOVING[format]])
}

async function ffmpeg(extension: string, args: readonly string[]): Promise<Buffer> {
  if (!programs) throw new Error('there is no ffmpeg; the test should have been skipped')
  const dir = await mkdtemp(join(tmpdir(), 'svc-media-files-'))
  try {
    const file = join(dir, `made.${extension}`)
    await promisify(execFile)(programs.ffmpeg, ['-nostdin', '-loglevel', 'error', '-y', ...args, file])
    return await readFile(file)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

const TONE = (seconds: number) => ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}`]
const CODECS: Readonly<Record<string, readonly string[]>> = {
  mp3: ['-c:a', 'libmp3lame', '-b:a', '64k'],
  aac: ['-c:a', 'aac', '-f', 'adts'],
  m4a: ['-c:a', 'aac', '-f', 'ipod'],
  ogg: ['-c:a', 'libopus', '-ac', '1'],
  wav: ['-c:a', 'pcm_s16le'],
  flac: ['-c:a', 'flac'],
}
export type SoundFormat = 'mp3' | 'aac' | 'm4a' | 'ogg' | 'wav' | 'flac'
export const sound = (format: SoundFormat, seconds = 3): Promise<Buffer> =>
  once(`${format} ${seconds}`, () => ffmpeg(format, [...TONE(seconds), ...CODECS[format]!]))
/** Makes an ogg/opus sound with two channels. For a voice note, it must be converted to one channel. */
export const stereoOpus = (): Promise<Buffer> =>
  once('stereo opus', () => ffmpeg('ogg', [...TONE(2), '-ac', '2', '-c:a', 'libopus']))

async function listed(option: '-encoders' | '-muxers', line: RegExp): Promise<string[]> {
  if (!programs) return []
  const { stdout } = await promisify(execFile)(programs.ffmpeg, ['-hide_banner', option])
  return stdout.split('\n').flatMap((each) => line.exec(each)?.[1] ?? [])
}
export const soundEncoders = (): Promise<string[]> => listed('-encoders', /^ A\S{5} (\w+) /)
export const muxers = (): Promise<string[]> => listed('-muxers', /^ +E (\S+)/)

/** Options for the sample rate and the number of channels. Many encoders accept only some of these combinations. */
const VOICES = [
  [],
  ['-ar', '48000', '-ac', '2'],
  ['-ar', '8000', '-ac', '1'],
  ['-ar', '16000', '-ac', '1'],
  ['-ar', '22050', '-ac', '1'],
]
/** For each encoder, the options that it has accepted. */
const voices = new Map<string, readonly string[]>()

/**
 * Makes a second of sound. If the encoder is null, ffmpeg uses the default encoder of the container. Resolves with
 * undefined if ffmpeg cannot use this encoder and container.
 */
export async function soundBy(encoder: string | null, muxer: string): Promise<Buffer | undefined> {
  if (encoder === null) return encoded([], muxer)
  const known = voices.get(encoder)
  for (const voice of known ? [known] : VOICES) {
    const made = await encoded([...voice, '-c:a', encoder], muxer)
    if (made === undefined) continue
    voices.set(encoder, voice)
    return made
  }
  return undefined
}

async function encoded(codec: readonly string[], muxer: string): Promise<Buffer | undefined> {
  const made = await ffmpeg('made', [...TONE(1), ...codec, '-strict', '-2', '-f', muxer]).catch(() => undefined)
  return made && made.byteLength > 0 ? made : undefined
}

const SCENE = (size: string, seconds: number) => [
  ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=15:duration=${seconds}`],
  ...TONE(seconds),
  '-shortest',
]
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
const CONTAINERS: Readonly<Record<string, readonly string[]>> = {
  mp4: [...H264, '-movflags', '+faststart'],
  mov: H264,
  mkv: H264,
  webm: ['-c:v', 'libvpx', '-b:v', '300k', '-c:a', 'libopus'],
  avi: ['-c:v', 'mpeg4', '-c:a', 'libmp3lame'],
  '3gp': ['-c:v', 'mpeg4', '-c:a', 'aac'],
}
export type FilmFormat = 'mp4' | 'mov' | 'mkv' | 'webm' | 'avi' | '3gp'
export const film = (format: FilmFormat, size = '320x240', seconds = 2): Promise<Buffer> =>
  once(`${format} ${size} ${seconds}`, () => ffmpeg(format, [...SCENE(size, seconds), ...CONTAINERS[format]!]))
export const soundFirst = (container: 'asf' | 'ogg'): Promise<Buffer> => {
  const codecs = container === 'asf' ? ['-c:v', 'wmv2', '-c:a', 'wmav2'] : ['-c:v', 'libtheora', '-c:a', 'libvorbis']
  return once(`${container} with sound first`, () =>
    ffmpeg(container, [...SCENE('320x240', 1), '-map', '1:a', '-map', '0:v', ...codecs, '-f', container]),
  )
}
/** Makes a video whose codec phones cannot play. */
export const mpeg2Film = (): Promise<Buffer> =>
  once('mpeg2', () => ffmpeg('mp4', [...SCENE('320x240', 1), '-c:v', 'mpeg2video', '-c:a', 'aac']))
export const halfFilm = (format: 'mp4' | 'webm', without: 'picture' | 'sound'): Promise<Buffer> =>
  once(`${format} without ${without}`, () =>
    ffmpeg(format, [...SCENE('320x240', 1), ...CONTAINERS[format]!, without === 'picture' ? '-vn' : '-an']),
  )
/** Makes a video of about this many bytes, whose codec phones cannot play. The converted video is smaller. */
export const largeFilm = (bytes: number): Promise<Buffer> =>
  once(`film of ${bytes}`, () =>
    ffmpeg('avi', [
      ...['-f', 'lavfi', '-i', 'testsrc2=size=1280x720:rate=25:duration=120,noise=alls=12:allf=t'],
      ...['-c:v', 'mpeg4', '-q:v', '2', '-fs', String(bytes)],
    ]),
  )
