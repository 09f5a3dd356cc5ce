/**
 * Tests HEIC images (HEVC), which phones make. They must be decoded without a native program. The test makes real files
 * with `heif-enc`.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { Failure } from '../../../src/domain/failures.ts'
import { MEDIA_LIMIT } from '../../../src/domain/media.ts'
import type { Purpose } from '../../../src/domain/media-job.ts'
import { createConverter } from '../../../workers/media/converter.ts'
import { createPrepare } from '../../../workers/media/prepare.ts'

const run = promisify(execFile)
const encoders = await run('heif-enc', ['--list-encoders']).then(
  ({ stdout, stderr }) => stdout + stderr,
  () => '',
)
const skip = /x265|hevc/i.test(encoders) ? false : 'heif-enc with an HEVC encoder is not on the PATH (Debian: libheif-examples)'

const prepare = createPrepare(createConverter({ programs: null, conversions: 1, limitMs: 60_000 }))

let count = 0
const dir = await mkdtemp(join(tmpdir(), 'svc-heic-'))
after(() => rm(dir, { recursive: true, force: true }))

const RED = { r: 192, g: 32, b: 64 }

const BLUE = { r: 0, g: 0, b: 160 }

async function heic(width: number, height: number, opacity = 255): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 4)
  for (let at = 0; at < width * height; at++) {
    const { r, g, b } = at < (width * height) / 2 ? RED : BLUE
    pixels.set([r, g, b, opacity], at * 4)
  }
  const [png, made] = [join(dir, `${count}.png`), join(dir, `${count++}.heic`)]
  const picture = sharp(pixels, { raw: { width, height, channels: 4 } })
  await (opacity === 255 ? picture.removeAlpha() : picture).png().toFile(png)
  await run('heif-enc', ['-o', made, png])
  return readFile(made)
}

/**
 * Adds the box `irot`, which says by how many quarter turns to the left the picture is rotated. Phones write this box
 * for upright pictures, but heif-enc cannot.
 */
function turned(bytes: Buffer, quarters: number): Buffer {
  const copy = Buffer.from(bytes)
  const typeAt = (type: string) => copy.indexOf(type, 0, 'latin1')
  const grow = (at: number, by: number) => copy.writeUInt32BE(copy.readUInt32BE(at) + by, at)
  const uses = typeAt('ipma')
  const end = uses - 4 + copy.readUInt32BE(uses - 4)
  for (const type of ['meta', 'iprp']) grow(typeAt(type) - 4, 10)
  grow(typeAt('ipco') - 4, 9)
  grow(uses - 4, 1)
  // The boxes before the pixels are longer now, so the offset of the pixels in the file must grow, too.
  grow(typeAt('iloc') + 16, 10)
  // So far the picture has three properties. The next lines add a fourth one, and mark it (0x84) as one that readers
  // must understand.
  assert.equal(copy[uses + 14]!++, 3)
  const box = Buffer.from([0, 0, 0, 9, ...Buffer.from('irot'), quarters])
  return Buffer.concat([copy.subarray(0, uses - 4), box, copy.subarray(uses - 4, end), Buffer.from([0x84]), copy.subarray(end)])
}

async function prepared(bytes: Uint8Array, purpose: Purpose = 'image') {
  const own = join(dir, `job${count++}`)
  await mkdir(own)
  await writeFile(join(own, 'original'), bytes)
  return prepare({ purpose, path: join(own, 'original'), dir: own, limit: MEDIA_LIMIT, author: null, waveform: true })
}

async function pixelAt(file: string | Uint8Array, left: number, top: number): Promise<number[]> {
  return [...(await sharp(file).extract({ left, top, width: 1, height: 1 }).raw().toBuffer())]
}
function assertNear(found: number[], { r, g, b }: typeof RED) {
  const far = [r, g, b].some((value, at) => Math.abs(value - found[at]!) > 12)
  assert.ok(!far, `${found} is not near ${[r, g, b]}`)
}

function promising(bytes: Buffer, width: number, height: number): Buffer {
  const copy = Buffer.from(bytes)
  const at = copy.indexOf('ispe', 0, 'latin1')
  assert.ok(at > 0)
  copy.writeUInt32BE(width, at + 8)
  copy.writeUInt32BE(height, at + 12)
  return copy
}

const refused = (sentence: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Failure)
  assert.equal(error.code, 'media_invalid')
  assert.match(error.message, sentence)
  return true
}

describe('HEIC', { skip }, () => {
  test('as image: a jpeg of the same size and colours, with a thumbnail', async () => {
    const { path, mime, width, height, thumbnail } = await prepared(await heic(320, 200))
    assert.deepEqual([mime, width, height], ['image/jpeg', 320, 200])
    const { format, width: realWidth, height: realHeight } = await sharp(path).metadata()
    assert.deepEqual([format, realWidth, realHeight], ['jpeg', 320, 200])
    assertNear(await pixelAt(path, 20, 20), RED)
    assertNear(await pixelAt(path, 20, 180), BLUE)
    assert.equal((await sharp(Buffer.from(thumbnail!)).metadata()).width, 72)
  })

  test('turned by the camera: as it is shown', async () => {
    const { path, width, height } = await prepared(turned(await heic(320, 200), 3))
    assert.deepEqual([width, height], [200, 320])
    // The picture is turned right by a quarter. So its upper half must now be on the right.
    assertNear(await pixelAt(path, 180, 160), RED)
    assertNear(await pixelAt(path, 20, 160), BLUE)
  })

  test('with transparency: a png that has it', async () => {
    const { path, mime } = await prepared(await heic(128, 128, 128))
    assert.equal(mime, 'image/png')
    const [, , , alpha] = await pixelAt(path, 20, 20)
    assert.ok(alpha! > 100 && alpha! < 156, `alpha ${alpha}`)
  })

  test('as sticker: a WebP of 512 by 512', async () => {
    const { mime, width, height, isAnimated } = await prepared(await heic(320, 200), 'sticker')
    assert.deepEqual([mime, width, height, isAnimated], ['image/webp', 512, 512, false])
  })

  test('several at once come out, each its own', async () => {
    const sizes = [64, 96, 128]
    const files = await Promise.all(sizes.map((side) => heic(side, side)))
    const made = await Promise.all(files.map((bytes) => prepared(bytes)))
    assert.deepEqual(
      made.map(({ width }) => width),
      sizes,
    )
  })

  test('cut off in its pixels, and in its boxes: refused', async () => {
    const whole = await heic(320, 200)
    for (const length of [whole.length - 60, 250]) await assert.rejects(prepared(whole.subarray(0, length)), refused(/damaged/))
  })

  test('that promises 30,000 by 30,000 pixels: refused before it is decoded', async () => {
    await assert.rejects(prepared(promising(await heic(64, 64), 30_000, 30_000)), refused(/more than 100 million pixels/))
  })

  test('whose stream is larger than its box says: refused', async () => {
    await assert.rejects(prepared(promising(await heic(640, 480), 64, 64)), refused(/damaged/))
  })
})
