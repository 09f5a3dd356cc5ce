import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { Failure } from '../../../src/domain/failures.ts'
import { MEDIA_LIMIT } from '../../../src/domain/media.ts'
import type { MediaJob, PreparedMedia, Purpose } from '../../../src/domain/media-job.ts'
import { createConverter } from '../../../workers/media/converter.ts'
import { createPrepare } from '../../../workers/media/prepare.ts'
import { chunksOf } from '../../../workers/media/webp.ts'
import { amount } from '../../harness/amount.ts'
import * as files from '../../harness/media-files.ts'
import { withoutFfmpeg } from '../../harness/media-files.ts'

const limits = { conversions: 2, limitMs: 60_000 }
const prepareWith = createPrepare(createConverter({ programs: files.programs, ...limits }))
const prepareBare = createPrepare(createConverter({ programs: null, ...limits }))

const dir = await mkdtemp(join(tmpdir(), 'svc-prepare-'))
after(() => rm(dir, { recursive: true, force: true }))

let count = 0
async function job(purpose: Purpose, bytes: Uint8Array, more: Partial<MediaJob> = {}): Promise<MediaJob> {
  const own = join(dir, String(count++))
  await mkdir(own)
  await writeFile(join(own, 'original'), bytes)
  return { purpose, path: join(own, 'original'), dir: own, limit: MEDIA_LIMIT, author: null, waveform: true, ...more }
}

interface Expected {
  /** Type to which the file must be converted, or `as is` if it must stay unchanged. */
  becomes: string
  mime: string
}
const asIs = (mime: string): Expected => ({ becomes: 'as is', mime })
const to = (mime: string): Expected => ({ becomes: mime, mime })

type Row = [name: string, purpose: Purpose, make: () => Promise<Buffer>, withIt: Expected | string, without: Expected | string]

const NEEDS = /must be converted/
const OPUS = 'audio/ogg; codecs=opus'
const rows: Row[] = [
  ['jpeg', 'image', () => files.image('jpeg'), asIs('image/jpeg'), asIs('image/jpeg')],
  ['png', 'image', () => files.image('png'), asIs('image/png'), asIs('image/png')],
  // sharp converts the pictures that it can read. The others, such as a bmp, need ffmpeg.
  ['webp', 'image', () => files.image('webp'), to('image/jpeg'), to('image/jpeg')],
  ['gif', 'image', () => files.image('gif'), to('image/jpeg'), to('image/jpeg')],
  ['tiff', 'image', () => files.image('tiff'), to('image/jpeg'), to('image/jpeg')],
  ['avif', 'image', () => files.image('avif'), to('image/jpeg'), to('image/jpeg')],
  ['bmp', 'image', () => files.image('bmp'), to('image/jpeg'), 'refused'],
  ['mp4', 'video', () => files.film('mp4'), asIs('video/mp4'), asIs('video/mp4')],
  ['3gp', 'video', () => files.film('3gp'), asIs('video/3gpp'), asIs('video/3gpp')],
  ['mov', 'video', () => files.film('mov'), to('video/mp4'), 'refused'],
  ['mkv', 'video', () => files.film('mkv'), to('video/mp4'), 'refused'],
  ['webm', 'video', () => files.film('webm'), to('video/mp4'), 'refused'],
  ['avi', 'video', () => files.film('avi'), to('video/mp4'), 'refused'],
  ['mp4 with another codec', 'video', () => files.mpeg2Film(), to('video/mp4'), asIs('video/mp4')],
  ['ogg', 'voice', () => files.sound('ogg'), asIs(OPUS), asIs(OPUS)],
  ['stereo ogg', 'voice', () => files.stereoOpus(), to(OPUS), asIs(OPUS)],
  ['mp3', 'voice', () => files.sound('mp3'), to(OPUS), asIs('audio/mpeg')],
  ['wav', 'voice', () => files.sound('wav'), to(OPUS), asIs('audio/wav')],
  ['sound of a film', 'voice', () => files.film('mp4'), to(OPUS), 'refused'],
  ['mp3', 'audio', () => files.sound('mp3'), asIs('audio/mpeg'), asIs('audio/mpeg')],
  ['aac', 'audio', () => files.sound('aac'), asIs('audio/aac'), asIs('audio/aac')],
  ['m4a', 'audio', () => files.sound('m4a'), asIs('audio/mp4'), asIs('audio/mp4')],
  ['wav', 'audio', () => files.sound('wav'), to('audio/mp4'), asIs('audio/wav')],
  ['flac', 'audio', () => files.sound('flac'), to('audio/mp4'), asIs('audio/flac')],
  ['webp', 'sticker', () => files.image('webp', 512, 512), asIs('image/webp'), asIs('image/webp')],
  ['jpeg', 'sticker', () => files.image('jpeg'), to('image/webp'), to('image/webp')],
  ['png', 'sticker', () => files.image('png'), to('image/webp'), to('image/webp')],
  ['gif', 'sticker', () => files.movingGif(), to('image/webp'), to('image/webp')],
  ['mp4', 'sticker', () => files.film('mp4'), to('image/webp'), 'refused'],
  ['mp4', 'gif', () => files.film('mp4'), asIs('video/mp4'), asIs('video/mp4')],
  ['gif', 'gif', () => files.movingGif(), to('video/mp4'), 'refused'],
  ['mp4', 'ptv', () => files.film('mp4', '240x240'), asIs('video/mp4'), asIs('video/mp4')],
  ['webm', 'ptv', () => files.film('webm'), to('video/mp4'), 'refused'],
  ['jpeg', 'portrait', () => files.image('jpeg'), to('image/jpeg'), to('image/jpeg')],
  ['png', 'portrait', () => files.image('png'), to('image/jpeg'), to('image/jpeg')],
  ['webp', 'portrait', () => files.image('webp'), to('image/jpeg'), to('image/jpeg')],
  ['gif', 'portrait', () => files.image('gif'), 'refused', 'refused'],
  ['tiff', 'portrait', () => files.image('tiff'), 'refused', 'refused'],
]
/**
 * Returns true if the test needs ffmpeg to make the file with this name. The files of the listed types are made without
 * it.
 */
