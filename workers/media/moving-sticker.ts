/** Makes animated stickers within the limits of the apps: 10 s and 500 kB. */
import { writeFile } from 'node:fs/promises'
import { Mutex } from 'async-mutex'
import { invalid } from './content.ts'
import { atRate, type Frames, SIDE } from './frames.ts'
import { fromFrames, unlessBroken } from './pixels.ts'
import { nextStep, STEPS, type Step, type Try } from './sticker-steps.ts'

export const MAX_BYTES = 500_000
/**
 * Number of bytes that are reserved for the data about the publisher, which is written into the file after the
 * conversion.
 */
export const PUBLISHER_BYTES = 2_000
const AIM = MAX_BYTES - PUBLISHER_BYTES
/** Effort of the encoder, from 0 to 6. With 4, a drawing has a fifth fewer bytes, but takes three times as long. */
const EFFORT = 1
const SAMPLE = 10

const inTurn = new Mutex()

/** Makes an animated sticker. Frames and encoder take up to 300 MB, so only one is made at a time. */
export const makeMoving = (frames: () => Promise<Frames>, to: string): Promise<void> =>
  inTurn.runExclusive(async () => {
    const made = await smallEnough(await frames())
    await writeFile(to, made)
  })

async function smallEnough(frames: Frames): Promise<Uint8Array> {
  const shown = STEPS.map(({ rate }) => atRate(frames, rate))
  const weights = STEPS.map(({ frameWeight }, step) => frameWeight * shown[step]!.length)
  const expected = await expectedBytes(frames, shown[0]!)
  const next = () => nextStep(tries, weights, expected, AIM)
  const tries: Try[] = []
  let best: { step: number; webp: Uint8Array } | undefined
  for (let step = next(); step !== undefined; step = next()) {
    const webp = await encoded(frames, shown[step]!, STEPS[step]!)
    tries.push({ step, bytes: webp.byteLength })
    if (webp.byteLength <= AIM && (best === undefined || step < best.step)) best = { step, webp }
  }
  if (best === undefined) throw invalid('The sticker cannot be made small enough: it has more than 500 kB at its lowest quality.')
  return best.webp
}

type Shown = readonly { index: number; delay: number }[]

/**
 * Estimates the size in bytes of the sticker at the first step; 0 if there are too few frames. The first frame contains
 * the whole picture, the others only the changes.
 */
async function expectedBytes(frames: Frames, shown: Shown): Promise<number> {
  if (shown.length <= 2 * SAMPLE) return 0
  const from = Math.floor((shown.length - SAMPLE) / 2)
  const [one, some] = [shown.slice(from, from + 1), shown.slice(from, from + SAMPLE)]
  const [first, all] = [await encoded(frames, one, STEPS[0]!), await encoded(frames, some, STEPS[0]!)]
  const ofOne = Math.max(0, all.byteLength - first.byteLength) / (SAMPLE - 1)
  return first.byteLength + ofOne * (shown.length - 1)
}

async function encoded(frames: Frames, shown: Shown, { quality, detail }: Step): Promise<Uint8Array> {
  const pictures = shown.map(({ index }) => frames.pictures[index]!)
  const pixels = detail === undefined ? Buffer.concat(pictures) : await redrawn(pictures, detail)
  const webp = fromFrames(pixels, SIDE).webp({ quality, effort: EFFORT, delay: shown.map(({ delay }) => delay), loop: 0 })
  return unlessBroken(webp.toBuffer())
}

/** Scales the pictures down and up again. This removes the details, which take the most bytes. */
async function redrawn(pictures: readonly Uint8Array[], detail: number): Promise<Uint8Array> {
  const small = await resized(Buffer.concat(pictures), SIDE, detail, pictures.length)
  return resized(small, detail, SIDE, pictures.length)
}

const resized = (pixels: Uint8Array, from: number, to: number, count: number) =>
  unlessBroken(
    fromFrames(pixels, from)
      .resize({ width: to, height: to * count, fit: 'fill' })
      .raw()
      .toBuffer(),
  )
