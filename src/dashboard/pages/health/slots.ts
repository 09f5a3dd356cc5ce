/** Places the samples of a chart in slots of equal length, so that an outage of the service is a gap. */

const SAMPLED_EVERY_MS = 10_000

/**
 * Returns the minimum number of successive empty slots for which a gap is drawn. A slot that is as short as the
 * interval of the samples may be empty because its only sample was a little late.
 */
const gapOf = (every: number) => (every > SAMPLED_EVERY_MS ? 1 : 2)

/**
 * Returns the samples, and a `null` for each slot of a gap. `every` is the length of a slot in ms. The times of the
 * samples must be ascending.
 */
export function withGaps<T extends { at: string }>(samples: readonly T[], every: number): { at: string; sample: T | null }[] {
  const least = gapOf(every)
  const slotOf = ({ at }: T) => Math.floor(Date.parse(at) / every)
  return samples.flatMap((sample, index) => {
    const before = samples[index - 1]
    const missing = before ? slotOf(sample) - slotOf(before) - 1 : 0
    const gap = missing < least ? [] : Array.from({ length: missing }, (_, step) => (slotOf(before!) + 1 + step) * every)
    return [...gap.map((at) => ({ at: new Date(at).toISOString(), sample: null })), { at: sample.at, sample }]
  })
}
