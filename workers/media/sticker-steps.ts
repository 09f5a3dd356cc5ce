/**
 * Chooses how an animated sticker is made small enough for the apps: first with a lower frame rate, then also with a
 * lower quality, and at last with less detail. A try takes seconds, so the size at each step is estimated first.
 */

export interface Step {
  rate: number
  quality: number
  detail?: number
  /** Size of a frame relative to the first step: the measured mean of noise, drawings and videos. */
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
/** Share of the allowed bytes. A result above this share is good enough, and no further step is tried. */
const CLOSE = 0.6
/**
 * Share of the allowed bytes. A step is preferred if its estimate is at most this share, because the real size may
 * exceed the estimate.
 */
const MARGIN = 0.9

/**
 * Returns the step to try next; undefined if no further try is allowed or worthwhile. `weights`: relative sizes of this
 * picture at the steps. `expected`: estimated bytes at the first step.
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
  // The last allowed try uses the smallest step, which is the most likely to fit.
  return tries.length === MAX_TRIES - 1 ? between.at(-1) : (promising ?? between.at(-1))
}
