/** Places the samples of a chart in slots of equal length, so that an outage of the service is a gap. */

/** A single missing slot is not drawn as a gap, because a sample may have been taken a little late. */
const GAP = 2

/**
 * Returns the samples with a `null` for each slot of a gap. `every` is the length of a slot in ms; the times of the
 * samples are ascending.
 */
export function withGaps<T extends { at: string }>(samples: readonly T[], every: number): { at: string; sample: T | null }[] {
  const slotOf = ({ at }: T) => Math.floor(Date.parse(at) / every)
  return samples.flatMap((sample, index) => {
    const before = samples[index - 1]
    const missing = before ? slotOf(sample) - slotOf(before) - 1 : 0
    const gap = missing < GAP ? [] : Array.from({ length: missing }, (_, step) => (slotOf(before!) + 1 + step) * every)
    return [...gap.map((at) => ({ at: new Date(at).toISOString(), sample: null })), { at: sample.at, sample }]
  })
}
