/** Detects the type of a file from its content, never from its name or a declared type. */
import { open } from 'node:fs/promises'
import { fileTypeFromFile } from 'file-type'
import { Failure } from '../../src/domain/failures.ts'

export type Family = 'image' | 'video' | 'audio' | 'other'

export interface Content {
  /** MIME type without parameters; `application/octet-stream` if the type is unknown. */
  mime: string
  family: Family
  name?: string
  /** Whether the file is ogg with opus in it. */
  isOpus: boolean
}

/**
 * The demuxer for each type. ffmpeg must not choose one itself, because some demuxers follow playlists and lists of
 * other files.
 */
const DEMUXERS: Readonly<Record<string, string>> = {
  'video/mp4': 'mov',
  'video/x-m4v': 'mov',
  'video/quicktime': 'mov',
  'video/3gpp': 'mov',
  'video/3gpp2': 'mov',
  'audio/mp4': 'mov',
  'audio/x-m4a': 'mov',
  'image/heic': 'mov',
  'image/heif': 'mov',
  'video/webm': 'matroska',
  'video/matroska': 'matroska',
  'video/x-matroska': 'matroska',
  'audio/webm': 'matroska',
  'video/vnd.avi': 'avi',
  'video/x-msvideo': 'avi',
  'video/mpeg': 'mpeg',
  'video/MP1S': 'mpeg',
  'video/MP2P': 'mpeg',
  'video/mp2t': 'mpegts',
  'video/x-flv': 'flv',
  'video/x-ms-asf': 'asf',
  'audio/x-ms-asf': 'asf',
  'video/ogg': 'ogg',
  'audio/ogg': 'ogg',
  'application/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
  'audio/wav': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'audio/aiff': 'aiff',
  'image/gif': 'gif',
  'image/bmp': 'bmp_pipe',
  'image/apng': 'apng',
}

export const demuxerOf = ({ mime }: Content): string | undefined => (Object.hasOwn(DEMUXERS, mime) ? DEMUXERS[mime] : undefined)

/** Maximum number of bytes that are read, enough for the heads of all streams of a container. */
const HEAD_BYTES = 65_536
/** Bytes that show that a file contains video: the id of a video stream in ASF, and the head of a Theora stream. */
const ASF_FILM = Buffer.from('c0ef19bc4d5bcf11a8fd00805f5c442b', 'hex')
const OGG_FILM = Buffer.from('\x80theora', 'latin1')
/** Brands (type names inside the file) of still pictures and of videos. A video may list brands of pictures too. */
const HEIF = /^(mif[1-3]|miaf|msf1|he(ic|ix|im|is|vc|vx|vm|vs)|j2k[is]|jp(eg|gs))$/
const FILM = /^(iso.|mp4.|avc1|dash|qt {2}|M4V.|3g..)$/

/**
 * The detector looks only at the first stream, and does not know every brand. So its result is checked again for these
 * types.
 */
const CORRECTIONS: Readonly<Record<string, (head: Buffer) => string | undefined>> = {
  'application/vnd.ms-asf': asf,
  'audio/x-ms-asf': asf,
  'audio/ogg': ogg,
  'application/ogg': ogg,
  'video/mp4': (head) => {
    const length = Math.min(head.readUInt32BE(0), head.length)
    // In the file, the major brand is followed by its version in four bytes, which is skipped here.
    const [major = '', , ...others] = (head.toString('latin1', 8, length).match(/.{4}/gs) ?? []) as string[]
    const isPicture =
      HEIF.test(major) || (others.some((brand) => HEIF.test(brand)) && ![major, ...others].some((one) => FILM.test(one)))
    return isPicture ? 'image/heif' : undefined
  },
}

function asf(head: Buffer): string {
  return head.includes(ASF_FILM) ? 'video/x-ms-asf' : 'audio/x-ms-asf'
}

function ogg(head: Buffer): string | undefined {
  return head.includes(OGG_FILM) ? 'video/ogg' : undefined
}

export async function contentOf(path: string): Promise<Content> {
  const found = await fileTypeFromFile(path)
  const [detected = 'application/octet-stream', ...parameters] = (found?.mime ?? 'application/octet-stream').split(/;\s*/)
  const correct = Object.hasOwn(CORRECTIONS, detected) ? CORRECTIONS[detected] : undefined
  const mime = correct?.(await headOf(path)) ?? detected
  const isOpus = mime === detected && (parameters.includes('codecs=opus') || (found?.ext as string) === 'opus')
  return { mime, family: familyOf(mime), isOpus, ...(found ? { name: found.ext.toUpperCase() } : {}) }
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

function familyOf(mime: string): Family {
  if (mime === 'application/ogg') return 'audio'
  const family = mime.slice(0, mime.indexOf('/'))
  return family === 'image' || family === 'video' || family === 'audio' ? family : 'other'
}

export const invalid = (message: string, cause?: unknown): Failure =>
  new Failure('media_invalid', { message, ...(cause === undefined ? {} : { cause }) })

export const notA = (what: string, { mime }: Pick<Content, 'mime'>): Failure =>
  invalid(
    mime === 'application/octet-stream' ? `The content is no known format of ${what}.` : `The content is ${mime}, not ${what}.`,
  )

/**
 * Creates the failure for a file without the necessary track: a video with audio only, or a recording with pictures
 * only.
 */
export const lacks = (track: 'picture' | 'sound', { mime }: Content): Failure =>
  invalid(`The content is ${mime} without ${track}.`)

export const needsConverter = ({ mime }: Content, what: string): Failure =>
  invalid(`${mime} must be converted to be sent as ${what}, and this service has no converter.`)
