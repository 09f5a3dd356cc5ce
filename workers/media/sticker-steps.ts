/**
 * Chooses how an animated sticker is made small enough: the apps do not show one that is too large or too long. First the frame rate is lowered, then
 * the quality, then the detail. A try takes seconds, so the size at each step is estimated: first from a second of the picture, then from the size of
 * the last try.
 */

export interface Step {
  /** The most frames per second. */
  rate: number
  /** Quality of WebP, 0 to 100. */
  quality: number
  /** Pixels per side that the picture keeps before it is drawn on the sticker's square; undefined if all are kept. */
  detail?: number
  /** Bytes of a frame at this step, relative to the first step: the measured mean of noise, drawings and videos. */
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
/** A result that uses more than this part of the allowed bytes is good enough, and no further step is tried. */
const CLOSE = 0.6
/** A step is not tried if its expected size is above this part of the limit: the estimate is a mean, so the size may well exceed the limit. */
const MARGIN = 0.9

/**
 * Returns the next step to try. Undefined if the best try so far is the result, or if no try fits and there is no smaller step. `weights`: sizes of
 * the steps for this picture. `expected`: size of the first step that is assumed before the first try.
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
  // The last allowed try uses the step that always fits, so that there is a sticker in any case.
  return tries.length === MAX_TRIES - 1 ? between.at(-1) : (promising ?? between.at(-1))
}