const needsFfmpeg = (name: string) => !/^(jpeg|png|webp|gif|tiff|avif|bmp)$/.test(name)

async function check(row: Row, prepare: (job: MediaJob) => Promise<PreparedMedia>, expected: Expected | string) {
  const [, purpose, make] = row
  const bytes = await make()
  const asked = await job(purpose, bytes)
  if (typeof expected === 'string') {
    await assert.rejects(prepare(asked), (error) => error instanceof Failure && error.code === 'media_invalid')
    return
  }
  const made = await prepare(asked)
  assert.equal(made.mime, expected.mime)
  assert.equal(made.path === asked.path, expected.becomes === 'as is')
  assert.deepEqual(await readFile(asked.path), bytes, 'the file that was asked about is not touched')
}

/** Formats that ffmpeg converts in the same way as other formats in the table. */
const ALIKE = ['mov video', 'mkv video', 'avi video', 'webm ptv', 'wav voice', 'stereo ogg voice', 'wav audio']

describe('with a converter', () => {
  for (const row of amount(
    rows,
    rows.filter(([name, purpose]) => !ALIKE.includes(`${name} ${purpose}`)),
  )) {
    const [name, purpose, , withIt] = row
    const outcome = typeof withIt === 'string' ? withIt : withIt.becomes
    test(`${name} as ${purpose}: ${outcome}`, { skip: withoutFfmpeg }, () => check(row, prepareWith, withIt))
  }
})

describe('without one', () => {
  for (const row of rows) {
    const [name, purpose, , , without] = row
    const outcome = typeof without === 'string' ? without : without.becomes
    test(`${name} as ${purpose}: ${outcome}`, { skip: needsFfmpeg(name) && withoutFfmpeg }, () =>
      check(row, prepareBare, without),
    )
  }

  test('a film tells its length and size all the same', { skip: withoutFfmpeg }, async () => {
    const made = await prepareBare(await job('video', await files.film('mp4', '320x240', 2)))
    assert.deepEqual([made.width, made.height, made.seconds && Math.round(made.seconds)], [320, 240, 2])
  })

  test('the refusal says what is missing', async () => {
    await assert.rejects(prepareBare(await job('gif', await files.movingGif())), NEEDS)
  })
})

