import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { MEDIA_LIMIT } from '../../../src/domain/media.ts'
import type { MediaJob, PreparedMedia } from '../../../src/domain/media-job.ts'
import { createConverter } from '../../../workers/media/converter.ts'
import { createPrepare } from '../../../workers/media/prepare.ts'
import { nextStep, STEPS, type Try } from '../../../workers/media/sticker-steps.ts'
import { amount } from '../../harness/amount.ts'
import * as files from '../../harness/media-files.ts'
import { withoutFfmpeg } from '../../harness/media-files.ts'

const MAX_BYTES = 500_000
const MAX_LENGTH = 10_000

const prepareWith = createPrepare(createConverter({ programs: files.programs, conversions: 2, limitMs: 120_000 }))
const prepareBare = createPrepare(createConverter({ programs: null, conversions: 2, limitMs: 120_000 }))

let count = 0
const dir = await mkdtemp(join(tmpdir(), 'svc-sticker-'))
after(() => rm(dir, { recursive: true, force: true }))

async function sticker(bytes: Uint8Array, { prepare = prepareWith, author = null as string | null } = {}) {
  const own = join(dir, String(count++))
  await mkdir(own)
  await writeFile(join(own, 'original'), bytes)
  const job: MediaJob = { purpose: 'sticker', path: join(own, 'original'), dir: own, limit: MEDIA_LIMIT, author, waveform: false }
  const made = await prepare(job)
  return { made, job }
}

interface Shown {
  bytes: number
  frames: number
  /** Duration in ms. */
  length: number
}

async function shown({ path }: PreparedMedia): Promise<Shown> {
  const { pages = 1, delay = [] } = await sharp(path).metadata()
  return { bytes: (await stat(path)).size, frames: pages, length: delay.reduce((sum, each) => sum + each, 0) }
}

const FORMATS = ['gif', 'webp', 'apng', 'mp4', 'webm'] as const
// One second of a sticker with 10 frames per second takes a second of CPU time. So the file that exceeds the longest
// duration of a sticker has only two frames per second.
const some = [
  { format: 'gif', seconds: 12, rate: 2, size: '400x300', scene: 'drawing' },
  { format: 'webp', seconds: 2, size: '400x300', scene: 'drawing' },
  { format: 'apng', seconds: 2, size: '400x300', scene: 'drawing' },
] as const
const all = FORMATS.flatMap((format) =>
  [1, 10, 12, 30].flatMap((seconds) => [
    ...['100x100', '512x512', '800x600', '1600x1600'].map((size) => ({ format, seconds, size, scene: 'drawing' as const })),
    ...['100x100', '400x300'].map((size) => ({ format, seconds, size, scene: 'noise' as const })),
  ]),
)
const noise = { format: 'gif', seconds: 2, size: '400x300', scene: 'noise' } as const
const SET: (files.Moving & { format: files.MovingFormat })[] = amount(all, [...some, noise])

describe('a moving picture leaves as a sticker of at most 10 s and 500 kB that still moves', { skip: withoutFfmpeg }, () => {
  const seen: (Shown & { name: string; took: number })[] = []
  for (const { format, seconds, size, scene, rate } of SET) {
    const name = `${format} of ${seconds} s, ${size}, ${scene}`
    test(name, async () => {
      const bytes = await files.moving(format, { size, seconds, scene, rate })
      const began = performance.now()
      const { made } = await sticker(bytes)
      const took = Math.round(performance.now() - began)
      const result = await shown(made)
      seen.push({ name, took, ...result })
      assert.equal(made.mime, 'image/webp')
      assert.equal(made.isAnimated, true)
      assert.ok(result.bytes <= MAX_BYTES, `${result.bytes} bytes`)
      assert.ok(result.length <= MAX_LENGTH, `${result.length} ms`)
      // The last frame of a video ends at the declared end of the file, which may be one frame earlier or later.
      assert.ok(Math.abs(result.length - Math.min(seconds * 1_000, MAX_LENGTH)) <= 150, `${result.length} ms`)
    })
  }
  after(() => {
    if (seen.length === 0) return
    const by = (field: 'bytes' | 'length' | 'took') => seen.toSorted((one, other) => other[field] - one[field])[0]
    for (const field of ['bytes', 'length', 'took'] as const)
      process.stderr.write(`most ${field}: ${JSON.stringify(by(field))}\n`)
  })
})

test('a publisher does not lift a sticker over the bound', { skip: withoutFfmpeg }, async () => {
  const noise = await files.moving('gif', { size: '400x300', seconds: 3, scene: 'noise' })
  const { made } = await sticker(noise, { author: '\u{1f642}'.repeat(64) })
  const { bytes, frames } = await shown(made)
  assert.ok(bytes <= MAX_BYTES && bytes > MAX_BYTES / 4, `${bytes} bytes`)
  assert.ok(frames > 1)
  assert.match((await readFile(made.path)).toString('latin1'), /sticker-pack-publisher/)
})

test('a short and small moving WebP leaves byte for byte', async () => {
  const { made, job } = await sticker(await files.movingWebp(), { prepare: prepareBare })
  assert.equal(made.path, job.path)
})

