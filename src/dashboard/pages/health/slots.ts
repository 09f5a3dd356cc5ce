/** Places the samples of a chart in slots of equal length, so that an outage of the service is a gap in the chart. */

/** Number of missing slots in a row that are drawn as a gap. A single one is also missing if a sample was taken a little late. */
const GAP = 2

/**
 * Returns the samples with a `null` for each slot of a gap, and the start of that slot. `every` is the length of a slot in ms, and the times are those
 * of the ends of the samples, ascending.
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
