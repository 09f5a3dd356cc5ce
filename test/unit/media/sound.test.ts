/**
 * Tests sound files of many formats. Monkey's Audio (APE) is accepted but not tested, because ffmpeg cannot encode it.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { MEDIA_LIMIT } from '../../../src/domain/media.ts'
import type { PreparedMedia, Purpose } from '../../../src/domain/media-job.ts'
import { createConverter } from '../../../workers/media/converter.ts'
import { createPrepare } from '../../../workers/media/prepare.ts'
import { amount, isFull } from '../../harness/amount.ts'
import * as files from '../../harness/media-files.ts'
import { withoutFfmpeg } from '../../harness/media-files.ts'

const prepare = createPrepare(createConverter({ programs: files.programs, conversions: 2, limitMs: 60_000 }))
const { ffmpeg = '', ffprobe = '' } = files.programs ?? {}

let dir: string
let count = 0
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-sound-'))
})
after(() => rm(dir, { recursive: true, force: true }))

/**
 * Writes the bytes to a file in a new folder. The name has no extension, so that only the content says what the file
 * is.
 */
async function place(bytes: Uint8Array): Promise<{ path: string; dir: string }> {
  const own = join(dir, String(count++))
  await mkdir(own)
  await writeFile(join(own, 'original'), bytes)
  return { path: join(own, 'original'), dir: own }
}

async function prepared(purpose: Purpose, bytes: Uint8Array): Promise<PreparedMedia & { asIs: boolean }> {
  const at = await place(bytes)
  const made = await prepare({ purpose, ...at, limit: MEDIA_LIMIT, author: null, waveform: false })
  return { ...made, asIs: made.path === at.path }
}

interface Heard {
  format: string
  codec: string
  channels: number
  rate: number
}

async function heard(path: string): Promise<Heard> {
  const shown = ['-show_entries', 'format=format_name:stream=codec_name,channels,sample_rate', '-of', 'json']
  const { stdout } = await promisify(execFile)(ffprobe, ['-loglevel', 'error', ...shown, `file:${path}`])
  const { format, streams } = JSON.parse(stdout)
  const [{ codec_name, channels, sample_rate }] = streams
  return { format: format.format_name, codec: codec_name, channels, rate: Number(sample_rate) }
}

const RATE = 8_000
/**
 * Returns the seconds of sound that this ffmpeg decodes, or 0 if it does not recognise the file. ffmpeg takes some
 * files that it has made itself for files of another format.
 */
async function decodedSeconds(bytes: Uint8Array): Promise<number> {
  const { path, dir: own } = await place(bytes)
  const made = join(own, 'heard.wav')
  const sound = ['-map', '0:a:0', '-ac', '1', '-ar', String(RATE), '-c:a', 'pcm_s16le', '-f', 'wav', `file:${made}`]
  try {
    await promisify(execFile)(ffmpeg, ['-nostdin', '-loglevel', 'error', '-i', `file:${path}`, ...sound])
    return (await stat(made)).size / (2 * RATE)
  } catch {
    return 0
  }
}

/** Encoder and container of a sound file. If the encoder is null, the default encoder of the container is used. */
type Kind = [encoder: string | null, muxer: string]
/** Less common kinds. Each file lasts a second, and ffmpeg recognises it. */
const LESS_COMMON: Kind[] = [
  ['alac', 'caf'],
  ['wavpack', 'wv'],
  ['ac3', 'ac3'],
  ['eac3', 'eac3'],
  ['pcm_s16be', 'au'],
  ['tta', 'tta'],
  ['dca', 'dts'],
  ['pcm_s16le', 'w64'],
  ['wmav2', 'asf'],
  ['aac', '3gp'],
  ['real_144', 'rm'],
  ['libspeex', 'ogg'],
  ['flac', 'matroska'],
]
/** Kinds of sound files that need different ways to be recognised. */
const FEW: Kind[] = [
  ['alac', 'caf'],
  ['dca', 'dts'],
  ['aac', '3gp'],
  ['real_144', 'rm'],
  ['flac', 'matroska'],
]
const WIDE = ['matroska', 'caf', 'wav', 'mov']