test('a GIF and a WebP that are too long are made shorter without a converter too', async () => {
  const long = (format: 'gif' | 'webp') =>
    files.frames().then((all) =>
      sharp(all, { join: { animated: true } })
        .toFormat(format, { loop: 0, delay: [6_000, 6_000, 6_000] })
        .toBuffer(),
    )
  for (const format of ['gif', 'webp'] as const) {
    const { made } = await sticker(await long(format), { prepare: prepareBare })
    const { frames, length } = await shown(made)
    assert.deepEqual([frames, length], [2, 10_000], format)
  }
})

test('each picture of a slow GIF is shown for as long as in the GIF', async () => {
  const slow = await sharp(await files.frames(), { join: { animated: true } })
    .gif({ loop: 0, delay: [500, 1_500, 250] })
    .toBuffer()
  const { made } = await sticker(slow, { prepare: prepareBare })
  assert.deepEqual((await sharp(made.path).metadata()).delay, [500, 1_500, 250])
})

test('a picture whose pages have too many pixels together is refused before they are decoded', async () => {
  const size = 5_000
  const page = await sharp({ create: { width: size, height: size, channels: 3, background: '#123' } })
    .png()
    .toBuffer()
  const other = await sharp({ create: { width: size, height: size, channels: 3, background: '#321' } })
    .png()
    .toBuffer()
  const gif = await sharp([page, other], { join: { animated: true } })
    .gif({ loop: 0, delay: [100, 100] })
    .toBuffer()
  // The animation is extended by repeating its two frames. Each frame begins with its graphic control extension (21
  // F9), and the last byte of the file is the trailer.
  const from = gif.indexOf(Buffer.from([0x21, 0xf9, 4]))
  const long = Buffer.concat([gif.subarray(0, -1), ...Array.from({ length: 49 }, () => gif.subarray(from, -1)), gif.subarray(-1)])
  const began = performance.now()
  await assert.rejects(sticker(long, { prepare: prepareBare }), /more than 2,000 million pixels in its first 10 s/)
  assert.ok(performance.now() - began < 10_000)
})

test('a moving PNG that cannot be converted is refused, and not sent as its first picture', { skip: withoutFfmpeg }, async () => {
  const png = await files.moving('apng', { size: '64x64', seconds: 1, scene: 'drawing' })
  await assert.rejects(sticker(png, { prepare: prepareBare }), /image\/apng must be converted/)
})

test('a bitmap becomes a sticker, and without a converter the refusal says what is missing', async () => {
  const bitmap = await files.image('bmp')
  await assert.rejects(sticker(bitmap, { prepare: prepareBare }), /image\/bmp must be converted/)
  if (withoutFfmpeg) return
  const { made } = await sticker(bitmap)
  assert.deepEqual([made.mime, made.width, made.height, made.isAnimated], ['image/webp', 512, 512, false])
})

describe('the steps to a sticker that is small enough', () => {
  const weights = STEPS.map(({ rate, frameWeight }) => rate * 10 * frameWeight)
  /**
   * Runs the search, and returns the steps that were tried. The result of each step has the size in the table, unless
   * `of` changes this size.
   */
  function search(firstBytes: number, of: (step: number, bytes: number) => number = (_, bytes) => bytes): Try[] {
    const tries: Try[] = []
    const next = () => nextStep(tries, weights, firstBytes, MAX_BYTES)
    for (let step = next(); step !== undefined; step = next())
      tries.push({ step, bytes: of(step, (firstBytes * weights[step]!) / weights[0]!) })
    return tries
  }
  const best = (tries: readonly Try[]) => Math.min(...tries.filter(({ bytes }) => bytes <= MAX_BYTES).map(({ step }) => step))

  test('what fits at once is tried once', () => {
    assert.deepEqual(search(400_000), [{ step: 0, bytes: 400_000 }])
  })

  test('where the table is right the first try fits', () => {
    for (const first of [600_000, 2_000_000, 9_000_000, 20_000_000]) {
      const tries = search(first)
      assert.ok(tries.length <= 2, `${tries.length} tries`)
      assert.ok(tries[0]!.bytes <= MAX_BYTES)
    }
  })

  test('where the table is wrong by four to either side, there is a result after five tries', () => {
    for (const wrong of [0.25, 0.5, 2, 4])
      for (const first of [600_000, 2_000_000, 9_000_000, 20_000_000]) {
        const tries = search(first, (_, bytes) => bytes * wrong)
        assert.ok(tries.length <= 5)
        assert.ok(best(tries) < STEPS.length, `${first} and ${wrong}: ${JSON.stringify(tries)}`)
      }
  })

  test('what is far below the bound is made better', () => {
    const tries = search(2_000_000, (_, bytes) => bytes / 3)
    assert.ok(best(tries) < tries[0]!.step)
  })

  test('each step weighs less than the one before', () => {
    for (const [step, weight] of weights.entries()) if (step > 0) assert.ok(weight < weights[step - 1]!)
  })
})
