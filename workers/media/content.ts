/** Detects the type of a file from its content, never from a name or a declared type. */
import { fileTypeFromFile } from 'file-type'
import { Failure } from '../../src/domain/failures.ts'

export type Family = 'image' | 'video' | 'audio' | 'other'

export interface Content {
  /** Without parameters; `application/octet-stream` for an unknown type. */
  mime: string
  family: Family
  /** ogg with opus in it. */
  isOpus: boolean
}

/** The containers ffmpeg may open, by type: never left to its own guess, which would follow playlists and lists of other files. */
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
  'application/vnd.ms-asf': 'asf',
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

const CONTAINERS = new Set(['application/ogg', 'application/vnd.ms-asf'])

export async function contentOf(path: string): Promise<Content> {
  const found = await fileTypeFromFile(path)
  const [mime = 'application/octet-stream', ...parameters] = (found?.mime ?? 'application/octet-stream').split(/;\s*/)
  return { mime, family: familyOf(mime), isOpus: parameters.includes('codecs=opus') || (found?.ext as string) === 'opus' }
}

function familyOf(mime: string): Family {
  if (CONTAINERS.has(mime)) return 'audio'
  const family = mime.slice(0, mime.indexOf('/'))
  return family === 'image' || family === 'video' || family === 'audio' ? family : 'other'
}

export const invalid = (message: string, cause?: unknown): Failure =>
  new Failure('media_invalid', { message, ...(cause === undefined ? {} : { cause }) })

export const notA = (what: string, { mime }: Pick<Content, 'mime'>): Failure =>
  invalid(
    mime === 'application/octet-stream' ? `The content is no known format of ${what}.` : `The content is ${mime}, not ${what}.`,
  )

/** The container may hold it, and does not: a film of sound alone, a recording of pictures alone. */
export const lacks = (track: 'picture' | 'sound', { mime }: Content): Failure =>
  invalid(`The content is ${mime} without ${track}.`)

export const needsConverter = ({ mime }: Content, what: string): Failure =>
  invalid(`${mime} must be converted to be sent as ${what}, and this service has no converter.`)
