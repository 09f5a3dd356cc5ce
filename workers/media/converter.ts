import { Semaphore } from 'async-mutex'
import { Failure } from '../../src/domain/failures.ts'
import { invalid } from './content.ts'
import { ProgramFailed } from './program.ts'
import { createProgramRunner, type ProgramRunner } from './program-runner.ts'

export interface Programs {
  ffmpeg: string
  ffprobe: string
}

export interface ConverterOptions {
  programs: Programs | null
  conversions: number
  limitMs: number
}

export interface Probe {
  seconds: number | null
  video: { codec: string; pixels: string; width: number; height: number } | null
  audio: { codec: string; channels: number } | null
}

export interface Converter {
  ffmpeg: string | undefined
  /** Reads the streams of a file with ffprobe. Undefined without ffprobe. */
  probe(path: string, demuxer: string): Promise<Probe | undefined>
  recognize(path: string, demuxers: readonly string[]): Promise<string | undefined>
  /** Converts a file with ffmpeg. Waits while too many conversions are running. */
  convert(path: string, demuxer: string, output: readonly string[], onData?: (chunk: Buffer) => void): Promise<Buffer>
  /** Reads a single frame with ffmpeg. This takes little time, so it does not wait for conversions. */
  glance(path: string, demuxer: string, output: readonly string[]): Promise<Buffer>
}

/** Largest block of memory that ffmpeg may request, in bytes. */
const MAX_BLOCK = 256 * 1_024 * 1_024
/** Largest number of pixels of a frame: 8K, in either orientation. */
const MAX_PIXELS = 36_000_000
const GLANCES = 4
const GLANCE_LIMIT = 20_000

/** At this score (0 to 100) or below, the result of ffprobe counts as a guess. */
const GUESS = 25

/** Returns the arguments for the input. Without them, ffmpeg could read a path as another protocol, such as `http:`. */
const from = (path: string) => ['-protocol_whitelist', 'file,pipe', '-i', `file:${path}`]
const input = (path: string, demuxer: string) => ['-f', demuxer, ...from(path)]

export function createConverter(
  { programs, conversions, limitMs }: ConverterOptions,
  runner: ProgramRunner = createProgramRunner(),
): Converter {
  const inTurn = new Semaphore(conversions)
  const atAGlance = new Semaphore(GLANCES)
  const start = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-max_alloc', String(MAX_BLOCK), '-y']

  function run(limit: number, path: string, demuxer: string, output: readonly string[], onData?: (chunk: Buffer) => void) {
    if (!programs) throw new Error('there is no ffmpeg')
    const decoder = demuxer === 'ogg' || demuxer === 'mp3' ? [] : ['-max_pixels', String(MAX_PIXELS)]
    const args = [...start, ...decoder, ...input(path, demuxer), ...output]
    return runner.run(programs.ffmpeg, args, { limitMs: limit, ...(onData ? { onData } : {}) }).catch(unusable)
  }

  return {
    ffmpeg: programs?.ffmpeg,
    convert: (path, demuxer, output, onData) => inTurn.runExclusive(() => run(limitMs, path, demuxer, output, onData)),
    glance: (path, demuxer, output) => atAGlance.runExclusive(() => run(GLANCE_LIMIT, path, demuxer, output)),
    async recognize(path, demuxers) {
      if (!programs) return undefined
      const { ffprobe } = programs
      const allowed = ['-format_whitelist', demuxers.join()]
      const shown = ['-show_entries', 'format=format_name,probe_score', '-of', 'json']
      const args = ['-hide_banner', '-loglevel', 'error', ...allowed, ...from(path), ...shown]
      const out = await atAGlance.runExclusive(() => runner.run(ffprobe, args, { limitMs: GLANCE_LIMIT }).catch(isUnknown))
      const { format_name = '', probe_score = 0 } = out ? (readJson(out).format ?? {}) : {}
      return probe_score > GUESS ? format_name.split(',').find((name) => demuxers.includes(name)) : undefined
    },
    async probe(path, demuxer) {
      if (!programs) return undefined
      const { ffprobe } = programs
      const entries =
        'format=duration:stream=codec_type,codec_name,pix_fmt,width,height,channels:stream_tags=rotate:stream_side_data=rotation'
      const args = ['-hide_banner', '-loglevel', 'error', ...input(path, demuxer), '-show_entries', entries, '-of', 'json']
      const out = await atAGlance.runExclusive(() => runner.run(ffprobe, args, { limitMs: GLANCE_LIMIT }).catch(unusable))
      return readProbe(out)
    },
  }
}

/**
 * Returns undefined if ffprobe ended with an error: the format of the file then counts as unknown. Throws for all other
 * errors.
 */
function isUnknown(error: unknown): undefined {
  if (error instanceof ProgramFailed && error.why === 'exit') return undefined
  return unusable(error)
}

function unusable(error: unknown): never {
  if (!(error instanceof ProgramFailed)) throw error
  if (error.why === 'killed')
    throw new Failure('send_failed', {
      message: 'The media could not be converted at the moment; try again later.',
      cause: error,
    })
  if (error.why === 'timeout') throw invalid('The media takes too long to convert.', error)
  throw invalid('The media is damaged, or of a kind that cannot be converted.', error)
}

interface ProbeJson {
  format?: { duration?: string; format_name?: string; probe_score?: number }
  streams?: {
    codec_type?: string
    codec_name?: string
    pix_fmt?: string
    width?: number
    height?: number
    channels?: number
    tags?: { rotate?: string }
    side_data_list?: { rotation?: number }[]
  }[]
}

function readJson(out: Buffer): ProbeJson {
  try {
    return JSON.parse(out.toString()) as ProbeJson
  } catch (cause) {
    throw new Failure('send_failed', {
      message: 'The converter did not report the properties of the media; try again later.',
      cause,
    })
  }
}

function readProbe(out: Buffer): Probe {
  const json = readJson(out)
  const video = json.streams?.find(({ codec_type }) => codec_type === 'video')
  const audio = json.streams?.find(({ codec_type }) => codec_type === 'audio')
  const seconds = Number(json.format?.duration)
  const rotation = Number(
    video?.tags?.rotate ?? video?.side_data_list?.find((data) => data.rotation !== undefined)?.rotation ?? 0,
  )
  const isTurned = Math.abs(rotation) % 180 === 90
  const [width = 0, height = 0] = [video?.width, video?.height]
  return {
    seconds: Number.isFinite(seconds) && seconds > 0 ? seconds : null,
    video: video
      ? {
          codec: video.codec_name ?? '',
          pixels: video.pix_fmt ?? '',
          width: isTurned ? height : width,
          height: isTurned ? width : height,
        }
      : null,
    audio: audio ? { codec: audio.codec_name ?? '', channels: audio.channels ?? 0 } : null,
  }
}