async function everyKind(): Promise<Kind[]> {
  const encoders = await files.soundEncoders()
  const muxers = await files.muxers()
  return [
    ...encoders.flatMap((encoder) => WIDE.map((muxer): Kind => [encoder, muxer])),
    ...encoders.filter((encoder) => muxers.includes(encoder)).map((encoder): Kind => [encoder, encoder]),
    ...muxers.map((muxer): Kind => [null, muxer]),
    ...LESS_COMMON,
  ]
}

describe('every sound that ffmpeg decodes leaves as ogg/opus, mono, 48 kHz', { skip: withoutFfmpeg }, async () => {
  const kinds = withoutFfmpeg ? [] : isFull ? await everyKind() : FEW
  let made = 0
  let left = 0
  for (const [encoder, muxer] of kinds)
    test(`${encoder ?? 'its own encoder'} in ${muxer}`, async (t) => {
      const bytes = await files.soundBy(encoder, muxer)
      if (bytes === undefined) return t.skip('this ffmpeg does not make it')
      made++
      const seconds = isFull ? await decodedSeconds(bytes) : 1
      if (seconds < 0.5) return t.skip('this ffmpeg does not know it again without its name')
      const voice = await prepared('voice', bytes)
      assert.deepEqual(await heard(voice.path), { format: 'ogg', codec: 'opus', channels: 1, rate: 48_000 })
      assert.equal(voice.mime, 'audio/ogg; codecs=opus')
      assert.ok(Math.abs((voice.seconds ?? 0) - seconds) < 0.5, `${voice.seconds} s, not ${seconds}`)
      left++
    })
  after(() => process.stderr.write(`${kinds.length} kinds of sound, ${made} made, ${left} left as a voice note\n`))
})

describe('an audio file leaves as what the apps play', { skip: withoutFfmpeg }, () => {
  const alike = [
    ['ac3', 'ipod', false],
    ['alac', 'caf', false],
    ['mp2', 'mp2', false],
    ['wavpack', 'wv', false],
  ] as const
  for (const [encoder, muxer, asIs] of [
    ['aac', 'ipod', true],
    ['alac', 'ipod', false],
    ['libmp3lame', 'mp3', true],
    ['libopus', 'ogg', true],
    ['libvorbis', 'ogg', false],
    ...amount(alike, []),
  ] as const)
    test(`${encoder} in ${muxer}: ${asIs ? 'as it is' : 'as AAC'}`, async () => {
      const bytes = await files.soundBy(encoder, muxer)
      assert.ok(bytes)
      const audio = await prepared('audio', bytes)
      assert.equal(audio.asIs, asIs)
      if (asIs) return
      assert.equal(audio.mime, 'audio/mp4')
      assert.equal((await heard(audio.path)).codec, 'aac')
      assert.ok(Math.abs((audio.seconds ?? 0) - 1) < 0.5, `${audio.seconds} s`)
    })
})

describe('a film whose sound comes first is a film', { skip: withoutFfmpeg }, () => {
  for (const container of ['asf', 'ogg'] as const)
    test(container, async () => {
      const film = await prepared('video', await files.soundFirst(container))
      assert.deepEqual([film.mime, film.width, film.height], ['video/mp4', 320, 240])
    })

  test('and sound alone in ASF is no video', async () => {
    const sound = await files.soundBy('wmav2', 'asf')
    await assert.rejects(prepared('video', sound!), {
      code: 'media_invalid',
      message: 'The content is audio/x-ms-asf, not a video.',
    })
  })
})

test('what only looks like a list of other files is not read', { skip: withoutFfmpeg }, async () => {
  const secret = join(dir, 'secret.wav')
  await writeFile(secret, await files.sound('wav', 1))
  for (const text of [
    `ffconcat version 1.0\nfile 'file:${secret}'\n`,
    `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://${secret}\n#EXT-X-ENDLIST\n`,
    `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n`,
  ])
    for (const purpose of ['voice', 'audio'] as const)
      await assert.rejects(prepared(purpose, Buffer.from(text)), /no known format of an audio/)
})