test('the picture of an account is the middle of what was given, 640 pixels wide and high, in the colours of what is seen', async () => {
  const stripe = (width: number, background: string) =>
    sharp({ create: { width, height: 300, channels: 3, background } })
      .png()
      .toBuffer()
  const flag = await sharp({ create: { width: 900, height: 300, channels: 3, background: '#ff0000' } })
    .composite([{ input: await stripe(340, '#00ff00'), left: 280, top: 0 }])
    .png()
    .toBuffer()
  const made = await prepareBare(await job('portrait', flag))
  assert.deepEqual([made.width, made.height, made.mime], [640, 640, 'image/jpeg'])
  const { data, info } = await sharp(made.path).raw().toBuffer({ resolveWithObject: true })
  assert.deepEqual([info.width, info.height], [640, 640])
  for (const at of [0, 639, 640 * 639, 640 * 640 - 1]) {
    const [red = 0, green = 0] = data.subarray(at * 3)
    assert.ok(green > 200 && red < 60, `pixel ${at}: ${red}, ${green}`)
  }
})

test('a picture of an account has 192 pixels on each side at least, as it is shown', async () => {
  const refusal = (bytes: Buffer) => job('portrait', bytes).then((asked) => prepareBare(asked))
  await assert.rejects(refusal(await files.image('jpeg', 400, 191)), /400 x 191 pixels; each side must have at least 192/)
  assert.equal((await refusal(await files.image('jpeg', 192, 192))).width, 640)
})

test('a picture on its side is measured as it is shown', async () => {
  const turned = await sharp(await files.image('jpeg', 300, 100))
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const { width, height, thumbnail } = await prepareBare(await job('image', turned))
  assert.deepEqual([width, height], [100, 300])
  assert.equal((await sharp(Buffer.from(thumbnail!)).metadata()).height, 72)
})

test('a picture with transparency becomes a png, not a black one', async () => {
  const clear = await sharp({ create: { width: 50, height: 50, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } } })
    .webp()
    .toBuffer()
  assert.equal((await prepareBare(await job('image', clear))).mime, 'image/png')
})

for (const [kind, make] of [
  ['lossy', () => files.image('webp', 64, 48)],
  [
    'lossless',
    async () =>
      sharp(await files.image('png', 65, 49))
        .webp({ lossless: true })
        .toBuffer(),
  ],
  ['moving', () => files.movingWebp()],
] as const) {
  test(`the publisher of a ${kind} sticker stands in its EXIF, and the picture stays as it is`, async () => {
    const bytes = await make()
    const { path, isAnimated } = await prepareBare(await job('sticker', bytes, { author: 'Größe 🙂' }))
    const signed = await readFile(path)
    const exif = chunksOf(signed).find(({ name }) => name === 'EXIF')!.data
    const json = JSON.parse(exif.subarray(22).toString()) as Record<string, unknown>
    assert.equal(json['sticker-pack-publisher'], 'Größe 🙂')
    assert.equal(exif.readUInt32LE(14), exif.length - 22)
    assert.equal(isAnimated, kind === 'moving')
    const pixels = (of: Buffer) => sharp(of, { animated: true }).raw().toBuffer()
    assert.deepEqual(await pixels(signed), await pixels(bytes))
  })
}

