import { join } from 'node:path'
import type { MediaJob, PreparedMedia } from '../../src/domain/media-job.ts'
import { type Content, demuxerOf, invalid, lacks, notA } from './content.ts'
import type { Converter } from './converter.ts'
import { SOUND_DEMUXERS } from './sound-demuxers.ts'

export type AudioPart = Pick<PreparedMedia, 'path' | 'mime' | 'seconds' | 'waveform'>

const OPUS = 'audio/ogg; codecs=opus'
interface Playable {
  mime: string
  /** Codecs that the apps play in this container. Files with other codecs are converted. */
  codecs: readonly string[]
}
const AS_IS: Readonly<Record<string, Playable>> = {
  'audio/mpeg': { mime: 'audio/mpeg', codecs: ['mp3'] },
  'audio/aac': { mime: 'audio/aac', codecs: ['aac'] },
  'audio/mp4': { mime: 'audio/mp4', codecs: ['aac'] },
  'audio/x-m4a': { mime: 'audio/mp4', codecs: ['aac'] },
  'audio/amr': { mime: 'audio/amr', codecs: ['amr_nb', 'amr_wb'] },
}
/** MIME types that the detector does not report as audio, although such a file may contain only audio. */
const MAY_BE_SOUND = new Set([
  'application/octet-stream',
  'application/vnd.rn-realmedia',
  'application/mxf',
  'application/x-shockwave-flash',
])

export async function prepareAudio(job: MediaJob, content: Content, converter: Converter): Promise<AudioPart> {
  const isVoice = job.purpose === 'voice'
  const known: Playable | undefined = content.isOpus ? { mime: OPUS, codecs: ['opus'] } : AS_IS[content.mime]
  if (!converter.ffmpeg) {
    if (content.family !== 'audio') throw notA('an audio', content)
    // The file is sent unchanged: an app that cannot play it can still store it.
    return { path: job.path, mime: known?.mime ?? content.mime, seconds: null, waveform: null }
  }
  const demuxer = await soundDemuxer(job, content, converter)
  const probe = await converter.probe(job.path, demuxer)
  if (!probe?.audio) throw lacks('sound', content)
  if (isVoice) {
    const isReady = content.isOpus && probe.audio.codec === 'opus' && probe.audio.channels === 1
    const path = isReady ? job.path : await toOpus(job, demuxer, converter)
    const seconds = (isReady ? probe : await converter.probe(path, 'ogg'))?.seconds ?? probe.seconds
    return { path, mime: OPUS, seconds, waveform: job.waveform ? await waveformOf(path, converter) : null }
  }
  if (known?.codecs.includes(probe.audio.codec))
    return { path: job.path, mime: known.mime, seconds: probe.seconds, waveform: null }
  const path = await toM4a(job, demuxer, converter)
  const seconds = probe.seconds ?? (await converter.probe(path, 'mov'))?.seconds ?? null
  return { path, mime: 'audio/mp4', seconds, waveform: null }
}

/**
 * Returns the demuxer for the file. ffprobe is asked about a type without a known demuxer, because ffmpeg knows more
 * kinds of sound than the detector.
 */
async function soundDemuxer({ path }: MediaJob, content: Content, converter: Converter): Promise<string> {
  const { family, mime } = content
  if (family !== 'audio' && family !== 'video' && !MAY_BE_SOUND.has(mime)) throw notA('an audio', content)
  const demuxer = demuxerOf(content) ?? (await converter.recognize(path, SOUND_DEMUXERS))
  if (demuxer !== undefined) return demuxer
  throw family === 'other' ? notA('an audio', content) : invalid(`${mime} cannot be sent as an audio.`)
}

const end = (job: MediaJob, format: string, path: string) =>
  ['-map_metadata', '-1', '-fs', String(job.limit + 65_536), '-f', format, `file:${path}`] as const

/**
 * Options that select the first audio stream and compute its timestamps from the number of samples. Some containers
 * have no timestamps, so that all samples would begin at 0.
 */
const SOUND = ['-map', '0:a:0', '-af', 'asetpts=N/SR/TB'] as const

async function toOpus(job: MediaJob, demuxer: string, { convert }: Converter): Promise<string> {
  const made = join(job.dir, 'voice.ogg')
  const codec = [...SOUND, '-ac', '1', '-ar', '48000', '-c:a', 'libopus', '-b:a', '32k', '-application', 'voip']
  await convert(job.path, demuxer, [...codec, ...end(job, 'ogg', made)])
  return made
}

/** Converts audio to AAC, because ffmpeg has an AAC encoder of its own, and the apps play AAC. */
async function toM4a(job: MediaJob, demuxer: string, { convert }: Converter): Promise<string> {
  const made = join(job.dir, 'audio.m4a')
  await convert(job.path, demuxer, [
    ...[...SOUND, '-c:a', 'aac', '-b:a', '128k', '-movflags', '+faststart'],
    ...end(job, 'ipod', made),
  ])
  return made
}

const BARS = 64
const SAMPLE_RATE = 8_000
const WINDOW = SAMPLE_RATE / 10

/** Returns the mean loudness of 64 equal parts of the audio, relative to the loudest part, which is 100. */
async function waveformOf(path: string, { convert }: Converter): Promise<Uint8Array> {
  const windows: number[] = []
  let sum = 0
  let count = 0
  let half: number | undefined
  const output = ['-map', '0:a:0', '-ac', '1', '-ar', String(SAMPLE_RATE), '-c:a', 'pcm_s16le', '-f', 's16le', 'pipe:1']
  await convert(path, 'ogg', output, (chunk) => {
    let at = 0
    if (half !== undefined && chunk.length > 0) {
      take((((chunk[at++]! << 8) | half) << 16) >> 16)
      half = undefined
    }
    for (; at + 1 < chunk.length; at += 2) take(chunk.readInt16LE(at))
    if (at < chunk.length) half = chunk[at]
  })
  if (count > 0) windows.push(sum / count)
  return bars(windows)

  function take(sample: number) {
    sum += Math.abs(sample)
    if (++count < WINDOW) return
    windows.push(sum / count)
    sum = 0
    count = 0
  }
}

function bars(windows: readonly number[]): Uint8Array {
  const means = Array.from({ length: BARS }, (_, bar) => {
    const from = Math.floor((bar * windows.length) / BARS)
    // A short recording has fewer measurements than bars, so neighbouring bars share one.
    const part = windows.slice(from, Math.max(from + 1, Math.floor(((bar + 1) * windows.length) / BARS)))
    return part.reduce((sum, each) => sum + each, 0) / Math.max(1, part.length)
  })
  const loudest = Math.max(...means)
  return Uint8Array.from(means, (mean) => (loudest > 0 ? Math.round((100 * mean) / loudest) : 0))
}
