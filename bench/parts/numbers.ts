export const round = (value: number, digits = 2) => Number(value.toFixed(digits))

export const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const spread = (values: readonly number[], digits = 2) => ({
  median: round(median(values), digits),
  spread: [round(Math.min(...values), digits), round(Math.max(...values), digits)] as [number, number],
})
export type Spread = ReturnType<typeof spread>

const quantile = (sorted: readonly number[], share: number) =>
  round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN, 1)

/** Returns the number, the median, the 99th percentile and the maximum of times in ms. */
export function summary(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b)
  return { count: sorted.length, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max: quantile(sorted, 1) }
}
export type Summary = ReturnType<typeof summary>
