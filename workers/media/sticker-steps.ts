/**
 * How a moving sticker is made small enough: the apps show none that is larger or longer than theirs. First its rate is lowered, then its quality,
 * then its detail. A try costs seconds, so what each step will weigh is told by a second of the picture, and then by what the last try weighed.
 */

export interface Step {
  /** Frames in a second at most. */
  rate: number
  /** Of WebP, 0 to 100. */
  quality: number
  /** Pixels on a side that the picture keeps when it is drawn on the sticker's square; undefined: all of them. */
  detail?: number
  /** Bytes of a frame against those of the first step: the mean of noise, drawings and films, measured. */
  frameWeight: number
}

export const STEPS: readonly Step[] = [
  { rate: 15, quality: 75, frameWeight: 1 },
  { rate: 12, quality: 75, frameWeight: 1 },
  { rate: 10, quality: 75, frameWeight: 1 },
  { rate: 8, quality: 75, frameWeight: 1 },
  { rate: 8, quality: 60, frameWeight: 0.85 },
  { rate: 8, quality: 45, frameWeight: 0.68 },
  { rate: 8, quality: 30, frameWeight: 0.52 },
  { rate: 6, quality: 30, frameWeight: 0.52 },
  { rate: 6, quality: 15, frameWeight: 0.37 },
  { rate: 6, quality: 10, detail: 256, frameWeight: 0.27 },
  { rate: 5, quality: 5, detail: 128, frameWeight: 0.17 },
  { rate: 5, quality: 3, detail: 96, frameWeight: 0.13 },
  { rate: 4, quality: 1, detail: 64, frameWeight: 0.08 },
  { rate: 2, quality: 1, detail: 32, frameWeight: 0.04 },
]

export interface Try {
  step: number
  bytes: number
}

const MAX_TRIES = 5
/** Of the bytes that are allowed: a result this close to them is not made better. */
const CLOSE = 0.6
/** The prediction is a mean; what is expected to end this near to the bound may well end above it. */
const MARGIN = 0.9

/**
 * The step to try; undefined: the best of the tries is the result, or none of them fits and nothing smaller is left. `weights` are those of the steps
 * for this picture; `expected` is what the first step is taken to weigh before anything was tried.
 */
export function nextStep(
  tries: readonly Try[],
  weights: readonly number[],
  expected: number,
  maxBytes: number,
): number | undefined {
  if (tries.length >= MAX_TRIES) return undefined
  const fitting = tries.filter(({ bytes }) => bytes <= maxBytes)
  const best = Math.min(weights.length, ...fitting.map(({ step }) => step))
  const tooLarge = Math.max(-1, ...tries.filter(({ bytes }) => bytes > maxBytes).map(({ step }) => step))
  if (fitting.some(({ step, bytes }) => step === best && (step === 0 || bytes >= maxBytes * CLOSE))) return undefined
  const last = tries.at(-1) ?? { step: 0, bytes: expected }
  const perWeight = last.bytes / weights[last.step]!
  const between = weights.map((_, step) => step).filter((step) => step > tooLarge && step < best)
  const promising = between.find((step) => weights[step]! * perWeight <= maxBytes * MARGIN)
  if (fitting.length > 0) return promising
  // The last try is the one that always fits, or there would be no sticker at all.
  return tries.length === MAX_TRIES - 1 ? between.at(-1) : (promising ?? between.at(-1))
}