describe('hostile files are refused with a sentence', () => {
  const refusals: [name: string, purpose: Purpose, make: () => Promise<Buffer>, sentence: RegExp][] = [
    ['a zip', 'image', async () => files.zip(), /application\/zip, not an image/],
    ['60,000 by 60,000 pixels', 'image', async () => files.pngHeader(60_000, 60_000), /more than 100 million pixels/],
    ['half a jpeg', 'image', async () => (await files.image('jpeg')).subarray(0, 2_000), /damaged/],
    ['an SVG', 'image', async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), /not an image|no known format/],
    ['a playlist', 'video', async () => Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n'), /no known format|not a video/],
    ['a list of files', 'voice', async () => Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n"), /no known format/],
    ['half a WebP', 'sticker', async () => (await files.image('webp')).subarray(0, 900), /damaged|cut off/],
    ['text', 'sticker', async () => Buffer.from('hello'), /no known format/],
    ['a single byte', 'audio', async () => Buffer.from([0]), /no known format/],
  ]
  for (const [name, purpose, make, sentence] of refusals)
    for (const prepare of [prepareBare, prepareWith])
      test(`${name} as ${purpose}${prepare === prepareWith ? '' : ', without a converter'}`, async () => {
        await assert.rejects(prepare(await job(purpose, await make())), (error) => {
          assert.ok(error instanceof Failure)
          assert.equal(error.code, 'media_invalid')
          assert.match(error.message, sentence)
          return true
        })
      })

  const START = (hex: string) => Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(400)])
  const box = (type: string, content: Buffer) => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(content.byteLength + 8)
    head.write(type, 4, 'latin1')
    return Buffer.concat([head, content])
  }
  const unsupported: [name: string, mime: string, bytes: Buffer][] = [
    ['ICO', 'image/x-icon', START('000001000100')],
    ['JXL', 'image/jxl', START('0000000c4a584c200d0a870a')],
    ['JXL', 'image/jxl', START('ff0a')],
    [
      'JP2',
      'image/jp2',
      Buffer.concat([
        Buffer.from('0000000c6a5020200d0a870a', 'hex'),
        box('ftyp', Buffer.from('jp2 \0\0\0\0jp2 ')),
        Buffer.alloc(400),
      ]),
    ],
    ['PSD', 'image/vnd.adobe.photoshop', START('384250530001')],
    ['XCF', 'image/x-xcf', Buffer.concat([Buffer.from('gimp xcf file\0'), Buffer.alloc(400)])],
    ['JXR', 'image/vnd.ms-photo', START('4949bc01')],
  ]
  for (const purpose of ['image', 'sticker', 'card'] as const)
    for (const [name, mime, bytes] of unsupported)
      test(`${name} as ${purpose} is called by its name, and not damaged`, async () => {
        await assert.rejects(prepareWith(await job(purpose, bytes)), (error) => {
          assert.ok(error instanceof Failure)
          assert.ok(error.message.includes(`${mime} (${name})`), error.message)
          assert.doesNotMatch(error.message, /damaged/)
          return true
        })
      })

  test('HEIF of a newer brand is a picture, and no film', async () => {
    for (const brands of ['mif3avif', 'mif2\0\0\0\0mif2miaf', 'MiPr\0\0\0\0mif1heic']) {
      const file = Buffer.concat([box('ftyp', Buffer.from(brands, 'latin1')), box('mini', Buffer.alloc(400))])
      await assert.rejects(prepareWith(await job('video', file)), /image\/heif, not a video/)
      await assert.rejects(
        prepareWith(await job('image', file)),
        /The content is image\/heif\. It is damaged, or of a kind that cannot/,
      )
    }
  })

  test('a film that names a brand of pictures beside its own is a film', { skip: withoutFfmpeg }, async () => {
    const film = Buffer.from(await files.film('mp4'))
    film.write('mif1', film.readUInt32BE(0) - 4, 'latin1')
    const made = await prepareWith(await job('gif', film))
    assert.equal(made.mime, 'video/mp4')
  })

  test('a film without picture, or without sound, is told what it lacks', { skip: withoutFfmpeg }, async () => {
    for (const format of ['mp4', 'webm'] as const) {
      const soundAlone = await job('video', await files.halfFilm(format, 'picture'))
      await assert.rejects(prepareWith(soundAlone), {
        code: 'media_invalid',
        message: `The content is video/${format} without picture.`,
      })
      const pictureAlone = await job('voice', await files.halfFilm(format, 'sound'))
      await assert.rejects(prepareWith(pictureAlone), {
        code: 'media_invalid',
        message: `The content is video/${format} without sound.`,
      })
    }
  })

  test('a film that was cut off, with its index in front and at its end', { skip: withoutFfmpeg }, async () => {
    const front = await files.film('mp4')
    for (const prepare of [prepareBare, prepareWith])
      await assert.rejects(prepare(await job('video', front.subarray(0, front.length - 5_000))), /damaged or cut off/)
    const end = await files.film('mov')
    await assert.rejects(prepareWith(await job('video', end.subarray(0, end.length >> 1))), /damaged/)
  })

  test('a conversion that takes too long is ended', { skip: withoutFfmpeg }, async () => {
    const hurried = createPrepare(createConverter({ programs: files.programs, conversions: 1, limitMs: 100 }))
    await assert.rejects(hurried(await job('video', await files.film('avi', '1280x720', 6))), /takes too long/)
  })

  test('what grows above the limit is refused', { skip: withoutFfmpeg }, async () => {
    await assert.rejects(prepareWith(await job('video', await files.film('avi'), { limit: 10_000 })), /after its conversion/)
  })
})
